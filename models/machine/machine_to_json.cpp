// SPDX-License-Identifier: MIT
#include "models/machine/machine_json.hpp"

#include <nlohmann/json.hpp>
#include "models/machine/quantity_json.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

json samples_json(const std::vector<LinkSample>& samples) {
  json list = json::array();
  for (const LinkSample& sample : samples)
    list.push_back(json::array({sample.bytes, sample.seconds}));
  return list;
}

json timing_json(const LinkTiming& timing) {
  json object = {{"latency_s", quantity_json(timing.latency_s)},
                 {"bandwidth_bytes_per_s", quantity_json(timing.bandwidth_bytes_per_s)}};
  for (const LinkSegment& segment : timing.segments) {
    json entry = {{"from_bytes", segment.from_bytes},
                  {"latency_s", quantity_json(segment.latency_s)},
                  {"bandwidth_bytes_per_s", quantity_json(segment.bandwidth_bytes_per_s)}};
    if (segment.burst_bytes.high > 0) entry["burst_bytes"] = quantity_json(segment.burst_bytes);
    object["segments"].push_back(std::move(entry));
  }
  if (!timing.samples.empty() || timing.largest_residual != 0)
    object["largest_residual"] = timing.largest_residual;
  if (!timing.samples.empty() || timing.largest_residual_paper != 0)
    object["largest_residual_paper"] = timing.largest_residual_paper;
  if (!timing.samples.empty()) object["samples"] = samples_json(timing.samples);
  return object;
}

json link_json(const Link& link) {
  json object = timing_json(link.one_way);
  if (!link.source.empty()) object["source"] = link.source;
  if (link.unaligned) object["unaligned"] = timing_json(*link.unaligned);
  if (link.exchange) object["exchange"] = timing_json(*link.exchange);
  for (const ConcurrentTiming& concurrent : link.concurrent) {
    json entry = timing_json(concurrent.timing);
    entry["pairs"] = concurrent.pairs;
    object["concurrent"].push_back(std::move(entry));
  }
  if (link.ring) object["ring"] = timing_json(*link.ring);
  if (link.hideable_fraction) object["hideable_fraction"] = quantity_json(*link.hideable_fraction);
  for (const HideablePoint& point : link.hideable_by_size)
    object["hideable_by_size"].push_back(
        {{"bytes", point.bytes}, {"fraction", quantity_json(point.fraction)}});
  if (!link.latency_by_hop.empty()) object["latency_by_hop"] = samples_json(link.latency_by_hop);
  return object;
}

json curve_json(const MemoryCurve& curve) {
  json points = json::array();
  for (const BandwidthPoint& point : curve.points)
    points.push_back({{"working_set_bytes", point.working_set_bytes},
                      {"bandwidth_bytes_per_s", quantity_json(point.bandwidth_bytes_per_s)}});
  return {{"ranks", curve.ranks},   {"rereads", curve.rereads},
          {"stores", curve.stores}, {"precision", curve.precision},
          {"arrays", curve.arrays}, {"points", std::move(points)}};
}

json device_json(const DeviceParameters& device) {
  json object = {
      {"name", device.name},
      {"kind", device.kind},
      {"peak_flops_per_s", by_precision_json(device.peak_flops_per_s)},
      {"memory_bandwidth_bytes_per_s", quantity_json(device.memory_bandwidth_bytes_per_s)}};
  if (!device.backend.empty()) object["backend"] = device.backend;
  if (device.launch_latency_s) object["launch_latency_s"] = quantity_json(*device.launch_latency_s);
  if (!device.gemm_flops_per_s.empty())
    object["gemm_flops_per_s"] = by_precision_json(device.gemm_flops_per_s);
  for (const MemoryCurve& curve : device.memory) object["memory"].push_back(curve_json(curve));
  for (const StreamResult& result : device.stream)
    object["stream"].push_back(
        {{"kernel", result.kernel},
         {"ranks", result.ranks},
         {"stores", result.stores},
         {"precision", result.precision},
         {"bandwidth_bytes_per_s", quantity_json(result.bandwidth_bytes_per_s)}});
  if (device.memory_bytes != 0) object["memory_bytes"] = device.memory_bytes;
  return object;
}

json layout_json(const Layout& layout) {
  json object = {{"ranks", layout.ranks}, {"ranks_per_node", layout.ranks_per_node}};
  if (layout.cores_per_node != 0) object["cores_per_node"] = layout.cores_per_node;
  return object;
}

json collective_json(const std::vector<CollectiveTime>& times) {
  json list = json::array();
  for (const CollectiveTime& time : times)
    list.push_back({{"ranks", time.ranks}, {"time_s", quantity_json(time.time_s)}});
  return list;
}

}  // namespace

json to_json(const Machine& machine) {
  json document = {{"schema", machine_schema},
                   {"name", machine.name},
                   {"source", machine.source},
                   {"layout", layout_json(machine.layout)},
                   {"device", device_json(machine.device)},
                   {"links", json::object()}};
  if (!machine.date.empty()) document["date"] = machine.date;
  if (!machine.description.empty()) document["description"] = machine.description;
  for (const auto& [name, link] : machine.links) document["links"][name] = link_json(link);
  if (!machine.barrier.empty()) document["barrier"] = collective_json(machine.barrier);
  if (!machine.allreduce.empty()) document["allreduce"] = collective_json(machine.allreduce);
  if (machine.topology) document["topology"] = to_json(*machine.topology);
  if (machine.hpl) document["hpl"] = to_json(*machine.hpl);
  if (machine.amg) document["amg"] = to_json(*machine.amg);
  if (machine.airfoil) document["airfoil"] = to_json(*machine.airfoil);
  if (machine.start_up) document["start_up"] = to_json(*machine.start_up);
  if (!machine.warnings.empty()) document["warnings"] = machine.warnings;
  if (!machine.provenance.empty()) document["provenance"] = machine.provenance;
  return document;
}

}  // namespace bellwether
