// SPDX-License-Identifier: MIT
#include "models/machine/machine_json.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/cholesky/start_up_parameters.hpp"
#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/strict_json.hpp"
#include "models/machine/test_full_machine.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A directory of this test's own, gone afterwards.
class MachineFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::path(testing::TempDir()) / (std::string("bellwether_") + test->name());
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  [[nodiscard]] std::string path(const std::string& name) const { return directory_ / name; }
  [[nodiscard]] std::string write(const std::string& text) const {
    std::ofstream(path("machine.json")) << text;
    return path("machine.json");
  }

 private:
  fs::path directory_;
};

/// The message of the BadInput that reading throws; empty if it throws none.
template <class Function>
std::string refusal(Function read) {
  try {
    read();
  } catch (const BadInput& error) {
    return error.what();
  }
  return {};
}

void expect_mentions(const std::string& message, const std::vector<std::string>& parts) {
  EXPECT_FALSE(message.empty()) << "was not refused";
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << "\"" << part << "\" in: " << message;
}

TEST(MachineJson, ReadsBackWhatItWrites) {
  const json document = to_json(full_machine());
  EXPECT_EQ(to_json(parse_machine(document, "full")), document);
}

TEST(MachineJson, IgnoresWhatEarlierVersionsWrote) {
  json document = to_json(full_machine());
  json& core = document["stencils"]["kernels"][0];
  core["exposed_shifted"] = core["exposed_cached"] = core["exposed"];
  core["end_cell_s"] = core["cell_s"];
  core["exposed"][0]["less_if_slower"] = 0.1;
  core["exposed"][0]["memory_cell_s"] = 1e-9;
  EXPECT_EQ(to_json(parse_machine(document, "old")), to_json(full_machine()));
}

TEST(MachineJson, ReadsEveryMember) {
  const Machine machine = parse_machine(to_json(full_machine()), "full");
  EXPECT_EQ(machine.date, "2020-01-02T03:04:05Z");
  EXPECT_EQ(machine.layout.ranks_per_node, 4);
  EXPECT_EQ(machine.device.backend, "kokkos/Serial");
  EXPECT_EQ(machine.device.memory.size(), 24u);
  EXPECT_EQ(machine.device.memory[1].stores, "streaming");
  EXPECT_EQ(machine.device.memory[1].arrays, 1);
  EXPECT_EQ(machine.device.memory[3].arrays, 19);
  EXPECT_DOUBLE_EQ(machine.device.launch_latency_s->high, 1.1e-6);
  EXPECT_EQ(machine.device.stream[1].kernel, "triad");
  const Link& network = machine.links.at("network");
  EXPECT_DOUBLE_EQ(network.one_way.latency_s.value, 2e-6);
  EXPECT_DOUBLE_EQ(network.unaligned->latency_s.value, 4e-6);
  EXPECT_EQ(network.exchange->segments[1].from_bytes, 65536);
  EXPECT_DOUBLE_EQ(network.one_way.segments[1].latency_s.high, 22e-6);
  EXPECT_DOUBLE_EQ(network.one_way.segments[0].bandwidth_bytes_per_s.low, 0.9e9);
  EXPECT_DOUBLE_EQ(network.one_way.overhead_s->high, 4.4e-7);
  EXPECT_FALSE(network.exchange->overhead_s);
  EXPECT_DOUBLE_EQ(network.gap->latency_s.value, 8e-7);
  EXPECT_EQ(network.one_way.largest_residual, 0.03);
  EXPECT_EQ(network.one_way.largest_residual_paper, 0.4);
  EXPECT_EQ(network.concurrent[0].pairs, 2);
  EXPECT_DOUBLE_EQ(network.exposed_exchange.at(0).share.low, 0.4);
  EXPECT_EQ(network.one_way.largest_bytes, 1 << 26);
  EXPECT_EQ(machine.allreduce[1].ranks, 8);
  EXPECT_EQ(machine.provenance.at("host"), "node1");
}

