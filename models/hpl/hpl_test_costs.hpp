// SPDX-License-Identifier: MIT
#pragma once

#include "models/hpl/hpl_parameters.hpp"
#include "models/hpl/hpl_refined.hpp"

namespace bellwether {

/// For tests: a GPU machine whose every HPL parameter is given: dgemm at `gemm` flop/s without a
/// ramp, dtrsm at a half, panels at an eighth of it; links of `latency_s` and of `bandwidth`.
inline Machine hpl_test_machine(double gemm, double latency_s, double bandwidth) {
  Machine machine;
  machine.name = "test";
  machine.layout = {.ranks = 64, .ranks_per_node = 4};
  machine.device.kind = "gpu";
  machine.device.peak_flops_per_s["f64"] = Quantity::exact(2 * gemm);
  machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(bandwidth);
  for (const char* name : {"network", "shared_memory", "host_to_device", "device_to_host"}) {
    machine.links[name].one_way.latency_s = Quantity::exact(latency_s);
    machine.links[name].one_way.bandwidth_bytes_per_s = Quantity::exact(bandwidth);
  }
  const Quantity none = Quantity::exact(0);
  set_section(
      machine,
      HplParameters{std::nullopt,
                    HplKernelParameters{.panel_on = "host",
                                        .gemm = GemmRamp{Quantity::exact(gemm), none, none, none},
                                        .trsm_flops_per_s = Quantity::exact(gemm / 2),
                                        .panel_flops_per_s = Quantity::exact(gemm / 8),
                                        .swap_bandwidth_bytes_per_s = Quantity::exact(bandwidth)}});
  return machine;
}

inline double hpl_term(const Prediction& prediction, const std::string& name) {
  for (const Term& term : prediction.terms)
    if (term.name == name) return term.seconds;
  return 0;
}

}  // namespace bellwether
