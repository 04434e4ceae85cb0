// SPDX-License-Identifier: MIT
#include "microbench/memory/device_from_samples.hpp"

#include <algorithm>

namespace bellwether {
namespace {

std::vector<MemoryCurve> curves_of(const MeasurementPlan& plan, const SampleStore& store) {
  std::vector<MemoryCurve> curves;
  for (const NeighboursSpec& spec : plan.neighbours) {
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
        {spec.working_set_bytes(), rate_of(spec.bytes_moved(), store.at(spec.name()))});
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

DeviceParameters device_from_samples(const Bench& bench, const MeasurementPlan& plan,
                                     const SampleStore& store) {
  DeviceParameters device;
  device.kind = bench.device().is_host() ? "cpu" : "gpu";
  device.backend = bench.device().description();
  device.name = device.backend;
  device.memory_bytes = bench.sizes().memory_bytes;
  for (const ComputeSpec& spec : plan.compute) {
    if (!spec.all) continue;
    auto& rates =
        spec.kernel == ComputeKernel::gemm ? device.gemm_flops_per_s : device.peak_flops_per_s;
    rates[spec.precision] = rate_of(flops_of(bench, spec), store.at(spec.name()));
  }
  device.launch_latency_s = quantity_of(store.at(launch_name(1)));
  for (const StreamSpec& spec : plan.stream)
    device.stream.push_back({name_of(spec.kernel), spec.variant.ranks, spec.variant.stores,
                             spec.variant.precision,
                             rate_of(bytes_moved(spec, bench.sizes()), store.at(spec.name()))});
  device.memory = curves_of(plan, store);
  device.memory_bandwidth_bytes_per_s =
      best_copy(device.stream, device.memory, bench.sizes().ranks_per_node);
  return device;
}

}  // namespace bellwether
