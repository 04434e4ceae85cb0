// SPDX-License-Identifier: MIT
#include "models/machine/transfer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/airfoil/airfoil_parameters.hpp"
#include "models/amg/amg_parameters.hpp"
#include "models/errors.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/test_full_machine.hpp"
#include "models/stencil/stencil_core.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// Of a device `memory` and `core` times as fast as another, of which applications get 0.8.
json sheet(double memory, double core, const char* kind = "gpu") {
  const json share = {{"value", 0.8}, {"low", 0.7}, {"high", 0.9}};
  return {{"schema", machine_schema},
          {"name", "sheet"},
          {"source", "a data sheet"},
          {"layout", {{"ranks", 8}, {"ranks_per_node", 4}, {"cores_per_node", 4}}},
          {"device",
           {{"name", "NVIDIA X1"},
            {"kind", kind},
            {"peak_flops_per_s", {{"f32", 2e12 * core}, {"f64", 1e12 * core}}},
            {"memory_bandwidth_bytes_per_s", 1e10 * memory},
            {"memory_efficiency", share},
            {"memory_bytes", 5e9}}},
          {"links",
           {{"host_to_device",
             {{"latency_s", 5e-6}, {"bandwidth_bytes_per_s", 1e10 * (memory > 1 ? 1.5 : 1)}}}}}};
}
Machine read_sheet(const json& document) { return parse_machine(document, "sheet.json"); }

Machine calibrated(const char* kind = "gpu") {
  Machine machine = full_machine();
  machine.device.kind = kind;
  return machine;
}

/// Memory twice and a core three times as fast, by hand: what was above the largest size's time
/// stays, what caches held is the core's.
TEST(Transfer, EachNumberMovesWithItsLimit) {
  const Machine reference = calibrated();
  json faster = sheet(2, 3);
  faster["links"]["network_direct"] = {{"latency_s", 1e-6}, {"bandwidth_bytes_per_s", 2e10}};
  const Transfer done = transfer(reference, read_sheet(sheet(1, 1)), read_sheet(faster));
  const DeviceParameters& device = done.machine.device;
  EXPECT_DOUBLE_EQ(device.memory_bandwidth_bytes_per_s.value, 2e10);
  EXPECT_DOUBLE_EQ(device.peak_flops_per_s.at("f64").value, 1.5e11);
  EXPECT_DOUBLE_EQ(device.gemm_flops_per_s.at("f64").value, 1.2e11);
  EXPECT_EQ(device.launch_latency_s->value, 1e-6);
  EXPECT_EQ(device.memory_bytes, 5e9);
  ASSERT_EQ(device.memory.size(), reference.device.memory.size());
  const auto& before = reference.device.memory.front().points;
  const auto& after = device.memory.front().points;
  EXPECT_DOUBLE_EQ(after[1].bandwidth_bytes_per_s.value, 2 * before[1].bandwidth_bytes_per_s.value);
  EXPECT_DOUBLE_EQ(after[0].bandwidth_bytes_per_s.value, 3 * before[0].bandwidth_bytes_per_s.value);
  const auto& loop = section<AirfoilParameters>(done.machine)->loops.at("f32").front();
  EXPECT_DOUBLE_EQ(loop[0].seconds_per_element.value, 2e-9 / 3);
  EXPECT_DOUBLE_EQ(loop[1].seconds_per_element.value, 5e-9);
  const AmgKernelTime& call = amg_kernels(done.machine)->spmv.front().times.front();
  EXPECT_NEAR(call.cold_s.value, 1e2 * (3.5001e-8 / 2 + 4.5e-8 - 3.5001e-8), 1e-12);
  EXPECT_DOUBLE_EQ(section<StencilCores>(done.machine)->kernels.front().cell_s.value, 1.6e-9 / 3);
  const HplKernelParameters& hpl = *section<HplParameters>(done.machine)->kernels;
  EXPECT_DOUBLE_EQ(hpl.gemm->by_k[1].flops_per_s.value, 1.08e11);
  EXPECT_DOUBLE_EQ(hpl.swap_bandwidth_bytes_per_s->value, 8e9);
  const LinkTiming& copy = done.machine.links.at("host_to_device").one_way;
  EXPECT_DOUBLE_EQ(copy.segments[1].bandwidth_bytes_per_s.value, 6e9);
  EXPECT_EQ(copy.latency_s.value, 1e-5);
  EXPECT_EQ(done.machine.links.at("network").one_way.bandwidth_bytes_per_s.value, 1e9);
  EXPECT_EQ(done.added, std::vector<std::string>{"links.network_direct"});
  EXPECT_NE(device.memory_bandwidth_bytes_per_s.source.find(
                "transferred from full by the ratio of memory bandwidth"),
            std::string::npos);
}

