// SPDX-License-Identifier: MIT
#include "results/limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "models/roofline/roofline.hpp"

namespace bellwether {
namespace {

/// Of one rank's updates in place; null where they were not measured.
const MemoryCurve* updates_in_place(const DeviceParameters& device, const std::string& precision,
                                    int ranks) {
  const MemoryCurve* nearest = nullptr;
  for (const MemoryCurve* const curve : curves_of(device, precision)) {
    if (curve->stores != "in_place" || curve->rereads != 0) continue;
    if (nearest == nullptr || std::abs(curve->ranks - ranks) < std::abs(nearest->ranks - ranks))
      nearest = curve;
  }
  return nearest;
}

/// What a curve has for so many bytes, if that is more than what it has far beyond the caches.
double in_cache(const MemoryCurve& curve, double held_bytes) {
  constexpr double more = 1.1;  // than memory swings by from size to size
  const double at_set = 1 / read_curve(curve, held_bytes).value;
  return at_set > more * curve.points.back().bandwidth_bytes_per_s.value ? at_set : 0;
}

/// Of the fastest copies of so many bytes by as many ranks.
double copies_in_cache(const DeviceParameters& device, int ranks, double held_bytes) {
  double fastest = 0;
  for (const MemoryCurve& curve : device.memory)
    if (curve.stores != "in_place" && curve.arrays == 1 && curve.rereads == 0 &&
        curve.ranks == ranks)
      fastest = std::max(fastest, in_cache(curve, held_bytes));
  return fastest;
}

double rate_in(const std::string& precision, const std::map<std::string, Quantity>& rates) {
  const auto found = rates.find(precision);
  return found == rates.end() ? 0 : found->second.value;
}

}  // namespace

Limit limit_of(const StepWork& work, const Machine* machine, int ranks, int ranks_on_node,
               double held_bytes) {
  const double rank_bytes = held_bytes / ranks;
  switch (work.limit) {
    case WorkLimit::none:
      return {};
    case WorkLimit::matrix_product:
      if (machine == nullptr) return {"matrix product", true, 0};
      return {"matrix product", true,
              ranks * rate_in(work.precision, machine->device.gemm_flops_per_s),
              ranks * rate_in(work.precision, machine->device.gemm_sustained_flops_per_s)};
    case WorkLimit::update_in_place:
      if (machine == nullptr) return {"memory bandwidth in place", false, 0};
      if (const auto* curve = updates_in_place(machine->device, work.precision, ranks_on_node)) {
        Limit limit{"memory bandwidth in place", false,
                    ranks * curve->points.back().bandwidth_bytes_per_s.value};
        if (rank_bytes > 0) limit.of_cache_per_s = ranks * in_cache(*curve, rank_bytes);
        return limit;
      }
      break;
    case WorkLimit::memory_bandwidth:
      break;
  }
  if (machine == nullptr) return {"memory bandwidth", false, 0};
  Limit limit{"memory bandwidth", false,
              ranks * machine->device.memory_bandwidth_bytes_per_s.value};
  if (rank_bytes > 0)
    limit.of_cache_per_s = ranks * copies_in_cache(machine->device, ranks_on_node, rank_bytes);
  return limit;
}

std::string Limit::why_above(double share) const {
  if (!(share > 1)) return {};
  if (of_cache_per_s > 0)
    return fmt::format("from a cache: {:.0f} % of what that gives",
                       100 * share * per_s / of_cache_per_s);
  return "the limit was calibrated slower than now";
}

}  // namespace bellwether
