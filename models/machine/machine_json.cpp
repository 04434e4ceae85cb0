// SPDX-License-Identifier: MIT
#include "models/machine/machine_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/machine/device_classes.hpp"
#include "models/machine/json_type.hpp"
#include "models/machine_sections.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

const std::vector<std::string> precisions{"f32", "f64"};

JsonType<Quantity> positive() { return json_quantity(Range::positive); }
JsonType<Quantity> nonnegative() { return json_quantity(Range::nonnegative); }
JsonType<Quantity> fraction() { return json_quantity(Range::fraction); }

/// Earlier versions' pairs [bytes, seconds] of a fit, ascending: the last is its largest message.
JsonField<LinkTiming> earlier_samples() {
  JsonField<LinkTiming> field = retired<LinkTiming>("samples");
  field.read = [](JsonObject& object, LinkTiming& timing) {
    if (const auto node = object.optional("samples"))
      for (const JsonNode& pair : node->items())
        timing.largest_bytes = std::max(timing.largest_bytes, pair.items(2)[0].number());
  };
  return field;
}

JsonType<LinkSegment> segment_type() {
  return named(
      "segment",
      "latency_s + (bytes - burst_bytes) / bandwidth for messages of at least from_bytes, up to "
      "the next segment; ascending from_bytes. burst_bytes, at most from_bytes, pass ahead of the "
      "bandwidth: a token bucket's depth, buffers on the way.",
      json_object<LinkSegment>(
          {required("from_bytes", &LinkSegment::from_bytes, json_number()),
           required("latency_s", &LinkSegment::latency_s, nonnegative()),
           required("bandwidth_bytes_per_s", &LinkSegment::bandwidth_bytes_per_s, positive()),
           optional("burst_bytes", &LinkSegment::burst_bytes, nonnegative(),
                    [](const LinkSegment& segment) { return segment.burst_bytes.high > 0; })},
          [](const JsonNode& node, const LinkSegment& segment) {
            if (segment.burst_bytes.high > segment.from_bytes)
              node.child("burst_bytes")
                  .refuse(fmt::format("at most from_bytes, {}", segment.from_bytes));
          }));
}

/// largest_residual is of the segments over the samples, relative, largest_residual_paper of the
/// one latency and bandwidth; largest_bytes is the largest sample.
JsonFields<LinkTiming> timing_fields() {
  return {required("latency_s", &LinkTiming::latency_s, nonnegative()),
          required("bandwidth_bytes_per_s", &LinkTiming::bandwidth_bytes_per_s, positive()),
          optional("segments", &LinkTiming::segments,
                   json_ascending("from_bytes", &LinkSegment::from_bytes, "bytes", segment_type())),
          optional("overhead_s", &LinkTiming::overhead_s, nonnegative()),
          optional("largest_residual", &LinkTiming::largest_residual, json_number()),
          optional("largest_residual_paper", &LinkTiming::largest_residual_paper, json_number()),
          optional("largest_bytes", &LinkTiming::largest_bytes, json_number()),
          earlier_samples()};
}

/// Earlier versions' share of an exchange in which a rank can compute, of all sizes.
JsonField<Link> earlier_hideable() {
  JsonField<Link> field = retired<Link>("hideable_fraction");
  field.schema = {{"description", "Of earlier versions: 1 - exposed_exchange, of all sizes."}};
  field.read = [](JsonObject& object, Link& link) {
    const auto node = object.optional("hideable_fraction");
    if (!node) return;
    const Quantity hidden = fraction().read(*node);
    link.exposed_exchange = {{1, {1 - hidden.value, 1 - hidden.high, 1 - hidden.low, {}}}};
  };
  return field;
}

JsonType<ExposedExchange> exposed_type() {
  return named(
      "exposed_exchange",
      "Share of an exchange's seconds that a step keeps which computes meanwhile; above 1 "
      "overlap makes it slower.",
      json_object<ExposedExchange>({required("bytes", &ExposedExchange::bytes, json_positive()),
                                    required("share", &ExposedExchange::share, nonnegative())}));
}

