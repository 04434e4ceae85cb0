// SPDX-License-Identifier: MIT
// The published schema and the program's own reader hold the same files good and bad.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/test_full_machine.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

struct Case {
  std::string what;
  json document;
  bool valid;
};

/// A full machine with one place changed. A JSON patch value of null at a key removes the key.
Case changed(const std::string& pointer, const json& value, bool valid = false) {
  json document = to_json(full_machine());
  const json::json_pointer place(pointer);
  if (value.is_null()) {
    document.at(place.parent_pointer()).erase(place.back());
  } else {
    document[place] = value;
  }
  return {pointer + " = " + value.dump(), document, valid};
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Machine& machine : shipped_machines())
    all.push_back({machine.name, to_json(machine), true});
  all.push_back({"full", to_json(full_machine()), true});
  for (const char* pointer : {"/description",
                              "/date",
                              "/airfoil",
                              "/airfoil/loops/f32",
                              "/airfoil/ranks_per_nic",
                              "/airfoil/res_calc_colours",
                              "/airfoil/bres_calc_colours",
                              "/allreduce",
                              "/warnings",
                              "/provenance",
                              "/layout/cores_per_node",
                              "/device/backend",
                              "/device/launch_latency_s",
                              "/device/gemm_flops_per_s",
                              "/device/gemm_sustained_flops_per_s",
                              "/device/memory",
                              "/device/stream",
                              "/device/memory_bytes",
                              "/device/peak_flops_per_s/f64",
                              "/links/network",
                              "/links/network/source",
                              "/links/network/segments",
                              "/links/network/segments/0/latency_s/low",
                              "/links/network/overhead_s",
                              "/links/network/overhead_s/low",
                              "/links/network/largest_residual",
                              "/links/network/largest_residual_paper",
                              "/links/network/largest_bytes",
                              "/links/network/unaligned",
                              "/links/network/exchange",
                              "/links/network/concurrent",
                              "/links/network/gap",
                              "/links/network/exposed_exchange",
                              "/links/network/eager_limit_bytes",
                              "/links/network/segments/1/burst_bytes",
                              "/links/network/latency_s/low",
                              "/airfoil/loops/f64/update_adt",
                              "/hpl/simulation",
                              "/hpl/simulation/network/mtu_bytes",
                              "/hpl/kernels",
                              "/hpl/kernels/gemm",
                              "/hpl/kernels/gemm/by_k",
                              "/hpl/kernels/triangle",
                              "/hpl/kernels/panel",
                              "/hpl/kernels/device_panel",
                              "/hpl/kernels/device_panel/triangle",
                              "/hpl/kernels/panel_copy_bandwidth_bytes_per_s",
                              "/hpl/kernels/swap_bandwidth_bytes_per_s",
                              "/hpl/kernels/solve_bandwidth_bytes_per_s",
                              "/hpl/kernels/broadcast_bandwidth_bytes_per_s",
                              "/hpl/kernels/pivot_s",
                              "/noise",
                              "/noise/source",
                              "/noise/tail/shape/low",
                              "/power",
                              "/power/source",
                              "/power/memory_w",
                              "/power/matrix_product_w"})
    all.push_back(changed(pointer, nullptr, true));
  for (const char* pointer : {"/schema",
                              "/name",
                              "/source",
                              "/layout",
                              "/layout/ranks",
                              "/layout/ranks_per_node",
                              "/device",
                              "/device/name",
                              "/device/kind",
                              "/device/peak_flops_per_s",
                              "/device/memory_bandwidth_bytes_per_s",
                              "/links",
                              "/links/network/latency_s",
                              "/links/network/bandwidth_bytes_per_s",
                              "/links/network/latency_s/value",
                              "/links/network/segments/0/latency_s",
                              "/links/network/concurrent/0/pairs",
                              "/device/memory/0/rereads",
                              "/device/memory/0/points/0/working_set_bytes",
                              "/device/stream/0/kernel",
                              "/allreduce/0/time_s",
                              "/collective_times/alltoall/0/bytes",
                              "/airfoil/loops",
                              "/airfoil/loops/f64/bres_calc",
                              "/airfoil/loops/f64/res_calc/0/elements",
                              "/hpl/simulation/host_efficiency",
                              "/hpl/simulation/network/kind",
                              "/hpl/kernels/panel_on",
                              "/hpl/kernels/gemm/half_m",
                              "/hpl/kernels/gemm/by_k/0/half_m",
                              "/hpl/kernels/triangle/0/width",
                              "/hpl/kernels/panel/0/heights",
                              "/hpl/kernels/panel/0/inverse_s",
                              "/hpl/kernels/device_panel/column_s",
                              "/amg/kernels/threads",
                              "/amg/kernels/restrict",
                              "/amg/kernels/spmv/0/entries_per_row",
                              "/amg/kernels/spmv/0/times",
                              "/amg/kernels/gauss_seidel/1/times/0/cold_s",
                              "/noise/detours",
                              "/noise/detours_per_s",
                              "/noise/shared_fraction",
                              "/noise/lengths/0/seconds",
                              "/noise/tail/scale_s"})
    all.push_back(changed(pointer, nullptr));
  for (const char* pointer : {"/extra",
                              "/layout/extra",
                              "/device/extra",
                              "/links/wire",
                              "/links/network/extra",
                              "/links/network/latency_s/unit",
                              "/links/network/unaligned/pairs",
                              "/links/network/segments/0/extra",
                              "/links/network/concurrent/0/extra",
                              "/links/network/gap/neighbours",
                              "/device/memory/0/extra",
                              "/device/memory/0/points/0/extra",
                              "/device/stream/0/extra",
                              "/device/peak_flops_per_s/f16",
                              "/allreduce/0/extra",
                              "/collective_times/alltoallv",
                              "/airfoil/extra",
                              "/airfoil/loops/f16",
                              "/airfoil/loops/f64/extra",
                              "/airfoil/loops/f64/update_adt/0/extra",
                              "/airfoil/loops/f64/res_calc/0/extra",
                              "/noise/extra",
                              "/noise/tail/extra",
                              "/noise/lengths/0/extra",
                              "/power/extra"})
    all.push_back(changed(pointer, 1));
  for (const char* pointer : {"/device/memory_bandwidth_bytes_per_s", "/links/network/latency_s"})
    all.push_back(changed(pointer, 0.5, true));  // a plain number
  const std::vector<std::pair<const char*, json>> replaced = {
      {"/schema", "bellwether.machine/2"},
      {"/name", 3},
      {"/layout/ranks", 0},
      {"/layout/ranks", 1.5},
      {"/layout/ranks", "4"},
      {"/layout/ranks", 1e12},
      {"/layout/cores_per_node", -1},
      {"/device/kind", "fpga"},
      {"/device/peak_flops_per_s", json::object()},
      {"/device/peak_flops_per_s/f32/value", 0},
      {"/device/memory_bandwidth_bytes_per_s", -1e9},
      {"/device/memory_bandwidth_bytes_per_s/value", -1e9},
      {"/device/memory_bandwidth_bytes_per_s/value", "1e9"},
      {"/device/memory_bandwidth_bytes_per_s/low", 0},
      {"/device/launch_latency_s/low", -1e-9},
      {"/device/memory", json::object()},
      {"/device/memory/0/points", json::array()},
      {"/device/memory/0/stores", "auto"},
      {"/device/memory/0/precision", "f16"},
      {"/device/memory/0/ranks", 0},
      {"/device/memory/0/rereads", -1},
      {"/device/stream/0/kernel", "dot"},
      {"/device/memory_bytes", -1},
      {"/links", json::array()},
      {"/links/network", "fast"},
      {"/links/network/largest_bytes", -1},
      {"/links/network/segments/0/bandwidth_bytes_per_s", 0},
      {"/links/network/segments/0/bandwidth_bytes_per_s/value", 0},
      {"/links/network/segments/0/latency_s/low", -1e-9},
      {"/links/network/segments/0/from_bytes", -8},
      {"/links/network/overhead_s", -4e-7},
      {"/links/network/overhead_s/low", -1e-9},
      {"/links/network/largest_residual", -0.1},
      {"/links/network/largest_residual_paper", "0.1"},
      {"/links/network/segments/1/burst_bytes/low", -1},
      {"/links/network/exposed_exchange/0/share/high", -1},
      {"/links/network/eager_limit_bytes/low", -1},
      {"/links/network/concurrent/0/pairs", 0},
      {"/airfoil/loops", json::object()},
      {"/airfoil/loops/f64/update", json::array()},
      {"/airfoil/loops/f64/update/0/elements", 0},
      {"/airfoil/loops/f64/update/0/seconds_per_element/value", -1},
      {"/airfoil/ranks_per_nic", 0},
      {"/airfoil/res_calc_colours/low", 0.5},
      {"/warnings/0", 1},
      {"/warnings", "none"},
      {"/provenance/host", 1},
      {"/allreduce", 3},
      {"/collective_times/alltoall/0/bytes", 0},
      {"/hpl/extra", 1},
      {"/hpl/simulation/host_efficiency/high", 1.5},
      {"/hpl/simulation/blas_efficiency/low", 0},
      {"/hpl/simulation/matrix_memory", "disk"},
      {"/hpl/simulation/network/kind", "infiniband"},
      {"/hpl/simulation/network/mtu_bytes", 58},
      {"/hpl/simulation/network", {{"kind", "infiniband"}, {"generation", "XDR"}, {"links", 4}}},
      {"/hpl/kernels/panel_on", "both"},
      {"/hpl/kernels/gemm/half_k/low", -1},
      {"/hpl/kernels/gemm/by_k", json::array()},
      {"/hpl/kernels/gemm/by_k/0/flops_per_s/value", 0},
      {"/hpl/kernels/triangle/0/half_m", "1"},
      {"/hpl/kernels/panel/0/heights", json::array()},
      {"/hpl/kernels/panel/0/heights/0/rows", 0},
      {"/hpl/kernels/device_panel/flops_per_s/value", 0},
      {"/hpl/kernels/swap_bandwidth_bytes_per_s/value", 0},
      {"/topology/dragonfly", {9, 8}},
      {"/topology/dragonfly", {9, 8, 4, 2}},
      {"/noise/lengths", json::array()},
      {"/noise/lengths/0/seconds", 0},
      {"/noise/detours", -1},
      {"/noise/detours_per_s/value", -1},
      {"/noise/tail/shape/high", 0.6},
      {"/noise/shared_fraction/high", 1.5},
      {"/power/memory_w/value", 0}};
  for (const auto& [pointer, value] : replaced) all.push_back(changed(pointer, value));
  for (const char* pointer : {"/amg/flop_time_s", "/amg/threads", "/amg/threads/0/fork_join_s",
                              "/amg/core_sharing/0/penalty", "/amg/ranks_per_node"})
    all.push_back(changed(pointer, nullptr));
  all.push_back(changed("/amg", nullptr, true));
  all.push_back(changed("/amg/flop_time_s", json::array()));
  all.push_back(changed("/amg/flop_time_s/0/value", 0));
  all.push_back(changed("/amg/extra", 1));
  all.push_back(changed("/amg/kernels", nullptr, true));
  all.push_back(changed("/amg/kernels/extra", 1));
  all.push_back(changed("/amg/kernels/threads", 0));
  all.push_back(changed("/amg/kernels/spmv", json::array()));
  all.push_back(changed("/amg/kernels/spmv/0/times", json::array()));
  all.push_back(changed("/amg/kernels/spmv/0/times/0/rows", 0));
  all.push_back(changed("/amg/kernels/spmv/0/times/0/again_s", nullptr, true));
  all.push_back(changed("/amg/kernels/spmv/0/times/0/again_s/value", 0));
  json alone = to_json(full_machine());
  for (const char* key : {"flop_time_s", "threads", "core_sharing", "ranks_per_node"})
    alone["amg"].erase(key);
  all.push_back({"amg.kernels alone", alone, true});
  all.push_back(changed("/layout/ranks", 4.0, true));
  all.push_back(changed("/links/network/latency_s/source", "Table 1", true));
  return all;
}

