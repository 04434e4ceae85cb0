// SPDX-License-Identifier: MIT
#include "microbench/memory/memory.hpp"

#include <algorithm>
#include <utility>

namespace bellwether {
namespace {

std::vector<MemoryCurve> curves_of(const MemoryCases& cases, const SampleStore& store) {
  std::vector<MemoryCurve> curves;
  for (const Planned<NeighboursSpec>& planned : cases.neighbours) {
    const NeighboursSpec& spec = planned.spec;
    const MemoryVariant& variant = spec.variant;
    auto curve = std::find_if(curves.begin(), curves.end(), [&](const MemoryCurve& known) {
      return known.ranks == variant.ranks && known.rereads == spec.rereads &&
             known.stores == variant.stores && known.precision == variant.precision &&
             known.arrays == variant.arrays;
    });
    if (curve == curves.end())
      curve = curves.insert(
          curve,
          {variant.ranks, spec.rereads, variant.stores, variant.precision, {}, variant.arrays});
    curve->points.push_back(
        {spec.working_set_bytes(), rate_of(spec.bytes_moved(), store.at(planned.key))});
  }
  return curves;
}

/// The best copy per rank with all ranks at once, far beyond the caches: a STREAM copy, or the end
/// of a memory curve without rereads.
Quantity best_copy(const std::vector<StreamResult>& stream, const std::vector<MemoryCurve>& curves,
                   int all_ranks) {
  Quantity best;
  const auto consider = [&best](const Quantity& bandwidth, const std::string& what) {
    if (bandwidth.value <= best.value) return;
    best = bandwidth;
    best.source = what;
  };
  for (const StreamResult& result : stream)
    if (result.kernel == "copy" && result.ranks == all_ranks)
      consider(result.bandwidth_bytes_per_s,
               "STREAM copy, " + result.precision + ", " + result.stores + " stores");
  for (const MemoryCurve& curve : curves)
    if (curve.rereads == 0 && curve.ranks == all_ranks && curve.stores != "in_place")
      consider(curve.points.back().bandwidth_bytes_per_s,
               "row copy, " + curve.precision + ", " + curve.stores + " stores");
  return best;
}

}  // namespace

void memory_from_samples(const MemoryCases& cases, const SampleStore& store, Machine& machine) {
  DeviceParameters& device = machine.device;
  for (const auto& [spec, key] : cases.stream)
    device.stream.push_back({"copy", spec.variant.ranks, spec.variant.stores,
                             spec.variant.precision, rate_of(spec.bytes_moved(), store.at(key))});
  device.memory = curves_of(cases, store);
  device.memory_bandwidth_bytes_per_s =
      best_copy(device.stream, device.memory, cases.sizes.ranks_per_node);
  machine.provenance["stream_array_bytes"] = std::to_string(cases.sizes.array_bytes);
  machine.provenance["stream_alone_array_bytes"] = std::to_string(cases.sizes.alone_array_bytes);
  for (std::string& warning : array_warnings(cases.sizes))
    machine.warnings.push_back(std::move(warning));
}

Folder memory_folder() { return {measured(plan_memory, memory_from_samples)}; }

}  // namespace bellwether
