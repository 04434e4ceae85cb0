// SPDX-License-Identifier: MIT
#include "results/record.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "models/errors.hpp"
#include "results/acceptance/finding.hpp"
#include "results/changes/change.hpp"
#include "results/example_record_test.hpp"
#include "results/fleet/plan.hpp"
#include "results/run_interval.hpp"
#include "results/schema_file_test.hpp"

namespace bellwether {
namespace {

using nlohmann::json;
using Keys = std::set<std::string>;

Keys keys(const json& object) {
  Keys names;
  for (const auto& item : object.items()) names.insert(item.key());
  return names;
}

json written_and_read(const Record& record) { return json::parse(to_json(record).dump()); }

TEST(RecordJson, HasExactlyTheAgreedKeys) {
  const json object = written_and_read(example_record());
  EXPECT_EQ(keys(object), (Keys{"schema", "app", "ranks", "problem", "variant", "measured",
                                "predicted", "probe", "error", "rate", "oversubscribed",
                                "verification", "verdict", "result", "machine", "provenance"}));
  const Keys six = {"median", "low", "high", "min", "max", "count"};
  EXPECT_EQ(keys(object["measured"]), (Keys{"total_s", "terms", "hidden_fraction"}));
  EXPECT_EQ(keys(object["measured"]["total_s"]), six);
  EXPECT_EQ(keys(object["measured"]["terms"]),
            (Keys{"compute.boundary", "pack", "compute.interior", "network", "unpack"}));
  for (const json& term : object["measured"]["terms"]) EXPECT_EQ(keys(term), six);
  EXPECT_EQ(keys(object["predicted"]), (Keys{"paper", "refined"}));
  for (const json& form : object["predicted"]) {
    EXPECT_EQ(keys(form), (Keys{"total_s", "low_s", "high_s", "terms", "intervals",
                                "hidden_fraction", "imbalance_s", "outside_range"}));
    EXPECT_EQ(keys(form["terms"]), keys(form["intervals"]));
  }
  EXPECT_EQ(keys(object["probe"]), (Keys{"of", "unit", "rate", "calibrated_rate", "samples"}));
  EXPECT_EQ(keys(object["probe"]["rate"]), six);
  EXPECT_EQ(keys(object["error"]), (Keys{"paper", "refined", "refined_at_probe", "terms"}));
  EXPECT_EQ(keys(object["error"]["terms"]), keys(object["measured"]["terms"]));
  EXPECT_EQ(keys(object["verdict"]),
            (Keys{"answer", "for_machine", "because", "to_do", "explanation"}));
  EXPECT_EQ(keys(object["rate"]),
            (Keys{"value", "unit", "limit", "fraction_of_limit", "fraction_of_limit_at_probe",
                  "flops_per_s", "bytes_per_s"}));
  EXPECT_EQ(keys(object["verification"]), (Keys{"passed", "what", "value", "tolerance"}));
}

TEST(RecordJson, SetupAndRanksStandWhereThereAreSome) {
  Record record = example_record();
  record.setup = {{"coarsening", 0.5}, {"other", 0.25}};
  record.per_rank = {{"node1", "0-3", "kokkos/Serial", {{"pack", 1e-3}, {"total", 2e-3}}},
                     {"node2", "", "cuda: a GPU", {{"total", 3e-3}}, {{"ecc", true}}}};
  record.oversubscribed = true;
  const json object = written_and_read(record);
  EXPECT_EQ(object["setup"], json::parse(R"({"terms": {"coarsening": 0.5, "other": 0.25}})"));
  EXPECT_EQ(object["per_rank"], json::parse(R"([
    {"host": "node1", "cores": "0-3", "device": "kokkos/Serial",
     "terms": {"pack": 0.001, "total": 0.002}},
    {"host": "node2", "cores": "", "device": "cuda: a GPU", "terms": {"total": 0.003},
     "gpu": {"ecc": true}}])"));
  EXPECT_EQ(object["oversubscribed"], true);
  EXPECT_FALSE(object.contains("ranks_per_device"));
  record.throttled = {1, 1.5, 73, 10, 0.19};
  EXPECT_EQ(written_and_read(record)["throttled"], json::parse(R"({"rank": 1, "cpus": 1.5,
    "periods": 73, "throttled_periods": 10, "seconds": 0.19})"));
  record.ranks_per_device = 1;
  EXPECT_EQ(written_and_read(record)["ranks_per_device"], 1);
  EXPECT_NEAR(object["rate"]["fraction_of_limit_at_probe"].get<double>(), 0.93 / 0.9, 1e-12);
  record.rate.limit.clear();
  EXPECT_TRUE(written_and_read(record)["rate"]["limit"].is_null());
}

TEST(RecordJson, ACaseThatDidNotRunSaysWhy) {
  Record record;
  record.app = "hpl";
  record.ranks = 2;
  record.problem = {{"size", 2000000}};
  record.not_run = "not enough memory";
  const json object = written_and_read(record);
  EXPECT_EQ(object["not_run"], "not enough memory");
  EXPECT_FALSE(object.contains("measured"));
  EXPECT_EQ(object["verdict"]["answer"], "not predicted");
  EXPECT_EQ(object["verification"]["passed"], false);
  const Record read = parse_record(object, "a test");
  EXPECT_EQ(read.not_run, record.not_run);
  EXPECT_FALSE(is_whole(read));
}

TEST(RecordJson, ValuesStandUnderTheirKeys) {
  const json object = written_and_read(example_record());
  EXPECT_EQ(object["schema"], "bellwether.record/1");
  EXPECT_EQ(object["app"], "diffusion");
  EXPECT_EQ(object["ranks"], 2);
  EXPECT_EQ(object["problem"], json::parse(R"({"cells": [64, 64, 64], "precision": "f32"})"));
  EXPECT_EQ(object["variant"]["overlap"], "on");
  const json& network = object["measured"]["terms"]["network"];
  EXPECT_EQ(network["median"], 0.9e-3);
  EXPECT_EQ(network["low"], 0.7e-3);
  EXPECT_EQ(network["high"], 1.3e-3);
  EXPECT_EQ(network["min"], 0.35e-3);
  EXPECT_EQ(network["max"], 2.6e-3);
  EXPECT_TRUE(network["count"].is_number_integer());
  EXPECT_EQ(network["count"], 31);
  EXPECT_EQ(object["measured"]["hidden_fraction"], 0.88);
  const json& refined = object["predicted"]["refined"];
  EXPECT_EQ(refined["total_s"], 9.4e-3);
  EXPECT_EQ(refined["low_s"], 9.1e-3);
  EXPECT_EQ(refined["high_s"], 9.7e-3);
  EXPECT_EQ(refined["terms"]["compute.interior"], 7.6e-3);
  ASSERT_EQ(refined["intervals"]["network"].size(), 2U);
  EXPECT_NEAR(refined["intervals"]["network"][0], 0.27e-3, 1e-12);
  EXPECT_NEAR(refined["intervals"]["network"][1], 0.33e-3, 1e-12);
  EXPECT_EQ(refined["hidden_fraction"], 0.9);
  EXPECT_EQ(refined["outside_range"].size(), 2U);
  EXPECT_EQ(object["probe"]["rate"]["median"], 27e9);
  EXPECT_EQ(object["probe"]["calibrated_rate"], 30e9);
  EXPECT_EQ(object["rate"]["value"], 1.98e9);
  EXPECT_EQ(object["rate"]["unit"], "cells/s");
  EXPECT_EQ(object["rate"]["limit"], "memory bandwidth");
  EXPECT_EQ(object["rate"]["fraction_of_limit"], 0.93);
  EXPECT_FALSE(object["rate"].contains("fraction_of_sustained_limit"));
  Record counted = example_record();
  counted.rate.terms = {{"pack", 950e6, 0.5}, {"unpack", 1e9, 0}};
  EXPECT_EQ(written_and_read(counted)["rate"]["terms"],
            json::parse(R"({"pack": {"bytes_per_s": 9.5e8, "fraction_of_limit": 0.5},
                            "unpack": {"bytes_per_s": 1e9, "fraction_of_limit": null}})"));
  EXPECT_EQ(object["verification"], json::parse(R"({"passed": true, "what": "mode decay",
                                                    "value": 3.1e-7, "tolerance": 8.0e-7})"));
  EXPECT_EQ(object["result"]["steps"], 620);
  EXPECT_EQ(object["machine"], "machine.json");
  EXPECT_EQ(object["provenance"]["host"], "node1");
}

TEST(RecordJson, ErrorsAreSignedAndOfTheTotal) {
  const json error = written_and_read(example_record())["error"];
  EXPECT_NEAR(error["paper"], (7.8 - 10.3) / 10.3, 1e-12);
  EXPECT_NEAR(error["refined"], (9.4 - 10.3) / 10.3, 1e-12);
  // 8.7 of the 9.4 ms are compute; at 27 of 30 GB/s they take 8.7 / 0.9.
  EXPECT_NEAR(error["refined_at_probe"], (8.7 / 0.9 + 0.7 - 10.3) / 10.3, 1e-12);
  Record slow = example_record();
  slow.predicted[1].total_s = 20.6e-3;
  EXPECT_NEAR(written_and_read(slow)["error"]["refined"], 1.0, 1e-12);
}

TEST(RecordJson, WhatKeepsTheCoreBusyDoesNotFollowTheMemory) {
  Record record = example_record();
  const auto at_probe = [&record](double rate, const ComputeTime& compute) {
    record.probe->rate.median = rate;
    record.predicted[1].compute = compute;
    return 10.3e-3 * (1 + written_and_read(record)["error"]["refined_at_probe"].get<double>());
  };
  // Calibrated at 30 GB/s. Of 8.7 ms 6 follow it; or the core takes 8.7 whichever memory it has.
  EXPECT_NEAR(at_probe(15e9, {6e-3, 2.7e-3, 0}), 9.4e-3 + 6e-3, 1e-12);
  EXPECT_NEAR(at_probe(60e9, {6e-3, 0, 8.7e-3}), 9.4e-3, 1e-12);
  EXPECT_NEAR(at_probe(15e9, {6e-3, 0, 8.7e-3}), 9.4e-3 + 12e-3 - 8.7e-3, 1e-12);
}

TEST(RecordJson, WhatKeepsTheCoreBusyFollowsACoreThatWasProbed) {
  Record record = example_record();
  record.probe->rate.median = record.probe->calibrated_rate;
  record.probe->core_rate = summarize({2e9, 2e9, 2e9});
  record.probe->calibrated_core_rate = 4e9;
  const auto at_probe = [&record](const ComputeTime& compute) {
    record.predicted[1].compute = compute;
    return 10.3e-3 * (1 + written_and_read(record)["error"]["refined_at_probe"].get<double>());
  };
  EXPECT_NEAR(at_probe({6e-3, 2.7e-3, 0}), 9.4e-3 + 2.7e-3, 1e-12);
  EXPECT_NEAR(at_probe({8.7e-3, 0, 6e-3}), 9.4e-3 + 12e-3 - 8.7e-3, 1e-12);
  record.probe->samples = {{1e-3, 30e9, 4e9}, {1e-3, 30e9, 2e9}, {1e-3, 30e9, 1e9}};
  record.predicted[1].compute = ComputeTime{6e-3, 2.7e-3, 0};
  const json object = written_and_read(record);
  EXPECT_NEAR(object["error"]["refined_at_probe"], (9.4 + 2.7) / 1 - 1, 1e-9);
  EXPECT_EQ(object["probe"]["core_rate"]["median"], 2e9);
  EXPECT_EQ(object["probe"]["calibrated_core_rate"], 4e9);
  EXPECT_EQ(object["probe"]["samples"]["core_rate"], json::parse("[4e9, 2e9, 1e9]"));
}

TEST(RecordJson, ErrorsAtTheProbeAreOfEachSampleAtItsOwnSpeed) {
  // 8.7 of the 9.4 ms are compute; of three samples two ran while memory was half as fast.
  Record record = example_record();
  record.probe->samples = {{9.4e-3, 30e9}, {2 * 8.7e-3 + 0.7e-3, 15e9}, {17e-3, 15e9}};
  record.probe->rate.median = 30e9;
  const json object = written_and_read(record);
  EXPECT_NEAR(object["error"]["refined_at_probe"], 0, 1e-12);
  EXPECT_EQ(object["probe"]["samples"]["total_s"][2], 17e-3);
  EXPECT_EQ(object["probe"]["samples"]["rate"], json::parse("[30e9, 15e9, 15e9]"));
}

TEST(RecordJson, WithoutAMachine) {
  Record record = example_record();
  record.predicted.clear();
  record.machine.clear();
  record.probe->calibrated_rate = 0;
  record.rate.fraction_of_limit = 0;
  record.measured.hidden_fraction.reset();
  const json object = written_and_read(record);
  EXPECT_EQ(object["predicted"], json::object());
  EXPECT_EQ(object["error"], json::object());
  EXPECT_TRUE(object["machine"].is_null());
  EXPECT_TRUE(object["probe"]["calibrated_rate"].is_null());
  EXPECT_TRUE(object["rate"]["fraction_of_limit"].is_null());
  EXPECT_EQ(keys(object["measured"]), (Keys{"total_s", "terms"}));
  record.probe.reset();
  EXPECT_FALSE(written_and_read(record).contains("probe"));
}

TEST(RecordJson, AWrongResultHasNoRateAndLosesNothingElse) {
  Record record = example_record();
  json without_rate = written_and_read(record);
  without_rate.erase("rate");
  without_rate["verification"]["passed"] = false;
  without_rate["verification"]["value"] = nullptr;
  without_rate["verdict"]["answer"] = "wrong result";
  record.verification.passed = false;
  record.verification.value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(written_and_read(record), without_rate);
}

TEST(RecordJson, NonFiniteNumbersAreNull) {
  Record record = example_record();
  const double infinity = std::numeric_limits<double>::infinity();
  record.predicted[1].total_s = infinity;
  record.predicted[1].terms[0].high = infinity;
  record.result = {{"nested", {{"residuals", {1.0, infinity, -infinity}}}}};
  record.measured.total_s.max = std::numeric_limits<double>::quiet_NaN();
  const json object = to_json(record);
  EXPECT_TRUE(object["predicted"]["refined"]["total_s"].is_null());
  EXPECT_TRUE(object["predicted"]["refined"]["intervals"]["compute.boundary"][1].is_null());
  EXPECT_TRUE(object["error"]["refined"].is_null());
  EXPECT_TRUE(object["measured"]["total_s"]["max"].is_null());
  EXPECT_EQ(object["result"]["nested"]["residuals"], json::parse("[1.0, null, null]"));
}

/// With all that may be absent.
Record full_record() {
  Record record = example_record();
  record.measured.imbalance_s = 1e-4;
  record.predicted[1].terms.push_back({"wait", 1e-4, 0, 2e-4});
  record.predicted[1].outside_machine = {"2 devices, of which it has 1"};
  record.interval = RunInterval{.run = {9.4e-3, 8e-3, 12e-3},
                                .at_probe = RunInterval::Ends{10e-3, 9e-3, 11e-3},
                                .terms = record.predicted[1].terms,
                                .calibration = {0.9, 1.1},
                                .drift = {0.8, 1.3},
                                .model = {0.95, 1.05},
                                .machine_s = {9.1e-3, 9.7e-3},
                                .model_runs = 64,
                                .slowest_probe_of = "memory",
                                .slowest_probe = 1.4};
  record.setup = {{"coarsening", 0.5}};
  record.probe->core_rate = record.probe->rate;
  record.probe->calibrated_core_rate = 4e9;
  record.probe->samples = {{1e-3, 30e9, 4e9}, {2e-3, 20e9, 3e9}};
  record.rate.above_limit = "caches hold it";
  record.rate.fraction_of_sustained = 0.5;
  record.rate.terms = {{"pack", 950e6, 1.2, "caches"}, {"unpack", 1e9, 0}};
  record.per_rank = {{"node1", "0-3", "cuda: a GPU", {{"total", 2e-3}}, {{"ecc", true}}}};
  record.throttled = {1, 1.5, 73, 10, 0.19};
  record.ranks_per_device = 2;
  record.energy = {12.5, {{"packages", 85}, {"gpus", 410.5}}, 3.45e8};
  return record;
}

TEST(RecordJson, EnergyStandsWhereItWasCounted) {
  EXPECT_EQ(written_and_read(full_record())["energy"], json::parse(R"({"joules_per_step": 12.5,
    "watts": {"packages": 85.0, "gpus": 410.5}, "units_per_joule": 3.45e8})"));
  EXPECT_FALSE(written_and_read(example_record()).contains("energy"));
}

TEST(RecordJson, WhatIsReadIsWhatWasWritten) {
  Record wrong = full_record();
  wrong.verification = {false, "mode decay", std::numeric_limits<double>::infinity(), 1};
  wrong.rate = {};
  Record least;
  least.ranks = 1;
  for (const Record& record : {full_record(), example_record(), wrong, least}) {
    const json written = written_and_read(record);
    EXPECT_EQ(written_and_read(parse_record(written, "r.jsonl")), written);
  }
}

TEST(RecordJson, WhatWasJudgedThenStaysAndTheRestFollows) {
  const json whole = written_and_read(full_record());
  json then = whole;
  then["verdict"]["answer"] = "faster";
  then["verdict"]["because"] = "it was judged so";
  then["error"]["refined_at_probe"] = 0.125;
  EXPECT_EQ(written_and_read(parse_record(then, "r.jsonl")), then);
  json earlier = whole;
  for (const char* pointer : {"/verdict", "/error/terms", "/measured/within", "/rate/terms"})
    earlier.at(json::json_pointer(pointer).parent_pointer())
        .erase(json::json_pointer(pointer).back());
  json expected = whole;
  expected["rate"].erase("terms");
  EXPECT_EQ(written_and_read(parse_record(earlier, "r.jsonl")), expected);
  json later = whole;
  later["owner"] = "another tool";
  later["probe"]["rate"]["mean"] = 1;
  EXPECT_EQ(written_and_read(parse_record(later, "r.jsonl")), whole);
}

TEST(RecordJson, RecordsOfEarlierVersionsLoseNothingButWhatIsRetired) {
  std::ifstream file(BELLWETHER_RESULTS "/validation/corpus/h200/records.jsonl");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const json document = json::parse(line).flatten();
    const json written = written_and_read(parse_record(json::parse(line), "records")).flatten();
    for (const auto& [place, value] : document.items()) {
      if (place.starts_with("/probe/plain_rate")) continue;
      EXPECT_EQ(written.value(place, json("missing")), value) << place;
    }
  }
  EXPECT_GT(count, 0);
}

TEST(RecordJson, WrongTypesAndRangesAreRefusedByTheirKey) {
  const auto refusal = [](const char* pointer, const json& value) {
    json document = written_and_read(full_record());
    document.at(json::json_pointer(pointer)) = value;
    try {
      (void)parse_record(document, "r.jsonl, line 3");
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("/measured/total_s/median", "1"),
            "r.jsonl, line 3: key /measured/total_s/median: found string \"1\", expected a number, "
            "or null");
  for (const auto& [pointer, value] :
       std::vector<std::pair<const char*, json>>{{"/schema", "bellwether.record/2"},
                                                 {"/app", 3},
                                                 {"/ranks", 0},
                                                 {"/measured", json::array()},
                                                 {"/measured/terms/network", 1},
                                                 {"/measured/total_s/count", -1},
                                                 {"/predicted/refined", "?"},
                                                 {"/predicted/refined/intervals/network", {1}},
                                                 {"/predicted/refined/outside_range", "64 ranks"},
                                                 {"/error", "none"},
                                                 {"/verdict/answer", "perhaps"},
                                                 {"/oversubscribed", 1},
                                                 {"/rate/fraction_of_limit", -1},
                                                 {"/energy/joules_per_step", "1"},
                                                 {"/energy/watts", {85}},
                                                 {"/per_rank/0/terms/total", "1"},
                                                 {"/probe/samples/rate", 1},
                                                 {"/throttled/periods", 0.5},
                                                 {"/verification/passed", "yes"},
                                                 {"/machine", 1}})
    EXPECT_NE(refusal(pointer, value).find(std::string("key ") + pointer), std::string::npos)
        << pointer << ": " << refusal(pointer, value);
}

TEST(Schemas, FilesHoldWhatTheDescriptionsYield) {
  expect_published("record.schema.json", record_json_schema());
  expect_published("acceptance/verdict.schema.json", verdict_json_schema());
  expect_published("changes/comparison.schema.json", comparison_json_schema());
  expect_published("fleet/fleet.schema.json", fleet_json_schema());
}

TEST(MeasuredImbalance, IsTheMostThatARankComputesLessTheMean) {
  EXPECT_EQ(measured_imbalance({}), 0);
  RankResult first, second;
  first.terms = {{"compute.boundary", 1}, {"compute.interior", 5}, {"network", 3}, {"total", 9}};
  second.terms = {{"compute.boundary", 1}, {"compute.interior", 1}, {"network", 7}, {"total", 9}};
  EXPECT_DOUBLE_EQ(measured_imbalance({first, second}), 2);
  EXPECT_DOUBLE_EQ(measured_imbalance({second, second}), 0);
}

}  // namespace
}  // namespace bellwether
