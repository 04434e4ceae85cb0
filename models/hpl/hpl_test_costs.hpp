// SPDX-License-Identifier: MIT
#pragma once

#include "models/hpl/hpl_parameters.hpp"
#include "models/hpl/hpl_refined.hpp"

namespace bellwether {

/// For tests: a machine whose every HPL parameter is given: dgemm at `gemm` flop/s without a ramp,
/// triangles at a half, panels (w^2 rows flops) at an eighth of it, inverses free; links of
/// `latency_s` and of `bandwidth`, which all copies have too. A GPU whose host factors the panels,
/// or a CPU, whose ranks take panels from a window.
inline Machine hpl_test_machine(double gemm, double latency_s, double bandwidth,
                                const char* kind = "gpu") {
  Machine machine;
  machine.name = "test";
  machine.layout = {.ranks = 64, .ranks_per_node = 4};
  machine.device.kind = kind;
  machine.device.peak_flops_per_s["f64"] = Quantity::exact(2 * gemm);
  machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(bandwidth);
  for (const char* name : {"network", "shared_memory", "host_to_device", "device_to_host"}) {
    machine.links[name].one_way.latency_s = Quantity::exact(latency_s);
    machine.links[name].one_way.bandwidth_bytes_per_s = Quantity::exact(bandwidth);
    machine.links[name].exchange = machine.links[name].one_way;
  }
  const Quantity none = Quantity::exact(0), rate = Quantity::exact(bandwidth);
  const bool gpu = machine.device.kind == "gpu";
  HplKernelParameters kernels{.panel_on = gpu ? "host" : "device",
                              .gemm = GemmRamp{Quantity::exact(gemm), none, none, none, {}},
                              .triangle = {{1, Quantity::exact(gemm / 2), none, none}},
                              .panel = {{1, {{1, Quantity::exact(8 / gemm)}}, none}},
                              .device_panel = {},
                              .panel_copy_bandwidth_bytes_per_s = rate,
                              .swap_bandwidth_bytes_per_s = rate,
                              .solve_bandwidth_bytes_per_s = rate,
                              .broadcast_bandwidth_bytes_per_s = {},
                              .pivot_s = {}};
  if (!gpu) kernels.broadcast_bandwidth_bytes_per_s = rate;
  set_section(machine, HplParameters{std::nullopt, kernels});
  return machine;
}

/// The same GPU, calibrated for panels of its own too; solving takes twice as long as inv(L11) W.
inline Machine hpl_test_gpu(double gemm, double latency_s, double bandwidth, double column_s,
                            double panel_flops_per_s) {
  Machine machine = hpl_test_machine(gemm, latency_s, bandwidth);
  const Quantity none = Quantity::exact(0);
  section<HplParameters>(machine)->kernels->device_panel =
      DevicePanel{Quantity::exact(column_s),
                  Quantity::exact(panel_flops_per_s),
                  {{1, Quantity::exact(gemm / 4), none, none}}};
  return machine;
}

inline double hpl_term(const Prediction& prediction, const std::string& name) {
  for (const Term& term : prediction.terms)
    if (term.name == name) return term.seconds;
  return 0;
}

}  // namespace bellwether
