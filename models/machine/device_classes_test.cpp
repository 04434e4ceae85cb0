// SPDX-License-Identifier: MIT
// Machines that nobody measured: what their class gives, and that it counts in all applications.
#include "models/machine/device_classes.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/airfoil/airfoil_loops.hpp"
#include "models/amg/amg_extrapolation.hpp"
#include "models/amg/amg_parameters.hpp"
#include "models/amg/amg_run.hpp"
#include "models/cholesky/cholesky_curve.hpp"
#include "models/errors.hpp"
#include "models/hpl/hpl_refined.hpp"
#include "models/machine/added_link.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/test_full_machine.hpp"
#include "models/machine/what_if.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "models/stencil/test_stencils.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

json data_sheet(const char* kind, const char* name) {
  return {{"schema", machine_schema},
          {"name", "mine"},
          {"source", "a data sheet"},
          {"layout", {{"ranks", 8}, {"ranks_per_node", 8}, {"cores_per_node", 8}}},
          {"device",
           {{"name", name},
            {"kind", kind},
            {"peak_flops_per_s", {{"f64", 1e12}}},
            {"memory_bandwidth_bytes_per_s", 1e10}}},
          {"links", {{"network", {{"latency_s", 1e-6}, {"bandwidth_bytes_per_s", 1e10}}}}}};
}

Machine read(const json& document) { return parse_machine(document, "mine.json"); }

TEST(DeviceClasses, APlainNumberIsAnAssumptionWithItsClassesInterval) {
  const Machine machine = read(data_sheet("gpu", "NVIDIA X1"));
  const DeviceClass& nvidia = class_of(machine.device);
  EXPECT_EQ(nvidia.vendor, "NVIDIA");
  EXPECT_EQ(machine.device.memory_bandwidth_bytes_per_s.value, 1e10);
  EXPECT_EQ(machine.device.memory_efficiency->value, nvidia.memory_efficiency.value);
  EXPECT_EQ(machine.device.memory_efficiency->low, nvidia.memory_efficiency.low);
  const Quantity product = machine.device.gemm_flops_per_s.at("f64");
  EXPECT_DOUBLE_EQ(product.value, 1e12 * nvidia.matrix_efficiency.value);
  EXPECT_DOUBLE_EQ(product.high, 1e12 * nvidia.matrix_efficiency.high);
  const LinkTiming& network = machine.links.at("network").one_way;
  EXPECT_LT(network.latency_s.low, network.latency_s.high);
  EXPECT_LE(network.bandwidth_bytes_per_s.high, 1e10);
  for (const Quantity& one : {product, network.latency_s, *machine.device.memory_efficiency})
    EXPECT_TRUE(one.assumed()) << one.source;
  EXPECT_TRUE(section<AmgParameters>(machine)->wait_per_diameter_s);
  EXPECT_EQ(to_json(read(to_json(machine))), to_json(machine)) << "read once more it stays";
}

TEST(DeviceClasses, WhatAFileTellsStays) {
  json document = data_sheet("gpu", "AMD X2");
  document["device"]["memory_efficiency"] = {{"value", 0.7}};
  document["device"]["gemm_flops_per_s"] = {{"f64", {{"value", 9e11}}}};
  document["links"]["network"]["latency_s"] = {{"value", 1e-6}};
  const Machine machine = read(document);
  EXPECT_EQ(machine.device.memory_efficiency->high, 0.7);
  EXPECT_EQ(machine.device.gemm_flops_per_s.at("f64").low, 9e11);
  EXPECT_EQ(machine.links.at("network").one_way.latency_s.high, 1e-6);
  EXPECT_EQ(section<AmgParameters>(machine), nullptr);
  document["device"]["memory_efficiency"] = 0.7;
  const Quantity plain = *read(document).device.memory_efficiency;
  EXPECT_EQ(plain.value, 0.7);
  EXPECT_LT(plain.low, 0.6);
  const Machine measured = full_machine();
  EXPECT_EQ(to_json(read(to_json(measured))), to_json(measured));
}

