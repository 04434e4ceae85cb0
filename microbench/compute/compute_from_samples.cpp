// SPDX-License-Identifier: MIT
#include "microbench/compute/compute_from_samples.hpp"

namespace bellwether {

void compute_from_samples(const ComputeCases& cases, const SampleStore& store, Machine& machine) {
  DeviceParameters& device = machine.device;
  for (const auto& [spec, key] : cases.kernels) {
    if (!spec.all) continue;
    auto& rates =
        spec.kernel == ComputeKernel::gemm ? device.gemm_flops_per_s : device.peak_flops_per_s;
    rates[spec.precision] = rate_of(spec.flops, store.at(key));
  }
  device.launch_latency_s = quantity_of(store.at(cases.launches.front().key));
  machine.provenance["gemm_size"] = std::to_string(cases.kernels.front().spec.gemm_size);
  if (!cases.gemm_problem.empty())
    machine.warnings.push_back("no matrix product was measured: " + cases.gemm_problem);
}

}  // namespace bellwether