JsonType<LinkTiming> timing_type() {
  return named("timing",
               "Seconds of a message: latency_s + bytes / bandwidth_bytes_per_s, or by segments. "
               "overhead_s, o of LogGP: CPU seconds of these that a message costs its sender, and "
               "likewise its receiver; what is left of latency_s overlaps among messages.",
               json_object(timing_fields()));
}

JsonType<ConcurrentTiming> concurrent_type() {
  return named("concurrent_timing",
               "An exchange of each of `pairs` pairs of ranks at once; ascending pairs.",
               json_object(JsonFields<ConcurrentTiming>{
                               required("pairs", &ConcurrentTiming::pairs, json_count(1))} +
                           within(&ConcurrentTiming::timing, timing_fields())));
}

JsonType<SweptExchange> swept_type() {
  const JsonType<AddedPoint> point =
      named("added_point", "",
            json_object<AddedPoint>({required("bytes", &AddedPoint::bytes, json_number()),
                                     required("added_s", &AddedPoint::added_s, nonnegative())}));
  return named("swept_exchange",
               "What exchanges of messages of so many bytes take longer since each rank has gone "
               "through swept_bytes of memory before each of them; both ascending.",
               json_object<SweptExchange>(
                   {required("swept_bytes", &SweptExchange::swept_bytes, json_positive()),
                    required("added", &SweptExchange::added,
                             json_ascending("bytes", &AddedPoint::bytes, "bytes", point, 1))}));
}

JsonType<Link> link_type() {
  const JsonFields<Link> own{
      optional("source", &Link::source, json_text()),
      optional("unaligned", &Link::unaligned, timing_type()),
      optional("exchange", &Link::exchange, timing_type()),
      optional("concurrent", &Link::concurrent,
               json_ascending("pairs", &ConcurrentTiming::pairs, "pairs", concurrent_type())),
      retired<Link>("ring"),
      optional("gap", &Link::gap, timing_type()),
      retired<Link>("concurrent_gap"),
      optional("exposed_exchange", &Link::exposed_exchange,
               json_ascending("bytes", &ExposedExchange::bytes, "bytes", exposed_type())),
      earlier_hideable(),
      retired<Link>("hideable_by_size"),
      optional("eager_limit_bytes", &Link::eager_limit_bytes, nonnegative()),
      optional("after_sweep", &Link::after_sweep,
               json_ascending("swept_bytes", &SweptExchange::swept_bytes, "bytes", swept_type())),
      retired<Link>("latency_by_hop")};
  return named("link", "A path; its own timing is half a ping-pong with page-aligned buffers.",
               json_object(within(&Link::one_way, timing_fields()) + own));
}

JsonType<MemoryCurve> curve_type() {
  const JsonType<BandwidthPoint> point = named(
      "bandwidth_point", "",
      json_object<BandwidthPoint>(
          {required("working_set_bytes", &BandwidthPoint::working_set_bytes, json_positive()),
           required("bandwidth_bytes_per_s", &BandwidthPoint::bandwidth_bytes_per_s, positive())}));
  return named(
      "memory_curve",
      "Bandwidth per rank against working set, ascending; rereads: times each value is read again "
      "from cache; arrays: gone through at once, 1 if absent.",
      json_object<MemoryCurve>(
          {required("ranks", &MemoryCurve::ranks, json_count(1)),
           required("rereads", &MemoryCurve::rereads, json_count()),
           required("stores", &MemoryCurve::stores, json_word({"cached", "streaming", "in_place"})),
           required("precision", &MemoryCurve::precision, json_word(precisions)),
           optional("arrays", &MemoryCurve::arrays, json_count(1),
                    [](const MemoryCurve&) { return true; }),
           required("points", &MemoryCurve::points,
                    json_ascending("working_set_bytes", &BandwidthPoint::working_set_bytes, "bytes",
                                   point, 1))}));
}