/// What the schema cannot say and the reader refuses alone.
std::vector<Case> order_cases() {
  return {changed("/links/network/latency_s/low", 1),
          changed("/links/network/latency_s/high", 0),
          changed("/links/network/overhead_s/high", 0),
          changed("/links/network/segments/1/from_bytes", 8),
          changed("/links/network/segments/1/latency_s/high", 0),
          changed("/links/network/segments/1/burst_bytes/high", 65537),
          changed("/hpl/kernels/gemm/by_k/1/k", 64),
          changed("/hpl/kernels/triangle/1/width", 32),
          changed("/hpl/kernels/panel/1/width", 64),
          changed("/hpl/kernels/panel/0/heights/1/rows", 64),
          changed("/device/memory/0/points/1/working_set_bytes", 1e3),
          changed("/airfoil/loops/f64/res_calc/1/elements", 1e3),
          changed("/allreduce/1/ranks", 2),
          changed("/collective_times/alltoall/1/bytes", 8),
          changed("/amg/threads/0/threads", 2),
          changed("/amg/threads/1/threads", 1),
          changed("/amg/core_sharing/1/threads_per_core", 3),
          changed("/amg/kernels/gauss_seidel/1/entries_per_row", 7),
          changed("/amg/kernels/gauss_seidel/0/times/1/rows", 100),
          changed("/amg/ranks_per_node/1", 1),
          changed("/noise/lengths", nullptr),
          changed("/noise/tail", nullptr),
          changed("/noise/lengths/2/fraction", 1),
          changed("/noise/lengths/0/fraction", 0.1),
          changed("/noise/lengths/1/fraction", 0),
          changed("/noise/lengths/1/seconds", 1e-6)};
}