TEST(MachineJson, OfEarlierVersionsTheLargestSampleAndTheHideableShareCount) {
  json document = to_json(full_machine());
  json& network = document["links"]["network"];
  network.erase("largest_bytes");
  network.erase("exposed_exchange");
  network["samples"] = {{8, 2e-6}, {1024, 3e-6}};
  network["hideable_fraction"] = {{"value", 0.25}, {"low", 0.125}, {"high", 0.5}};
  network["hideable_by_size"] = json::array();
  document["collectives"] = {{"ranks_per_node", 4}};
  for (const char* key : {"ring", "concurrent_gap"}) network[key] = json::object();
  json& kernels = document["amg"]["kernels"];
  for (const char* key : {"jacobi", "chebyshev", "coarse_solve", "thread_counts"})
    kernels[key] = json::array();
  kernels["spmv"][0]["times"][0]["wait_s"] = 1;
  document["cholesky"]["message_added_s"] = 1;
  document["device"]["gemm_half_size"] = 1;
  document["stencils"]["kernels"][0]["link_line_s"] = 1;
  const Machine machine = parse_machine(document, "earlier");
  EXPECT_EQ(machine.links.at("network").one_way.largest_bytes, 1024);
  const ExposedExchange& exposed = machine.links.at("network").exposed_exchange.at(0);
  EXPECT_EQ(exposed.share.value, 0.75);
  EXPECT_EQ(exposed.share.low, 0.5);
  EXPECT_EQ(exposed.share.high, 0.875);
  const json now = to_json(machine);
  EXPECT_EQ(to_json(parse_machine(now, "now")), now);
  const std::string text = now.dump();
  for (const char* key :
       {"samples", "hideable_fraction", "hideable_by_size", "ring", "concurrent_gap", "collectives",
        "jacobi", "chebyshev", "coarse_solve", "thread_counts", "wait_s", "message_added_s",
        "link_line_s", "gemm_half_size"})
    EXPECT_EQ(text.find(fmt::format("\"{}\"", key)), std::string::npos) << key;
}

TEST(MachineJson, IntervalDefaultsToTheValue) {
  json document = to_json(full_machine());
  document["device"]["memory_bandwidth_bytes_per_s"] = {{"value", 5e9}};
  const Quantity quantity = parse_machine(document, "x").device.memory_bandwidth_bytes_per_s;
  EXPECT_EQ(quantity.low, 5e9);
  EXPECT_EQ(quantity.high, 5e9);
}

/// Whatever is cut off, and where: its line, in no library's words.
TEST(ParseJson, SaysWhereAFileStopsToBeJson) {
  const auto said = [](const std::string& text) {
    return refusal([&] { (void)parse_json(text, "m.json"); });
  };
  const std::string whole =
      "{\n  \"name\": \"a\",\n  \"device\": {\"kind\": \"cpu\", \"peaks\": [1, 2]}\n}\n";
  ASSERT_NO_THROW((void)parse_json(whole, "m.json"));
  for (std::size_t size = 1; size + 3 < whole.size(); ++size) {
    const auto line = 1 + std::count(whole.begin(),
                                     whole.begin() + whole.find_last_not_of("\n ", size - 1), '\n');
    EXPECT_EQ(
        said(whole.substr(0, size)),
        fmt::format("m.json: found no valid JSON: it ends in line {} amid a value; was it cut "
                    "off?",
                    line))
        << size;
  }
  EXPECT_EQ(said("hello"), "m.json: found no valid JSON: line 1, column 1: \"hello\"");
  expect_mentions(said("{\"a\": 1,\n \"b\": nan}"), {"line 2, column 8", "\\\"b\\\": nan}"});
  expect_mentions(said("{\"a\": 1e999}"), {"no valid JSON", "1e999"});
  for (const char* text : {"hello", "{\"a\": 1e999}", "{\"a\": 1"})
    EXPECT_EQ(said(text).find("json.exception"), std::string::npos) << said(text);
}

TEST(MachineJson, NamesFileKeyFoundAndExpected) {
  json document = to_json(full_machine());
  document["links"]["network"]["latency_s"]["value"] = -3;
  expect_mentions(refusal([&] { parse_machine(document, "site.json"); }),
                  {"site.json", "/links/network/latency_s/value", "-3", ">= 0"});
  document = to_json(full_machine());
  document["provenance"]["a/b~c"] = 7;
  expect_mentions(refusal([&] { parse_machine(document, "site.json"); }),
                  {"/provenance/a~1b~0c", "7", "a string"});
  document = to_json(full_machine());
  document["device"].erase("kind");
  expect_mentions(refusal([&] { parse_machine(document, "site.json"); }), {"/device", "\"kind\""});
  document = to_json(full_machine());
  document["links"]["network"]["latency_us"] = 1;
  expect_mentions(refusal([&] { parse_machine(document, "site.json"); }),
                  {"/links/network/latency_us", "no such key", "latency_s"});
}

TEST(MachineJson, SaysOfACalibrationThatItMayBeAnotherVersions) {
  const char* const advice = "if another version of the suite calibrated it: calibrate again";
  json document = to_json(full_machine());
  document["device"].erase("kind");
  document["provenance"].erase("samples");
  EXPECT_EQ(refusal([&] { parse_machine(document, "site.json"); }).find(advice), std::string::npos);
  document["provenance"]["samples"] = "site.samples.json";
  expect_mentions(refusal([&] { parse_machine(document, "site.json"); }), {"\"kind\"", advice});
  EXPECT_EQ(refusal([&] { parse_machine(json::array(), "site.json"); }).find(advice),
            std::string::npos);
}