/// Calibrated within a tenth, both shares from 7/8 to 9/8 of theirs.
TEST(Transfer, HalfWidthsAddAsSquaresOfLogarithms) {
  const Quantity moved = transfer(calibrated(), read_sheet(sheet(1, 1)), read_sheet(sheet(2, 1)))
                             .machine.device.memory_bandwidth_bytes_per_s;
  const double low = std::sqrt(0.10536 * 0.10536 + 0.13353 * 0.13353 + 0.11778 * 0.11778),
               high = std::sqrt(0.09531 * 0.09531 + 0.11778 * 0.11778 + 0.13353 * 0.13353);
  EXPECT_NEAR(std::log(2e10 / moved.low), low, 1e-4);
  EXPECT_NEAR(std::log(moved.high / 2e10), high, 1e-4);
}

TEST(Transfer, OfTheSameDeviceNothingMoves) {
  const Machine reference = calibrated(), same = read_sheet(sheet(1, 1));
  const json before = to_json(reference), after = to_json(transfer(reference, same, same).machine);
  for (const char* part : {"stencils", "airfoil", "amg", "hpl", "cholesky", "links", "noise"})
    EXPECT_TRUE(after.at(part) == before.at(part)) << part;
  EXPECT_TRUE(after["device"]["memory"] == before["device"]["memory"]);
}

/// All ranks of a node stand for all; what fewer ranks are measured with, where there are as many.
TEST(Transfer, ANodeOfACpuMayHaveOtherRanks) {
  json larger = sheet(1.5, 1, "cpu");
  larger["layout"] = {{"ranks", 6}, {"ranks_per_node", 6}, {"cores_per_node", 6}};
  const Machine reference = calibrated("cpu");
  const Machine moved =
      transfer(reference, read_sheet(sheet(1, 1, "cpu")), read_sheet(larger)).machine;
  EXPECT_EQ(moved.layout.ranks_per_node, 6);
  ASSERT_EQ(moved.device.memory.size(), reference.device.memory.size());
  for (std::size_t at = 0; at < moved.device.memory.size(); ++at) {
    const MemoryCurve &after = moved.device.memory[at], &before = reference.device.memory[at];
    EXPECT_EQ(after.ranks, before.ranks == 1 ? 1 : 6);
    if (before.ranks == 1) continue;
    EXPECT_DOUBLE_EQ(after.points.back().bandwidth_bytes_per_s.value,
                     1.5 * before.points.back().bandwidth_bytes_per_s.value);
  }
}

void expect_refused(const Machine& reference, const json& then, const json& now,
                    const std::string& words) {
  try {
    (void)transfer(reference, read_sheet(then), read_sheet(now));
    ADD_FAILURE() << words;
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Transfer, RefusalsNameTheKey) {
  const json then = sheet(1, 1), now = sheet(2, 2);
  json without = now, measured = now, node = sheet(1, 1, "cpu");
  without["device"]["peak_flops_per_s"].erase("f32");
  measured["device"]["backend"] = "cuda/NVIDIA X1";
  node["layout"]["ranks_per_node"] = 8;
  expect_refused(read_sheet(then), then, now, "/device/backend: found nothing");
  expect_refused(calibrated(), then, measured, "/device/backend: found \"cuda/NVIDIA X1\"");
  expect_refused(calibrated(), then, sheet(2, 2, "cpu"), "/device/kind: found cpu, expected gpu");
  expect_refused(calibrated(), then, without, "/device/peak_flops_per_s/f32: found nothing");
  expect_refused(calibrated("cpu"), node, sheet(2, 2, "cpu"), "/layout/ranks_per_node: found 8");
}

TEST(Transfer, AGpusDataSheetIsFoundByAWordOfItsName) {
  Machine machine = calibrated();
  machine.device.name = "cuda/NVIDIA H200";
  EXPECT_EQ(sheet_of(machine).name, "h200");
  machine.device.name = "cuda/Tesla V100-SXM2-32GB";
  EXPECT_EQ(sheet_of(machine).name, "v100");
  for (const char* name : {"cuda/NVIDIA GH200 480GB", "AMD EPYC", ""}) {
    machine.device.name = name;
    EXPECT_THROW((void)sheet_of(machine), BadInput) << name;
  }
}

}  // namespace
}  // namespace bellwether
