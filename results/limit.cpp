// SPDX-License-Identifier: MIT
#include "results/limit.hpp"

#include <cstdlib>

namespace bellwether {
namespace {

/// Of one rank; 0 where it was not measured.
double update_in_place(const DeviceParameters& device, const std::string& precision, int ranks) {
  const MemoryCurve* nearest = nullptr;
  for (const MemoryCurve& curve : device.memory) {
    if (curve.stores != "in_place" || curve.arrays != 1 || curve.rereads != 0 ||
        curve.precision != precision)
      continue;
    if (nearest == nullptr || std::abs(curve.ranks - ranks) < std::abs(nearest->ranks - ranks))
      nearest = &curve;
  }
  return nearest == nullptr ? 0 : nearest->points.back().bandwidth_bytes_per_s.value;
}

double matrix_product(const DeviceParameters& device, const std::string& precision) {
  const auto found = device.gemm_flops_per_s.find(precision);
  return found == device.gemm_flops_per_s.end() ? 0 : found->second.value;
}

}  // namespace

Limit limit_of(const StepWork& work, const Machine* machine, int ranks, int ranks_on_node) {
  switch (work.limit) {
    case WorkLimit::none:
      return {};
    case WorkLimit::matrix_product:
      return {"matrix product", true,
              machine == nullptr ? 0 : ranks * matrix_product(machine->device, work.precision)};
    case WorkLimit::update_in_place:
      if (machine == nullptr) return {"memory bandwidth in place", false, 0};
      if (const double one = update_in_place(machine->device, work.precision, ranks_on_node);
          one > 0)
        return {"memory bandwidth in place", false, ranks * one};
      break;
    case WorkLimit::memory_bandwidth:
      break;
  }
  return {"memory bandwidth", false,
          machine == nullptr ? 0 : ranks * machine->device.memory_bandwidth_bytes_per_s.value};
}

}  // namespace bellwether