JsonType<StreamResult> stream_type() {
  return named(
      "stream_result", "",
      json_object<StreamResult>(
          {required("kernel", &StreamResult::kernel, json_word({"copy", "scale", "add", "triad"})),
           required("ranks", &StreamResult::ranks, json_count(1)),
           required("stores", &StreamResult::stores, json_word({"cached", "streaming"})),
           required("precision", &StreamResult::precision, json_word(precisions)),
           required("bandwidth_bytes_per_s", &StreamResult::bandwidth_bytes_per_s, positive())}));
}

JsonType<DeviceParameters> device_type() {
  using Device = DeviceParameters;
  const auto has_one = [](const std::map<std::string, Quantity>& rates) { return !rates.empty(); };
  return named(
      "device",
      "What one rank computes on; rates per rank with all ranks of a node at once. "
      "launch_latency_s: what each launch adds where several follow one another without a wait "
      "between them; between_kernels_s: what lies between two kernels of a GPU that are each timed "
      "by a pair of events. gemm_flops_per_s: a library's products of large square matrices; "
      "gemm_sustained_flops_per_s: a GPU's after about a second of them.",
      json_object<Device>(
          {required("name", &Device::name, json_text()),
           required("kind", &Device::kind, json_word({"cpu", "gpu"})),
           optional("backend", &Device::backend, json_text()),
           required("peak_flops_per_s", &Device::peak_flops_per_s,
                    restricted(json_by_precision(), {{"minProperties", 1}}, has_one,
                               "a peak for \"f32\", \"f64\" or both")),
           required("memory_bandwidth_bytes_per_s", &Device::memory_bandwidth_bytes_per_s,
                    positive()),
           optional("memory_efficiency", &Device::memory_efficiency, fraction()),
           optional("launch_latency_s", &Device::launch_latency_s, nonnegative()),
           optional("between_kernels_s", &Device::between_kernels_s, nonnegative()),
           optional("gemm_flops_per_s", &Device::gemm_flops_per_s, json_by_precision()),
           optional("gemm_sustained_flops_per_s", &Device::gemm_sustained_flops_per_s,
                    json_by_precision()),
           retired<Device>("gemm_half_size"),
           optional("memory", &Device::memory, json_list(curve_type())),
           optional("stream", &Device::stream, json_list(stream_type())),
           optional("memory_bytes", &Device::memory_bytes, json_number())}));
}

JsonType<Layout> layout_type() {
  return named(
      "layout", "",
      json_object<Layout>({required("ranks", &Layout::ranks, json_count(1)),
                           required("ranks_per_node", &Layout::ranks_per_node, json_count(1)),
                           optional("cores_per_node", &Layout::cores_per_node, json_count())}));
}

JsonType<std::vector<CollectiveTime>> collective_type() {
  const JsonType<CollectiveTime> time =
      json_object<CollectiveTime>({required("ranks", &CollectiveTime::ranks, json_count(1)),
                                   required("time_s", &CollectiveTime::time_s, nonnegative())});
  return named("collective", "Ascending ranks.",
               json_ascending("ranks", &CollectiveTime::ranks, "ranks", time));
}

JsonType<std::map<std::string, std::vector<BlockTime>>> collective_times_type() {
  const JsonType<BlockTime> time =
      json_object<BlockTime>({required("bytes", &BlockTime::bytes, json_positive()),
                              required("time_s", &BlockTime::time_s, nonnegative())});
  std::vector<std::string> names;
  for (const std::string name : block_collectives)
    for (const char* memory : {"", "_direct"}) names.push_back(name + memory);
  return json_keyed(
      names,
      named("block_times",
            "Of all ranks of the layout, by the bytes that each rank has for each (bcast: the "
            "root for all; reduce_scatter: that each keeps of the sums); ascending. No prediction "
            "reads them.",
            json_ascending("bytes", &BlockTime::bytes, "bytes", time)));
}