/// 1 / (1 / share + bandwidth of a core / core's limit), whatever rank has how many cores.
TEST(DeviceClasses, ACoresOwnLimitCountsBesideTheMemorys) {
  const Machine cores = read(data_sheet("cpu", "AMD EPYC, one core"));
  const DeviceClass& known = class_of(cores.device);
  const double share = known.memory_efficiency.value,
               limit = known.core_bandwidth_bytes_per_s->value;
  EXPECT_DOUBLE_EQ(cores.device.memory_efficiency->value, 1 / (1 / share + 1e10 / limit));
  json node = data_sheet("cpu", "AMD EPYC");
  node["layout"] = {{"ranks", 1}, {"ranks_per_node", 1}, {"cores_per_node", 8}};
  node["device"]["memory_bandwidth_bytes_per_s"] = 8e10;
  EXPECT_DOUBLE_EQ(read(node).device.memory_efficiency->value,
                   cores.device.memory_efficiency->value);
}

TEST(DeviceClasses, BadNumbersNameFileAndKey) {
  for (const json& wrong : {json(-1), json(0), json("1e10"), json::object()}) {
    json document = data_sheet("gpu", "NVIDIA X1");
    document["device"]["memory_bandwidth_bytes_per_s"] = wrong;
    try {
      (void)read(document);
      ADD_FAILURE() << wrong;
    } catch (const BadInput& error) {
      EXPECT_NE(
          std::string(error.what()).find("mine.json: key /device/memory_bandwidth_bytes_per_s"),
          std::string::npos)
          << error.what();
    }
  }
}

/// Seconds of each application on a rank or two of a data sheet's machine.
std::vector<double> seconds_of_all(const Machine& machine) {
  std::vector<double> seconds;
  const Decomposition one({64, 64, 64}, {1, 1, 1}, true);
  for (const StencilKernel& kernel : {diffusion_stencil(), lattice_boltzmann()})
    seconds.push_back(
        predict_stencil_refined(machine, kernel, one, {.precision = "f64"}, {1}).total_s);
  seconds.push_back(
      AirfoilLoopCosts(machine, "f64").seconds(AirfoilLoop::update, 1e6, Bound::value));
  const AmgHierarchy hierarchy = AmgFamily(published_hierarchies()).at(1e6, 1);
  seconds.push_back(predict_amg_run(machine, hierarchy, {}, {}, "refined", false).total_s);
  HplProblem problem;
  problem.size = 4096;
  problem.block = 128;
  seconds.push_back(predict_hpl_refined(machine, problem, 1, true).total_s);
  seconds.push_back(
      predict_cholesky(
          machine,
          {.size = 4096, .precision = "f64", .ranks = 2, .ranks_per_node = 2, .block = 128})
          .back()
          .total_s);
  return seconds;
}

TEST(DeviceClasses, MemoryEfficiencyCountsInAllApplications) {
  const Machine machine = read(data_sheet("cpu", "Intel Xeon, one core"));
  Machine slower = machine;
  (void)change(slower, parse_what_if("device.memory_efficiency=0.3x"));
  const std::vector<double> before = seconds_of_all(machine), after = seconds_of_all(slower);
  for (std::size_t app = 0; app < before.size(); ++app)
    EXPECT_GT(after[app], 1.001 * before[app]) << "application " << app;
}

TEST(DeviceClasses, ProductsScaleWithThePeakThatTheyAreAShareOf) {
  Machine machine = read(data_sheet("gpu", "NVIDIA X1"));
  const double before = machine.device.gemm_flops_per_s.at("f64").value;
  const WhatIfChange done = change(machine, parse_what_if("device.peak_flops_per_s.f64=2x"));
  EXPECT_DOUBLE_EQ(machine.device.gemm_flops_per_s.at("f64").value, 2 * before);
  EXPECT_EQ(done.scaled_along, std::vector<std::string>{"device.gemm_flops_per_s.f64"});
}

TEST(AddedLink, IsADataSheetsLink) {
  Machine machine = full_machine();
  machine.links.erase("network");
  const LinkTiming added = add_link(machine, "network=1.5us,12GB/s").links.at("network").one_way;
  EXPECT_DOUBLE_EQ(added.latency_s.value, 1.5e-6);
  EXPECT_LT(added.bandwidth_bytes_per_s.value, 12e9);
  EXPECT_GT(added.bandwidth_bytes_per_s.value, 8e9);
  EXPECT_LT(added.bandwidth_bytes_per_s.low, added.bandwidth_bytes_per_s.high);
  for (const char* wrong : {"network", "network=1.5,12GB/s", "network=1.5us", "network=us,12GB/s",
                            "shared_memory=1us,1GB/s", "ether=1us,1GB/s", "network=-1us,1GB/s"})
    EXPECT_THROW((void)add_link(machine, wrong), BadInput) << wrong;
}

}  // namespace
}  // namespace bellwether
