// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_parameters.hpp"

#include <nlohmann/json.hpp>

#include "models/hpl/hpl_network.hpp"
#include "models/machine/quantity_json.hpp"
#include "models/machine/strict_json.hpp"

namespace bellwether {
namespace {

/// An efficiency divides, so it may not be 0.
Quantity parse_efficiency(const JsonNode& node) {
  const Quantity quantity = parse_quantity(node, Range::positive);
  if (quantity.high > 1) node.refuse("an efficiency above 0 and at most 1");
  return quantity;
}

HplNetwork parse_network(const JsonNode& node) {
  JsonObject object(node);
  HplNetwork network;
  network.kind = object.required("kind").one_of({"ethernet", "infiniband"});
  if (network.kind == "infiniband") {
    network.generation = object.required("generation").one_of(infiniband_generations());
    network.links = object.required("links").count(1);
  } else {
    network.bandwidth_bits_per_s =
        parse_quantity(object.required("bandwidth_bits_per_s"), Range::positive);
    if (const auto mtu = object.optional("mtu_bytes"))
      network.mtu_bytes = mtu->count(ethernet_frame_overhead_bytes + 1);
  }
  object.finish();
  return network;
}

nlohmann::json network_json(const HplNetwork& network) {
  if (network.kind == "infiniband")
    return {{"kind", network.kind}, {"generation", network.generation}, {"links", network.links}};
  return {{"kind", network.kind},
          {"bandwidth_bits_per_s", quantity_json(network.bandwidth_bits_per_s)},
          {"mtu_bytes", network.mtu_bytes}};
}

HplSimulationParameters parse_simulation(const JsonNode& node) {
  JsonObject object(node);
  HplSimulationParameters simulation;
  simulation.host_peak_flops_per_s =
      parse_quantity(object.required("host_peak_flops_per_s"), Range::positive);
  simulation.host_efficiency = parse_efficiency(object.required("host_efficiency"));
  simulation.device_efficiency = parse_efficiency(object.required("device_efficiency"));
  simulation.blas_efficiency = parse_efficiency(object.required("blas_efficiency"));
  simulation.network_efficiency = parse_efficiency(object.required("network_efficiency"));
  simulation.matrix_memory = object.required("matrix_memory").one_of({"host", "device"});
  simulation.network = parse_network(object.required("network"));
  object.finish();
  return simulation;
}

nlohmann::json simulation_json(const HplSimulationParameters& simulation) {
  return {{"host_peak_flops_per_s", quantity_json(simulation.host_peak_flops_per_s)},
          {"host_efficiency", quantity_json(simulation.host_efficiency)},
          {"device_efficiency", quantity_json(simulation.device_efficiency)},
          {"blas_efficiency", quantity_json(simulation.blas_efficiency)},
          {"network_efficiency", quantity_json(simulation.network_efficiency)},
          {"matrix_memory", simulation.matrix_memory},
          {"network", network_json(simulation.network)}};
}

GemmRamp parse_ramp(const JsonNode& node) {
  JsonObject object(node);
  GemmRamp ramp{parse_quantity(object.required("flops_per_s"), Range::positive),
                parse_quantity(object.required("half_m"), Range::nonnegative),
                parse_quantity(object.required("half_n"), Range::nonnegative),
                parse_quantity(object.required("half_k"), Range::nonnegative)};
  object.finish();
  return ramp;
}

nlohmann::json ramp_json(const GemmRamp& ramp) {
  return {{"flops_per_s", quantity_json(ramp.flops_per_s)},
          {"half_m", quantity_json(ramp.half_m)},
          {"half_n", quantity_json(ramp.half_n)},
          {"half_k", quantity_json(ramp.half_k)}};
}

HplKernelParameters parse_kernels(const JsonNode& node) {
  JsonObject object(node);
  HplKernelParameters kernels;
  kernels.panel_on = object.required("panel_on").one_of({"host", "device"});
  if (const auto gemm = object.optional("gemm")) kernels.gemm = parse_ramp(*gemm);
  if (const auto rate = object.optional("trsm_flops_per_s"))
    kernels.trsm_flops_per_s = parse_quantity(*rate, Range::positive);
  if (const auto rate = object.optional("panel_flops_per_s"))
    kernels.panel_flops_per_s = parse_quantity(*rate, Range::positive);
  if (const auto rate = object.optional("swap_bandwidth_bytes_per_s"))
    kernels.swap_bandwidth_bytes_per_s = parse_quantity(*rate, Range::positive);
  object.finish();
  return kernels;
}

nlohmann::json kernels_json(const HplKernelParameters& kernels) {
  nlohmann::json object = {{"panel_on", kernels.panel_on}};
  if (kernels.gemm) object["gemm"] = ramp_json(*kernels.gemm);
  if (kernels.trsm_flops_per_s)
    object["trsm_flops_per_s"] = quantity_json(*kernels.trsm_flops_per_s);
  if (kernels.panel_flops_per_s)
    object["panel_flops_per_s"] = quantity_json(*kernels.panel_flops_per_s);
  if (kernels.swap_bandwidth_bytes_per_s)
    object["swap_bandwidth_bytes_per_s"] = quantity_json(*kernels.swap_bandwidth_bytes_per_s);
  return object;
}

}  // namespace

HplParameters parse_hpl(const JsonNode& node) {
  JsonObject object(node);
  HplParameters parameters;
  if (const auto simulation = object.optional("simulation"))
    parameters.simulation = parse_simulation(*simulation);
  if (const auto kernels = object.optional("kernels")) parameters.kernels = parse_kernels(*kernels);
  object.finish();
  return parameters;
}

nlohmann::json to_json(const HplParameters& parameters) {
  nlohmann::json object = nlohmann::json::object();
  if (parameters.simulation) object["simulation"] = simulation_json(*parameters.simulation);
  if (parameters.kernels) object["kernels"] = kernels_json(*parameters.kernels);
  return object;
}

}  // namespace bellwether