JsonType<Topology> topology_type() {
  return named(
      "topology", "How nodes are joined; mesh: fully connected.",
      json_object<Topology>(
          {required("kind", &Topology::kind,
                    json_word(
                        {"star", "bus", "mesh", "ring", "tree", "torus", "fat-tree", "dragonfly"})),
           optional("dimensions", &Topology::dimensions, json_list(json_count(1), 1)),
           optional("links_per_node", &Topology::links_per_node, positive()),
           optional("hop_latency_s", &Topology::hop_latency_s, nonnegative()),
           optional("node_bandwidth_bytes_per_s", &Topology::node_bandwidth_bytes_per_s,
                    positive()),
           optional("link_bandwidth_bytes_per_s", &Topology::link_bandwidth_bytes_per_s,
                    positive()),
           optional("arity", &Topology::arity, json_list(json_count(1), 1)),
           optional("dragonfly", &Topology::dragonfly,
                    restricted<std::vector<int>>(
                        json_list(json_count(1), 3), {{"maxItems", 3}},
                        [](const std::vector<int>& counts) { return counts.size() == 3; },
                        "groups, routers of a group and nodes of a router")),
           optional("global_links_per_router", &Topology::global_links_per_router, positive()),
           optional("taper", &Topology::taper, positive())}));
}

JsonFields<Machine> section_fields() {
  JsonFields<Machine> fields;
  for (const auto& [name, type] : machine_sections())
    fields.push_back({name, false,
                      [name = name, read = type.read](JsonObject& object, Machine& machine) {
                        if (const auto node = object.optional(name))
                          machine.sections[name] = read(*node);
                      },
                      [name = name, write = type.write](const Machine& machine, json& object) {
                        const auto found = machine.sections.find(name);
                        if (found != machine.sections.end()) object[name] = write(found->second);
                      },
                      type.schema, type.definitions});
  return fields;
}

const JsonType<Machine>& machine_type() {
  static const JsonType<Machine> type = json_object(
      JsonFields<Machine>{
          constant<Machine>("schema", machine_schema),
          required("name", &Machine::name, json_text()),
          optional("description", &Machine::description, json_text()),
          required("source", &Machine::source, json_text()),
          optional("date", &Machine::date, json_text()),
          required("layout", &Machine::layout, layout_type()),
          required("device", &Machine::device, device_type()),
          required("links", &Machine::links,
                   json_keyed({"shared_memory", "network", "shared_memory_direct", "network_direct",
                               "host_to_device", "device_to_host", "staging", "staging_shared"},
                              link_type())),
          retired<Machine>("barrier"), retired<Machine>("collectives"),
          optional("allreduce", &Machine::allreduce, collective_type()),
          optional("collective_times", &Machine::collective_times, collective_times_type()),
          optional("topology", &Machine::topology, topology_type()),
          optional("warnings", &Machine::warnings, json_list(json_text())),
          optional("provenance", &Machine::provenance, json_map(json_text()))} +
      section_fields());
  return type;
}

}  // namespace

Machine parse_machine(const json& document, const std::string& file) {
  try {
    Machine machine = machine_type().read(JsonNode(document, file));
    assume_class(machine);
    return machine;
  } catch (const BadInput& wrong) {
    const bool is_calibrated = document.contains(json::json_pointer("/provenance/samples"));
    if (!is_calibrated) throw;
    throw BadInput(std::string(wrong.what()) +
                   " (if another version of the suite calibrated it: calibrate again)");
  }
}

json to_json(const Machine& machine) { return machine_type().write(machine); }

bool is_quantity(const json& node) {
  return node.is_object() && node.contains("value") && node.at("value").is_number();
}

json machine_json_schema() {
  json schema = machine_type().schema;
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = machine_schema;
  schema["description"] =
      "The parameters of a machine as Bellwether's models see it. SI units, which the keys bear. "
      "The program refuses besides: low > value, value > high, and lists that do not ascend.";
  schema["definitions"] = machine_type().definitions;
  return schema;
}

}  // namespace bellwether
