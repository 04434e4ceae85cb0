// SPDX-License-Identifier: MIT
#include "models/machine/test_full_machine.hpp"
#include "models/airfoil/airfoil_parameters.hpp"
#include "models/amg/amg_parameters.hpp"
#include "models/cholesky/cholesky_parameters.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/drift/drift_parameters.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/noise/noise_parameters.hpp"
#include "models/power/power_parameters.hpp"
#include "models/stencil/stencil_core.hpp"

namespace bellwether {
namespace {

Quantity about(double value) { return {value, 0.9 * value, 1.1 * value, {}}; }

LinkTiming timing(double latency_s, double bandwidth) {
  return {.latency_s = about(latency_s),
          .bandwidth_bytes_per_s = about(bandwidth),
          .segments = {{8, about(latency_s), about(bandwidth)},
                       {65536, about(10 * latency_s), about(2 * bandwidth), about(3e4)}},
          .largest_residual = 0.03,
          .largest_residual_paper = 0.4,
          .largest_bytes = 1 << 26};
}

Link link(double latency_s, double bandwidth) {
  return {.source = "measured",
          .one_way = timing(latency_s, bandwidth),
          .unaligned = timing(2 * latency_s, bandwidth),
          .exchange = timing(1.5 * latency_s, 0.8 * bandwidth),
          .concurrent = {{2, timing(1.7 * latency_s, 0.5 * bandwidth)}},
          .exposed_exchange = {{65536, {0.5, 0.4, 0.6, {}}}},
          .eager_limit_bytes = Quantity{65536, 65536, 131072, {}},
          .after_sweep = {{1 << 20, {{8, about(1e-7)}, {1 << 16, about(4e-7)}}},
                          {1 << 24, {{8, about(4e-6)}, {1 << 16, about(1e-5)}}}}};
}

MemoryCurve curve(int ranks, int rereads, const char* stores, const char* precision, double rate,
                  int arrays = 1) {
  return {ranks, rereads, stores, precision, {{1e4, about(4 * rate)}, {1e8, about(rate)}}, arrays};
}

DeviceParameters device() {
  DeviceParameters device;
  device.name = "Four Cores";
  device.kind = "cpu";
  device.backend = "kokkos/Serial";
  device.peak_flops_per_s = {{"f32", about(1e11)}, {"f64", about(5e10)}};
  device.memory_bandwidth_bytes_per_s = about(1e10);
  device.memory_efficiency = about(0.8);
  device.launch_latency_s = about(1e-6);
  device.between_kernels_s = about(2e-6);
  device.gemm_flops_per_s = {{"f32", about(9e10)}, {"f64", about(4e10)}};
  device.gemm_sustained_flops_per_s = {{"f32", about(8e10)}, {"f64", about(3e10)}};
  for (const char* precision : {"f32", "f64"}) {
    for (const int rereads : {0, 4}) {
      for (const int ranks : {1, 4}) {
        const double rate = 2.4e10 / (1 + 0.1 * rereads) / ranks;
        device.memory.push_back(curve(ranks, rereads, "cached", precision, rate));
        device.memory.push_back(curve(ranks, rereads, "streaming", precision, 1.5 * rate));
        if (rereads != 0) continue;
        device.memory.push_back(curve(ranks, 0, "in_place", precision, 2 * rate));
        device.memory.push_back(curve(ranks, 0, "in_place", precision, 1.6 * rate, 19));
      }
    }
  }
  device.stream = {{"copy", 4, "cached", "f64", about(8e9)},
                   {"triad", 1, "streaming", "f32", about(1e10)}};
  device.memory_bytes = 4e9;
  return device;
}

CholeskyParameters cholesky() {
  CholeskyKernelRates rates{
      .update_start_up_s = about(2e-7),
      .column_start_up_s = about(1e-8),
      .update = {{65536, about(4e10)}, {67108864, about(1e10)}},
      .scale_start_up_s = about(1e-7),
      .scale_bandwidth_bytes_per_s = about(5e9),
      .blocks = {{64, about(4e-5), about(1e10), about(4e10), about(8), about(6)}}};
  CholeskyParameters parameters;
  parameters.kernels["f64"] = rates;
  parameters.broadcast_latency_s = about(8e-7);
  parameters.broadcast_bandwidth_bytes_per_s = about(8e9);
  parameters.broadcast_overhead_s = about(2e-7);
  return parameters;
}

StartUpParameters start_up() {
  return {.precision = "f32",
          .fitted_sizes = {{100, 2000}},
          .fitted_ranks = {{1, 8}},
          .peak_flops_per_s = about(1e11),
          .peak_bytes_per_s = about(2e9),
          .update = {about(0.3), about(1e-6)},
          .parallel_update = {about(0.9), about(2e-6)},
          .scaling = {about(0.1), about(3e-6)},
          .summation = "tree",
          .transfer = {about(0.5), about(4e-6)},
          .adding = EfficiencyAndStartUp{about(0.2), about(5e-7)}};
}

AirfoilParameters airfoil() {
  AirfoilParameters parameters;
  for (const char* precision : {"f32", "f64"})
    for (auto& points : parameters.loops[precision])
      points = {{1e3, about(2e-9)}, {1e6, about(1e-8)}};
  parameters.increments = "colours";
  parameters.ranks_per_nic = 2;
  parameters.res_calc_colours = {6, 4, 10, {}};
  parameters.bres_calc_colours = {2, 2, 3, {}};
  return parameters;
}

HplParameters hpl() {
  const HplSimulationParameters simulation{.host_peak_flops_per_s = about(1e12),
                                           .host_efficiency = {0.5, 0.4, 0.6, "a source"},
                                           .device_efficiency = {0.8, 0.7, 0.9, {}},
                                           .blas_efficiency = {0.9, 0.8, 1, {}},
                                           .network_efficiency = {0.7, 0.6, 0.8, {}},
                                           .matrix_memory = "device",
                                           .network = {.kind = "ethernet",
                                                       .generation = {},
                                                       .links = 1,
                                                       .bandwidth_bits_per_s = about(1e10),
                                                       .mtu_bytes = 9000}};
  const HplKernelParameters kernels{
      .panel_on = "device",
      .gemm = GemmRamp{about(4e10),
                       about(10),
                       about(20),
                       about(30),
                       {{64, about(2.7e10), about(12), about(24)},
                        {256, about(3.6e10), about(10), about(20)}}},
      .triangle = {{64, about(1.5e10), {}, about(20)}, {256, about(2e10), {}, about(20)}},
      .panel = {{64, {{64, about(1e-4)}, {4096, about(4e-3)}}, about(3e-5)},
                {256, {{256, about(2e-3)}, {4096, about(3e-2)}}, about(6e-4)}},
      .device_panel = DevicePanel{about(5e-6), about(1e10), {{64, about(1.2e10), {}, about(25)}}},
      .panel_copy_bandwidth_bytes_per_s = about(5e9),
      .swap_bandwidth_bytes_per_s = about(4e9),
      .solve_bandwidth_bytes_per_s = about(8e9),
      .broadcast_bandwidth_bytes_per_s = about(3e9),
      .pivot_s = about(1.2e-6)};
  return {simulation, kernels};
}

NoiseParameters noise() {
  return {.source = "made up",
          .detours = 100,
          .detours_per_s = about(20),
          .lengths = {{0, 1e-6}, {0.5, 1e-5}, {0.95, 1e-4}},
          .tail = DetourTail{about(2e-4), {0.2, 0.1, 0.3, {}}},
          .shared_fraction = {0.3, 0.2, 0.4, {}}};
}

/// A call of 1 us and 5 ns an entry; the second time in turn half of that.
AmgKernelTable amg_kernel() {
  AmgKernelTable table;
  for (const double entries : {7., 20.}) {
    AmgKernelCurve curve{entries, {}};
    for (const double rows : {1e2, 1e4, 1e6}) {
      const double seconds = 1e-6 + 5e-9 * rows * entries;
      curve.times.push_back({rows, about(seconds), std::nullopt});
      if (rows < 1e6) curve.times.back().again_s = about(seconds / 2);
    }
    table.push_back(curve);
  }
  return table;
}

AmgParameters amg() {
  return {.flop_time_s = {about(4e-9), about(3e-9)},
          .threads = {{1, about(4e9), about(0)}, {2, about(3.5e9), about(1e-6)}},
          .core_sharing = {{1, about(1)}, {2, about(1.25)}},
          .ranks_per_node = {1, 2, 4},
          .kernels = AmgKernelParameters{.threads = 2,
                                         .spmv = amg_kernel(),
                                         .gauss_seidel = amg_kernel(),
                                         .interpolate = amg_kernel(),
                                         .restriction = amg_kernel()}};
}

}  // namespace

Machine full_machine() {
  Machine machine;
  machine.name = "full";
  machine.description = "every member filled in";
  machine.source = "made up for tests";
  machine.date = "2020-01-02T03:04:05Z";
  machine.layout = {.ranks = 8, .ranks_per_node = 4, .cores_per_node = 4};
  machine.device = device();
  machine.links = {{"shared_memory", link(5e-7, 4e9)},
                   {"network", link(2e-6, 1e9)},
                   {"host_to_device", link(1e-5, 2e9)},
                   {"device_to_host", link(2e-5, 3e9)},
                   {"staging", link(1e-7, 5e9)}};
  machine.links["network"].one_way.overhead_s = about(4e-7);
  machine.links["network"].gap = timing(8e-7, 0.8e9);
  machine.allreduce = {{2, about(2e-6)}, {8, about(5e-6)}};
  machine.collective_times["alltoall"] = {{8, about(9e-6)}, {4096, about(4e-5)}};
  set_section(machine, start_up());
  set_section(machine, cholesky());
  set_section(machine, airfoil());
  set_section(machine, hpl());
  set_section(machine, amg());
  set_section(machine, noise());
  set_section(machine, StencilCores{{{"lbm",
                                      "f64",
                                      about(1.6e-9),
                                      about(0),
                                      about(5e-8),
                                      {{1e7, about(0.1)}, {1e8, about(0.3)}},
                                      about(3e8)}},
                                    {{"diffusion", "f32", about(1.1)}}});
  set_section(machine, DriftParameters{.source = "measured",
                                       .span_s = 60,
                                       .series = {{"memory", {0.9, 1, 1.2}}, {"network", {1}}}});
  set_section(machine, PowerParameters{"packages", about(250), about(400)});
  machine.warnings = {"network: largest residual 12 %"};
  machine.provenance = {{"host", "node1"}, {"a/b~c", "a key with the pointer's own characters"}};
  return machine;
}

}  // namespace bellwether