TEST_F(MachineFile, RefusesWhatIsNoMachine) {
  expect_mentions(refusal([&] { read_machine(path("absent.json")); }), {"absent.json", "No such"});
  expect_mentions(refusal([&] { read_machine(path("")); }), {"a directory"});
  expect_mentions(refusal([&] { read_machine(write("")); }), {"machine.json", "empty"});
  expect_mentions(refusal([&] { read_machine(write(" \n\t")); }), {"empty"});
  expect_mentions(refusal([&] { read_machine(write("{\n  \"schema\": nan\n}")); }),
                  {"machine.json", "line 2", "column"});
  expect_mentions(refusal([&] { read_machine(write("{\"a\": 1e999}")); }), {"1e999"});
  expect_mentions(refusal([&] { read_machine(write("{\"a\": 1, \"a\": 2}")); }),
                  {"\"a\"", "twice"});
  expect_mentions(refusal([&] { read_machine(write("[]")); }), {"an object"});
  expect_mentions(refusal([&] { read_machine(write("{\"schema\": \"bellwether.machine/9\"}")); }),
                  {"/schema", "bellwether.machine/9", "bellwether.machine/1"});
}

TEST_F(MachineFile, IsReplacedInOneStep) {
  const std::string file = write("old");
  write_machine(file, full_machine());
  EXPECT_EQ(to_json(read_machine(file)), to_json(full_machine()));
  const auto entries = std::distance(fs::directory_iterator(fs::path(file).parent_path()), {});
  EXPECT_EQ(entries, 1) << "a temporary file was left";
}

TEST_F(MachineFile, KeepsTheOldContentWhereTheNewCannotBeRead) {
  const std::string file = path("machine.json");
  write_machine(file, full_machine());
  Machine broken = full_machine();
  broken.device.memory_bandwidth_bytes_per_s.value = 0;
  expect_mentions(refusal([&] { write_machine(file, broken); }),
                  {"/device/memory_bandwidth_bytes_per_s"});
  EXPECT_EQ(to_json(read_machine(file)), to_json(full_machine()));
}

TEST_F(MachineFile, SaysWhyItCannotBeWritten) {
  expect_mentions(refusal([&] { write_machine(path("no/such/machine.json"), full_machine()); }),
                  {"no/such/machine.json", "cannot be written", "No such file"});
}

TEST_F(MachineFile, IsFoundByPathOrShippedName) {
  write_machine(path("mine.json"), full_machine());
  EXPECT_EQ(find_machine(path("mine.json")).name, "full");
  EXPECT_EQ(find_machine("tsubame2.0").layout.ranks_per_node, 3);
  expect_mentions(refusal([&] { find_machine("tsubame3"); }),
                  {"tsubame3", "tsubame2.0", "cray-xk6m"});
}

TEST(ShippedMachines, HoldThePapersNumbers) {
  EXPECT_EQ(shipped_machines().size(), 25u);
  const Machine tsubame = find_machine("tsubame2.0");
  EXPECT_EQ(tsubame.layout.ranks, 1408 * 3);
  EXPECT_EQ(tsubame.links.at("network").one_way.bandwidth_bytes_per_s.value, 5.80e9);
  EXPECT_EQ(tsubame.links.at("network").unaligned->latency_s.value, 6.07e-6);
  EXPECT_EQ(tsubame.links.at("device_to_host").one_way.latency_s.value, 16.9e-6);
  const Machine cray = find_machine("cray-xk6m");
  EXPECT_EQ(cray.layout.ranks, 40);
  EXPECT_EQ(cray.links.at("network").one_way.latency_s.value, 3.75e-6);
  EXPECT_EQ(cray.links.at("host_to_device").one_way.bandwidth_bytes_per_s.value, 6.34e9);
  const StartUpParameters vpp500 = *section<StartUpParameters>(find_machine("vpp500"));
  EXPECT_EQ(vpp500.update.efficiency.value, 0.605);
  EXPECT_EQ(vpp500.parallel_update.start_up_s.value, 40e-6);
  EXPECT_FALSE(vpp500.adding);
  const StartUpParameters paragon = *section<StartUpParameters>(find_machine("paragon"));
  EXPECT_EQ(paragon.scaling.efficiency.value, 0.0038);
  EXPECT_EQ(paragon.scaling.start_up_s.value, 0.0017e-6);
  EXPECT_EQ(paragon.adding->efficiency.value, 0.0684);
}

/// Every number object of a document, wherever it stands.
void collect_quantities(const json& value, std::vector<json>& found) {
  if (value.is_object() && value.contains("value")) found.push_back(value);
  if (value.is_structured())
    for (const json& child : value) collect_quantities(child, found);
}

TEST(ShippedMachines, CiteEveryNumber) {
  for (const Machine& machine : shipped_machines()) {
    std::vector<json> quantities;
    collect_quantities(to_json(machine), quantities);
    EXPECT_GE(quantities.size(), 8u);
    for (const json& quantity : quantities)
      EXPECT_TRUE(quantity.contains("source")) << machine.name << ": " << quantity;
  }
}

}  // namespace
}  // namespace bellwether
