// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_parameters.hpp"

#include "models/hpl/hpl_network.hpp"
#include "models/machine/json_type.hpp"

namespace bellwether {
namespace {

JsonType<Quantity> efficiency() { return json_quantity(Range::efficiency); }

/// The keys depend on the kind.
JsonType<HplNetwork> network_type() {
  using Network = HplNetwork;
  const auto kind = [](const char* name) {
    return required("kind", &Network::kind, json_word({name}));
  };
  const JsonType<Network> infiniband = json_object<Network>(
      {kind("infiniband"),
       required("generation", &Network::generation, json_word(infiniband_generations())),
       required("links", &Network::links, json_count(1))});
  const JsonType<Network> ethernet = json_object<Network>(
      {kind("ethernet"),
       required("bandwidth_bits_per_s", &Network::bandwidth_bits_per_s,
                json_quantity(Range::positive)),
       optional("mtu_bytes", &Network::mtu_bytes, json_count(ethernet_frame_overhead_bytes + 1),
                [](const Network&) { return true; })});
  JsonType<Network> either = ethernet;  // and its definitions
  either.read = [one = infiniband.read, other = ethernet.read](const JsonNode& node) {
    const std::string found = JsonObject(node).required("kind").one_of({"ethernet", "infiniband"});
    return (found == "infiniband" ? one : other)(node);
  };
  either.write = [one = infiniband.write, other = ethernet.write](const Network& network) {
    return (network.kind == "infiniband" ? one : other)(network);
  };
  either.schema = {{"oneOf", {infiniband.schema, ethernet.schema}}};
  return named("hpl_network", "", either);
}

JsonType<HplSimulationParameters> simulation_type() {
  using Simulation = HplSimulationParameters;
  return named(
      "hpl_simulation", "What the paper's simulation asks of a node; host peak of a node, f64.",
      json_object<Simulation>(
          {required("host_peak_flops_per_s", &Simulation::host_peak_flops_per_s,
                    json_quantity(Range::positive)),
           required("host_efficiency", &Simulation::host_efficiency, efficiency()),
           required("device_efficiency", &Simulation::device_efficiency, efficiency()),
           required("blas_efficiency", &Simulation::blas_efficiency, efficiency()),
           required("network_efficiency", &Simulation::network_efficiency, efficiency()),
           required("matrix_memory", &Simulation::matrix_memory, json_word({"host", "device"})),
           required("network", &Simulation::network, network_type())}));
}

JsonType<std::vector<ProductRate>> gemm_rates_type() {
  using Rate = ProductRate;
  return named("hpl_gemm_rates", "Rates at several k, which is linear in 1/k between them.",
               json_ascending(
                   "k", &Rate::k, "k",
                   json_object<Rate>(
                       {required("k", &Rate::k, json_positive()),
                        required("flops_per_s", &Rate::flops_per_s, json_quantity(Range::positive)),
                        required("half_m", &Rate::half_m, json_quantity(Range::nonnegative)),
                        required("half_n", &Rate::half_n, json_quantity(Range::nonnegative))}),
                   1));
}

JsonType<std::vector<ProductRate>> triangle_type() {
  using Rate = ProductRate;
  return named(
      "hpl_triangle",
      "inv(L11) (width x width) times width x n takes width^2 n / flops_per_s (1 + half_n/n) "
      "seconds; in device_panel so long takes solving with L11.",
      json_ascending(
          "width", &Rate::k, "widths",
          json_object<Rate>(
              {required("width", &Rate::k, json_positive()),
               required("flops_per_s", &Rate::flops_per_s, json_quantity(Range::positive)),
               required("half_n", &Rate::half_n, json_quantity(Range::nonnegative))}),
          1));
}

JsonType<std::vector<PanelWidth>> panel_type() {
  const JsonType<PanelHeight> height = json_object<PanelHeight>(
      {required("rows", &PanelHeight::rows, json_positive()),
       required("seconds", &PanelHeight::seconds, json_quantity(Range::positive))});
  const JsonType<PanelWidth> width = json_object<PanelWidth>(
      {required("width", &PanelWidth::width, json_positive()),
       required("heights", &PanelWidth::heights,
                json_ascending("rows", &PanelHeight::rows, "rows", height, 1)),
       required("inverse_s", &PanelWidth::inverse_s, json_quantity(Range::nonnegative))});
  return named("hpl_panel",
               "Seconds of factoring panels by width and rows, and of inverting L11 of each width.",
               json_ascending("width", &PanelWidth::width, "widths", width, 1));
}

JsonType<DevicePanel> device_panel_type() {
  using Panel = DevicePanel;
  return named("hpl_device_panel",
               "A GPU factors M rows of w columns in w column_s + w^2 (M - w/3) / flops_per_s "
               "seconds, beside its update.",
               json_object<Panel>(
                   {required("column_s", &Panel::column_s, json_quantity(Range::nonnegative)),
                    required("flops_per_s", &Panel::flops_per_s, json_quantity(Range::positive)),
                    optional("triangle", &Panel::triangle, triangle_type())}));
}

JsonType<HplKernelParameters> hpl_kernels_type() {
  using Kernels = HplKernelParameters;
  const JsonType<GemmRamp> gemm = named(
      "hpl_gemm",
      "dgemm takes 2 m n k / flops_per_s (1 + half_m/m + half_n/n + half_k/k) seconds; by_k goes "
      "before flops_per_s and half_k.",
      json_object<GemmRamp>(
          {required("flops_per_s", &GemmRamp::flops_per_s, json_quantity(Range::positive)),
           required("half_m", &GemmRamp::half_m, json_quantity(Range::nonnegative)),
           required("half_n", &GemmRamp::half_n, json_quantity(Range::nonnegative)),
           required("half_k", &GemmRamp::half_k, json_quantity(Range::nonnegative)),
           optional("by_k", &GemmRamp::by_k, gemm_rates_type())}));
  return named(
      "hpl_kernels", "Rates of one rank in the refined form.",
      json_object<Kernels>(
          {required("panel_on", &Kernels::panel_on, json_word({"host", "device"})),
           optional("gemm", &Kernels::gemm, gemm),
           optional("triangle", &Kernels::triangle, triangle_type()),
           optional("panel", &Kernels::panel, panel_type()),
           optional("device_panel", &Kernels::device_panel, device_panel_type()),
           optional("panel_copy_bandwidth_bytes_per_s", &Kernels::panel_copy_bandwidth_bytes_per_s,
                    json_quantity(Range::positive)),
           optional("swap_bandwidth_bytes_per_s", &Kernels::swap_bandwidth_bytes_per_s,
                    json_quantity(Range::positive)),
           optional("solve_bandwidth_bytes_per_s", &Kernels::solve_bandwidth_bytes_per_s,
                    json_quantity(Range::positive)),
           optional("broadcast_bandwidth_bytes_per_s", &Kernels::broadcast_bandwidth_bytes_per_s,
                    json_quantity(Range::positive)),
           optional("pivot_s", &Kernels::pivot_s, json_quantity(Range::nonnegative))}));
}

}  // namespace

const HplSimulationParameters* hpl_simulation(const Machine& machine) {
  const auto* own = section<HplParameters>(machine);
  return own && own->simulation ? &*own->simulation : nullptr;
}

const DevicePanel* hpl_device_panel(const Machine& machine) {
  const auto* own = section<HplParameters>(machine);
  return own && own->kernels && own->kernels->device_panel ? &*own->kernels->device_panel : nullptr;
}

JsonType<HplParameters> hpl_parameters_type() {
  return named("hpl", "",
               json_object<HplParameters>(
                   {optional("simulation", &HplParameters::simulation, simulation_type()),
                    optional("kernels", &HplParameters::kernels, hpl_kernels_type())}));
}

}  // namespace bellwether