bool accepted(const json& document) {
  try {
    parse_machine(document, "case");
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

/// The lines "valid" or "invalid" of validate_schema.py.
std::vector<std::string> schema_verdicts(const std::vector<Case>& all,
                                         const std::filesystem::path& directory) {
  std::string command = BELLWETHER_TEST_PYTHON " " BELLWETHER_SCHEMA_DIRECTORY
                                               "/validate_schema.py " BELLWETHER_SCHEMA_DIRECTORY
                                               "/machine.schema.json";
  for (std::size_t index = 0; index < all.size(); ++index) {
    const std::filesystem::path file = directory / (std::to_string(index) + ".json");
    std::ofstream(file) << all[index].document;
    command.append(" ").append(file.string());
  }
  std::vector<std::string> lines;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return lines;
  char line[64];
  while (std::fgets(line, sizeof line, pipe) != nullptr)
    lines.push_back(std::string(line).substr(0, std::string(line).find('\n')));
  EXPECT_EQ(pclose(pipe), 0) << "the schema itself is unusable";
  return lines;
}

TEST(MachineSchema, ReaderJudgesAsExpected) {
  for (const Case& one : cases()) EXPECT_EQ(accepted(one.document), one.valid) << one.what;
  for (const Case& one : order_cases()) EXPECT_FALSE(accepted(one.document)) << one.what;
}

TEST(MachineSchema, FileHoldsWhatTheDescriptionYields) {
  std::ifstream file(BELLWETHER_SCHEMA_DIRECTORY "/machine.schema.json");
  const std::string yields = machine_json_schema().dump(1) + "\n";
  const std::string fresh = testing::TempDir() + "machine.schema.json";
  const std::string held{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (held != yields) std::ofstream(fresh) << yields;
  EXPECT_EQ(held, yields) << "what the file should hold is in " << fresh;
}

TEST(MachineSchema, SchemaJudgesAsTheReaderDoes) {
  if (std::string(BELLWETHER_TEST_PYTHON).empty())
    GTEST_SKIP() << "no python3 with the jsonschema module was found when the tests were built";
  const auto directory = std::filesystem::path(testing::TempDir()) / "bellwether_machine_schema";
  std::filesystem::create_directories(directory);
  const std::vector<Case> all = cases();
  const std::vector<std::string> verdicts = schema_verdicts(all, directory);
  std::filesystem::remove_all(directory);
  ASSERT_EQ(verdicts.size(), all.size());
  for (std::size_t index = 0; index < all.size(); ++index)
    EXPECT_EQ(verdicts[index], all[index].valid ? "valid" : "invalid") << all[index].what;
}

}  // namespace
}  // namespace bellwether
