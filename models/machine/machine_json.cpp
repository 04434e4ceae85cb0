// SPDX-License-Identifier: MIT
#include "models/machine/machine_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/machine/quantity_json.hpp"
#include "models/machine/strict_json.hpp"

namespace bellwether {
namespace {

std::vector<LinkSample> parse_samples(const JsonNode& node, const char* what) {
  std::vector<LinkSample> samples;
  for (const JsonNode& item : node.items()) {
    const std::vector<JsonNode> pair = item.items();
    if (pair.size() != 2) item.refuse(fmt::format("a pair [{}, seconds]", what));
    const LinkSample sample{pair[0].number(), pair[1].number()};
    require_ascending(pair[0], what, samples.empty(), samples.empty() ? 0 : samples.back().bytes,
                      sample.bytes);
    samples.push_back(sample);
  }
  return samples;
}

LinkSegment parse_segment(const JsonNode& node) {
  JsonObject object(node);
  LinkSegment segment{object.required("from_bytes").number(),
                      parse_quantity(object.required("latency_s"), Range::nonnegative),
                      parse_quantity(object.required("bandwidth_bytes_per_s"), Range::positive)};
  if (const auto burst = object.optional("burst_bytes")) {
    segment.burst_bytes = parse_quantity(*burst, Range::nonnegative);
    if (segment.burst_bytes.high > segment.from_bytes)
      burst->refuse(fmt::format("at most from_bytes, {}", segment.from_bytes));
  }
  object.finish();
  return segment;
}

/// The keys of a LinkTiming, which the caller's object may hold beside its own.
LinkTiming parse_timing(JsonObject& object) {
  LinkTiming timing;
  timing.latency_s = parse_quantity(object.required("latency_s"), Range::nonnegative);
  timing.bandwidth_bytes_per_s =
      parse_quantity(object.required("bandwidth_bytes_per_s"), Range::positive);
  if (const auto segments = object.optional("segments")) {
    for (const JsonNode& item : segments->items()) {
      LinkSegment segment = parse_segment(item);
      const bool first = timing.segments.empty();
      require_ascending(item.child("from_bytes"), "bytes", first,
                        first ? 0 : timing.segments.back().from_bytes, segment.from_bytes);
      timing.segments.push_back(std::move(segment));
    }
  }
  if (const auto residual = object.optional("largest_residual"))
    timing.largest_residual = residual->number();
  if (const auto residual = object.optional("largest_residual_paper"))
    timing.largest_residual_paper = residual->number();
  if (const auto samples = object.optional("samples"))
    timing.samples = parse_samples(*samples, "bytes");
  return timing;
}

LinkTiming parse_own_timing(const JsonNode& node) {
  JsonObject object(node);
  LinkTiming timing = parse_timing(object);
  object.finish();
  return timing;
}

std::vector<HideablePoint> parse_hideable(const JsonNode& node) {
  std::vector<HideablePoint> points;
  for (const JsonNode& item : node.items()) {
    JsonObject object(item);
    const JsonNode bytes = object.required("bytes");
    HideablePoint point{bytes.number(),
                        parse_quantity(object.required("fraction"), Range::fraction)};
    object.finish();
    require_ascending(bytes, "bytes", points.empty(), points.empty() ? 0 : points.back().bytes,
                      point.bytes);
    points.push_back(std::move(point));
  }
  return points;
}

std::vector<ConcurrentTiming> parse_concurrent(const JsonNode& node) {
  std::vector<ConcurrentTiming> all;
  for (const JsonNode& item : node.items()) {
    JsonObject object(item);
    const JsonNode pairs = object.required("pairs");
    ConcurrentTiming timing{pairs.count(1), parse_timing(object)};
    object.finish();
    require_ascending(pairs, "pairs", all.empty(), all.empty() ? 0 : all.back().pairs,
                      timing.pairs);
    all.push_back(std::move(timing));
  }
  return all;
}

Link parse_link(const JsonNode& node) {
  JsonObject object(node);
  Link link;
  if (const auto source = object.optional("source")) link.source = source->text();
  link.one_way = parse_timing(object);
  if (const auto timing = object.optional("unaligned")) link.unaligned = parse_own_timing(*timing);
  if (const auto timing = object.optional("exchange")) link.exchange = parse_own_timing(*timing);
  if (const auto list = object.optional("concurrent")) link.concurrent = parse_concurrent(*list);
  if (const auto ring = object.optional("ring")) link.ring = parse_own_timing(*ring);
  if (const auto fraction = object.optional("hideable_fraction"))
    link.hideable_fraction = parse_quantity(*fraction, Range::fraction);
  if (const auto list = object.optional("hideable_by_size"))
    link.hideable_by_size = parse_hideable(*list);
  if (const auto hops = object.optional("latency_by_hop"))
    link.latency_by_hop = parse_samples(*hops, "hops");
  object.finish();
  return link;
}

MemoryCurve parse_curve(const JsonNode& node) {
  JsonObject object(node);
  MemoryCurve curve;
  curve.ranks = object.required("ranks").count(1);
  curve.rereads = object.required("rereads").count();
  curve.stores = object.required("stores").one_of({"cached", "streaming", "in_place"});
  curve.precision = object.required("precision").one_of({"f32", "f64"});
  if (const auto arrays = object.optional("arrays")) curve.arrays = arrays->count(1);
  for (const JsonNode& item : object.required("points").items(1)) {
    JsonObject point(item);
    const JsonNode size = point.required("working_set_bytes");
    const bool first = curve.points.empty();
    require_ascending(size, "bytes", first, first ? 0 : curve.points.back().working_set_bytes,
                      size.positive_number());
    curve.points.push_back(
        {size.positive_number(),
         parse_quantity(point.required("bandwidth_bytes_per_s"), Range::positive)});
    point.finish();
  }
  object.finish();
  return curve;
}

StreamResult parse_stream(const JsonNode& node) {
  JsonObject object(node);
  StreamResult result;
  result.kernel = object.required("kernel").one_of({"copy", "scale", "add", "triad"});
  result.ranks = object.required("ranks").count(1);
  result.stores = object.required("stores").one_of({"cached", "streaming"});
  result.precision = object.required("precision").one_of({"f32", "f64"});
  result.bandwidth_bytes_per_s =
      parse_quantity(object.required("bandwidth_bytes_per_s"), Range::positive);
  object.finish();
  return result;
}

DeviceParameters parse_device(const JsonNode& node) {
  JsonObject object(node);
  DeviceParameters device;
  device.name = object.required("name").text();
  device.kind = object.required("kind").one_of({"cpu", "gpu"});
  if (const auto backend = object.optional("backend")) device.backend = backend->text();
  const JsonNode peak = object.required("peak_flops_per_s");
  device.peak_flops_per_s = parse_by_precision(peak);
  if (device.peak_flops_per_s.empty()) peak.refuse("a peak for \"f32\", \"f64\" or both");
  device.memory_bandwidth_bytes_per_s =
      parse_quantity(object.required("memory_bandwidth_bytes_per_s"), Range::positive);
  if (const auto latency = object.optional("launch_latency_s"))
    device.launch_latency_s = parse_quantity(*latency, Range::nonnegative);
  if (const auto rates = object.optional("gemm_flops_per_s"))
    device.gemm_flops_per_s = parse_by_precision(*rates);
  if (const auto curves = object.optional("memory"))
    for (const JsonNode& curve : curves->items()) device.memory.push_back(parse_curve(curve));
  if (const auto results = object.optional("stream"))
    for (const JsonNode& result : results->items()) device.stream.push_back(parse_stream(result));
  if (const auto bytes = object.optional("memory_bytes")) device.memory_bytes = bytes->number();
  object.finish();
  return device;
}

Layout parse_layout(const JsonNode& node) {
  JsonObject object(node);
  Layout layout;
  layout.ranks = object.required("ranks").count(1);
  layout.ranks_per_node = object.required("ranks_per_node").count(1);
  if (const auto cores = object.optional("cores_per_node")) layout.cores_per_node = cores->count();
  object.finish();
  return layout;
}

std::map<std::string, Link> parse_links(const JsonNode& node) {
  JsonObject object(node);
  std::map<std::string, Link> links;
  for (const char* name :
       {"shared_memory", "network", "host_to_device", "device_to_host", "staging"})
    if (const auto link = object.optional(name)) links[name] = parse_link(*link);
  object.finish();
  return links;
}

std::vector<CollectiveTime> parse_collective(const JsonNode& node) {
  std::vector<CollectiveTime> times;
  for (const JsonNode& item : node.items()) {
    JsonObject object(item);
    const JsonNode ranks = object.required("ranks");
    require_ascending(ranks, "ranks", times.empty(), times.empty() ? 0 : times.back().ranks,
                      ranks.count(1));
    times.push_back(
        {ranks.count(1), parse_quantity(object.required("time_s"), Range::nonnegative)});
    object.finish();
  }
  return times;
}

}  // namespace

Machine parse_machine(const nlohmann::json& document, const std::string& file) {
  JsonObject object(JsonNode(document, file));
  (void)object.required("schema").one_of({machine_schema});
  Machine machine;
  machine.name = object.required("name").text();
  if (const auto text = object.optional("description")) machine.description = text->text();
  machine.source = object.required("source").text();
  if (const auto date = object.optional("date")) machine.date = date->text();
  machine.layout = parse_layout(object.required("layout"));
  machine.device = parse_device(object.required("device"));
  machine.links = parse_links(object.required("links"));
  if (const auto times = object.optional("barrier")) machine.barrier = parse_collective(*times);
  if (const auto times = object.optional("allreduce")) machine.allreduce = parse_collective(*times);
  if (const auto node = object.optional("topology")) machine.topology = parse_topology(*node);
  if (const auto node = object.optional("hpl")) machine.hpl = parse_hpl(*node);
  if (const auto node = object.optional("amg")) machine.amg = parse_amg(*node);
  if (const auto node = object.optional("airfoil")) machine.airfoil = parse_airfoil(*node);
  if (const auto node = object.optional("start_up")) machine.start_up = parse_start_up(*node);
  if (const auto warnings = object.optional("warnings"))
    for (const JsonNode& warning : warnings->items()) machine.warnings.push_back(warning.text());
  if (const auto node = object.optional("provenance")) {
    JsonObject provenance(*node);
    for (const std::string& key : provenance.keys())
      machine.provenance[key] = provenance.required(key).text();
  }
  object.finish();
  return machine;
}

}  // namespace bellwether
