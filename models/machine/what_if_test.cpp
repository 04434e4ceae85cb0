// SPDX-License-Identifier: MIT
#include "models/machine/what_if.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/test_full_machine.hpp"
#include "models/network/link.hpp"

namespace bellwether {
namespace {

Machine with(const std::string& change_text) {
  Machine machine = full_machine();
  change(machine, parse_what_if(change_text));
  return machine;
}

std::string refusal(const std::string& change_text) {
  try {
    with(change_text);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "nothing";
}

void expect_said(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

void expect_quantity(const Quantity& quantity, double value, double low, double high) {
  EXPECT_DOUBLE_EQ(quantity.value, value);
  EXPECT_DOUBLE_EQ(quantity.low, low);
  EXPECT_DOUBLE_EQ(quantity.high, high);
}

/// Every number of a document by its place; texts do not count.
std::map<std::string, double> numbers(const Machine& machine) {
  std::map<std::string, double> found;
  const nlohmann::json flat = to_json(machine).flatten();
  for (const auto& item : flat.items())
    if (item.value().is_number()) found[item.key()] = item.value().get<double>();
  return found;
}

/// How many numbers differ.
int differences(const Machine& one, const Machine& other) {
  const auto a = numbers(one), b = numbers(other);
  EXPECT_EQ(a.size(), b.size());
  int count = 0;
  for (const auto& [place, number] : a) count += b.at(place) != number ? 1 : 0;
  return count;
}

TEST(WhatIf, ReadsFactorsAndValues) {
  const WhatIf factor = parse_what_if("links.network.latency_s=0.5x");
  EXPECT_EQ(factor.key, "links.network.latency_s");
  EXPECT_EQ(factor.number, 0.5);
  EXPECT_TRUE(factor.is_factor);
  const WhatIf value = parse_what_if("a=1e-6");
  EXPECT_EQ(value.number, 1e-6);
  EXPECT_FALSE(value.is_factor);
  for (const char* text : {"", "a", "=2x", "a=", "a=x", "a=2y", "a=2xx", "a=-1x", "a=nan", "a=inf",
                           "a= 2", "a=1e999", "a=0x10"})
    EXPECT_THROW(parse_what_if(text), BadInput) << text;
}

TEST(WhatIf, AFactorScalesTheIntervalToo) {
  // 5e10 flop/s within 10 %.
  const Machine machine = with("device.peak_flops_per_s.f64=2x");
  expect_quantity(machine.device.peak_flops_per_s.at("f64"), 1e11, 9e10, 1.1e11);
  EXPECT_EQ(differences(machine, full_machine()), 3);  // that number and its two ends alone
}

TEST(WhatIf, AValueKeepsTheIntervalsRelativeWidth) {
  const Machine machine = with("device.launch_latency_s=3e-6");
  expect_quantity(*machine.device.launch_latency_s, 3e-6, 2.7e-6, 3.3e-6);
}

TEST(WhatIf, MemoryBandwidthTakesCurvesAndStreamAlong) {
  Machine machine = full_machine();
  const WhatIfChange done =
      change(machine, parse_what_if("device.memory_bandwidth_bytes_per_s=3x"));
  EXPECT_DOUBLE_EQ(done.before, 1e10);
  EXPECT_DOUBLE_EQ(done.after, 3e10);
  EXPECT_EQ(done.scaled_along,
            (std::vector<std::string>{"device.memory.*.points.*.bandwidth_bytes_per_s",
                                      "device.stream.*.bandwidth_bytes_per_s"}));
  expect_quantity(machine.device.memory_bandwidth_bytes_per_s, 3e10, 2.7e10, 3.3e10);
  // The first curve: one rank, no rereads, f32, 4 x 2.4e10 within the cache; all three times over.
  const BandwidthPoint& point = machine.device.memory.front().points.front();
  expect_quantity(point.bandwidth_bytes_per_s, 28.8e10, 25.92e10, 31.68e10);
  EXPECT_EQ(point.working_set_bytes, 1e4);
  expect_quantity(machine.device.stream.back().bandwidth_bytes_per_s, 3e10, 2.7e10, 3.3e10);
  EXPECT_EQ(numbers(machine).at("/links/network/latency_s/value"), 2e-6);
  EXPECT_EQ(numbers(machine).at("/device/peak_flops_per_s/f32/value"), 1e11);
}

TEST(WhatIf, AProductsRateTakesHplsAlong) {
  const auto rate = [](const Machine& machine, const char* pointer) {
    return numbers(machine).at(pointer);
  };
  const char* const whole = "/hpl/kernels/gemm/flops_per_s/value";
  const char* const at_64 = "/hpl/kernels/gemm/by_k/0/flops_per_s/value";
  Machine machine = full_machine();
  EXPECT_EQ(change(machine, parse_what_if("device.gemm_flops_per_s.f64=2x")).scaled_along,
            (std::vector<std::string>{"hpl.kernels.gemm.by_k.*.flops_per_s",
                                      "hpl.kernels.gemm.flops_per_s"}));
  EXPECT_EQ(rate(machine, whole), 8e10);
  EXPECT_EQ(rate(machine, at_64), 5.4e10);
  machine = full_machine();
  EXPECT_EQ(change(machine, parse_what_if("hpl.kernels.gemm.flops_per_s=2x")).scaled_along,
            std::vector<std::string>{"hpl.kernels.gemm.by_k.*.flops_per_s"});
  EXPECT_EQ(rate(machine, whole), 8e10);
  EXPECT_EQ(rate(machine, at_64), 5.4e10);
  EXPECT_EQ(rate(machine, "/device/gemm_flops_per_s/f64/value"), 4e10);
  machine = full_machine();
  EXPECT_TRUE(
      change(machine, parse_what_if("device.gemm_flops_per_s.f32=2x")).scaled_along.empty());
}

TEST(WhatIf, ALinksLatencyTakesItsTimingsAlong) {
  Machine machine = full_machine();
  const WhatIfChange done = change(machine, parse_what_if("links.network.latency_s=4e-6"));
  EXPECT_EQ(
      done.scaled_along,
      (std::vector<std::string>{
          "links.network.concurrent.*.latency_s", "links.network.concurrent.*.segments.*.latency_s",
          "links.network.exchange.latency_s", "links.network.exchange.segments.*.latency_s",
          "links.network.gap.latency_s", "links.network.gap.segments.*.latency_s",
          "links.network.segments.*.latency_s", "links.network.unaligned.latency_s",
          "links.network.unaligned.segments.*.latency_s", "links.network.overhead_s"}));
  const Link& link = machine.links.at("network");
  expect_quantity(link.one_way.latency_s, 4e-6, 3.6e-6, 4.4e-6);
  EXPECT_DOUBLE_EQ(link.one_way.segments[1].latency_s.value, 4e-5);
  EXPECT_DOUBLE_EQ(link.unaligned->latency_s.value, 8e-6);
  EXPECT_DOUBLE_EQ(link.exchange->segments[0].latency_s.value, 6e-6);
  EXPECT_DOUBLE_EQ(link.concurrent[0].timing.latency_s.value, 6.8e-6);
  EXPECT_DOUBLE_EQ(link.one_way.bandwidth_bytes_per_s.value, 1e9);
  EXPECT_EQ(machine.links.at("shared_memory").one_way.latency_s.value, 5e-7);
}

TEST(WhatIf, ALinksOverheadTakesItsGapAlong) {
  Machine machine = full_machine();
  const WhatIfChange done = change(machine, parse_what_if("links.network.overhead_s=0.5x"));
  EXPECT_EQ(done.scaled_along,
            (std::vector<std::string>{"links.network.gap.latency_s",
                                      "links.network.gap.segments.*.latency_s"}));
  const Link& link = machine.links.at("network");
  EXPECT_DOUBLE_EQ(link.one_way.overhead_s->value, 2e-7);
  EXPECT_DOUBLE_EQ(link.gap->segments[0].latency_s.value, 4e-7);
  EXPECT_DOUBLE_EQ(link.one_way.latency_s.value, 2e-6);
}

TEST(WhatIf, AnInnerTimingIsChangedAlone) {
  const Machine machine = with("links.network.exchange.bandwidth_bytes_per_s=2x");
  const Link& link = machine.links.at("network");
  EXPECT_DOUBLE_EQ(link.exchange->bandwidth_bytes_per_s.value, 1.6e9);
  EXPECT_DOUBLE_EQ(link.exchange->segments[1].bandwidth_bytes_per_s.value, 3.2e9);
  EXPECT_EQ(link.one_way.bandwidth_bytes_per_s.value, 1e9);
  EXPECT_EQ(link.concurrent[0].timing.bandwidth_bytes_per_s.value, 0.5e9);
}

TEST(WhatIf, ReachesIntoListsEndsAndCounts) {
  EXPECT_DOUBLE_EQ(with("links.network.segments.1.latency_s=2x")
                       .links.at("network")
                       .one_way.segments[1]
                       .latency_s.value,
                   4e-5);
  EXPECT_DOUBLE_EQ(with("device.memory.0.points.1.working_set_bytes=2e8")
                       .device.memory[0]
                       .points[1]
                       .working_set_bytes,
                   2e8);
  EXPECT_EQ(with("layout.ranks_per_node=2x").layout.ranks_per_node, 8);
  EXPECT_EQ(with("layout.ranks_per_node=7").layout.ranks_per_node, 7);
  const Quantity high = with("device.launch_latency_s.high=5e-6").device.launch_latency_s.value();
  expect_quantity(high, 1e-6, 0.9e-6, 5e-6);
  expect_quantity(*with("device.launch_latency_s.value=2e-6").device.launch_latency_s, 2e-6, 1.8e-6,
                  2.2e-6);
}

TEST(WhatIf, FromAndToZero) {
  Machine machine = with("links.network.latency_s=0");
  EXPECT_EQ(machine.links.at("network").one_way.segments[0].latency_s.value, 0);
  // There is no multiple of nothing: the number alone is set, without an interval.
  const WhatIfChange done = change(machine, parse_what_if("links.network.latency_s=1e-6"));
  EXPECT_TRUE(done.scaled_along.empty());
  expect_quantity(machine.links.at("network").one_way.latency_s, 1e-6, 1e-6, 1e-6);
  EXPECT_EQ(machine.links.at("network").one_way.segments[0].latency_s.value, 0);
}

TEST(WhatIf, SaysThatAChangedNumberIsNoLongerTheSources) {
  EXPECT_TRUE(with("links.network.latency_s=2x").links.at("network").one_way.latency_s.assumed());
}

TEST(WhatIf, RefusesKeysNamingThoseThatThereAre) {
  expect_said(refusal("devise.x=2x"),
              {"--what-if devise.x", "\"devise\" in the machine", "device, ", "links"});
  expect_said(refusal("device.memory_bandwith=2x"),
              {"\"memory_bandwith\" in device", "memory_bandwidth_bytes_per_s, ", "name"});
  expect_said(refusal("device.memory.99.ranks=2x"),
              {"\"99\" in device.memory", "index from 0 to 23"});
  expect_said(refusal("device.memory.one=2x"), {"\"one\" in device.memory", "index"});
  expect_said(refusal("device.peak_flops_per_s=2x"), {"an object", "f32, f64"});
  expect_said(refusal("device.name=2x"), {"\"Four Cores\"", "key of a number"});
  expect_said(refusal("device.launch_latency_s.value.x=2x"),
              {"\"x\" below device.launch_latency_s.value"});
  expect_said(refusal("=2x"), {"KEY=2x"});
}

TEST(WhatIf, RefusesValuesThatNoMachineMayHave) {
  expect_said(refusal("device.memory_bandwidth_bytes_per_s=0x"),
              {"--what-if device.memory_bandwidth", "> 0"});
  expect_said(refusal("device.memory_bandwidth_bytes_per_s=-5"), {"-5"});
  expect_said(refusal("layout.ranks_per_node=0.3x"), {"/layout/ranks_per_node", "whole number"});
  expect_said(refusal("device.memory_efficiency=3x"), {"memory_efficiency"});
  EXPECT_NE(refusal("device.memory_bandwidth_bytes_per_s=1e308x"), "nothing");
}

/// Keys of every kind of number.
const std::vector<std::string> keys = {"device.memory_bandwidth_bytes_per_s",
                                       "device.peak_flops_per_s.f32",
                                       "links.network.latency_s",
                                       "links.staging.bandwidth_bytes_per_s",
                                       "links.shared_memory.exchange.latency_s",
                                       "device.memory.3.points.0.bandwidth_bytes_per_s",
                                       "allreduce.1.time_s",
                                       "device.gemm_flops_per_s.f64",
                                       "device.memory_bytes"};

RC_GTEST_PROP(WhatIf, AFactorOfOneChangesNothing, ()) {
  const std::string key = *rc::gen::elementOf(keys);
  RC_ASSERT(to_json(with(key + "=1x")) == to_json(full_machine()));
}

RC_GTEST_PROP(WhatIf, AFactorAndItsInverseGiveTheMachineBack, ()) {
  const std::string key = *rc::gen::elementOf(keys);
  const int factor = *rc::gen::inRange(1, 1000).as("factor");
  Machine machine = full_machine();
  change(machine, {key, static_cast<double>(factor), true});
  change(machine, {key, 1.0 / factor, true});
  const auto expected = numbers(full_machine());
  const auto found = numbers(machine);
  RC_ASSERT(found.size() == expected.size());
  for (const auto& [place, number] : expected)
    RC_ASSERT(std::abs(found.at(place) - number) <= 1e-12 * std::abs(number));
}

RC_GTEST_PROP(WhatIf, AFasterLinkIsNeverSlower, ()) {
  const int percent = *rc::gen::inRange(100, 10000).as("percent");
  const double bytes = *rc::gen::inRange(1, 1 << 27).as("bytes");
  Machine machine = full_machine();
  change(machine, {"links.network.bandwidth_bytes_per_s", percent / 100.0, true});
  const Machine before = full_machine();
  for (const Bound bound : {Bound::value, Bound::fastest, Bound::slowest})
    RC_ASSERT(link_time(*machine.links.at("network").exchange, bytes, bound) <=
              link_time(*before.links.at("network").exchange, bytes, bound));
}

TEST(WhatIf, EveryShippedMachineReadsBackChanged) {
  for (Machine machine : shipped_machines()) {
    const double before = machine.device.memory_bandwidth_bytes_per_s.value;
    change(machine, parse_what_if("device.memory_bandwidth_bytes_per_s=2x"));
    const Machine again = parse_machine(to_json(machine), "again");
    EXPECT_DOUBLE_EQ(again.device.memory_bandwidth_bytes_per_s.value, 2 * before) << machine.name;
  }
}

TEST(Sensitivities, AreDerivativesByEachNumberAlone) {
  const Machine machine = full_machine();
  const auto values_of = [](const Machine& one) {
    const LinkTiming& link = one.links.at("network").one_way;
    return std::vector<double>{
        3 * link.latency_s.value + 1e6 / link.bandwidth_bytes_per_s.value,
        2 / one.device.memory.front().points.back().bandwidth_bytes_per_s.value};
  };
  const std::vector<double> values = values_of(machine);
  const auto found = sensitivities(machine, values_of, 1e-9 * values[0]);
  const LinkTiming& link = machine.links.at("network").one_way;
  std::map<std::string, std::vector<double>> slopes;
  for (const Sensitivity& one : found) slopes[one.key] = one.slopes;
  const auto& points = machine.device.memory.front().points;
  const std::string point =
      "device.memory.0.points." + std::to_string(points.size() - 1) + ".bandwidth_bytes_per_s";
  ASSERT_EQ(slopes.size(), 3U);
  EXPECT_NEAR(slopes["links.network.latency_s"].at(0), 3 * link.latency_s.value,
              1e-3 * link.latency_s.value);
  EXPECT_EQ(slopes["links.network.latency_s"].at(1), 0);
  const double moving = 1e6 / link.bandwidth_bytes_per_s.value;
  EXPECT_NEAR(slopes["links.network.bandwidth_bytes_per_s"].at(0), -moving, 1e-3 * moving);
  EXPECT_NEAR(slopes[point].at(1), -values[1], 1e-3 * values[1]);
  EXPECT_TRUE(sensitivities(machine, values_of, 1e3 * (values[0] + values[1])).empty());
}

TEST(Sensitivities, FindWhatCancelsInEitherSense) {
  const Machine machine = full_machine();
  const LinkTiming& link = machine.links.at("network").one_way;
  const double bytes = link.latency_s.value * link.bandwidth_bytes_per_s.value;
  for (const double sign : {1., -1.}) {
    const auto values_of = [=](const Machine& one) {
      const LinkTiming& now = one.links.at("network").one_way;
      return std::vector<double>{1 + now.latency_s.value +
                                 sign * bytes / now.bandwidth_bytes_per_s.value};
    };
    const auto found = sensitivities(machine, values_of, 0.1 * link.latency_s.value);
    ASSERT_EQ(found.size(), 2U) << sign;
    EXPECT_NEAR(found[0].slopes[0], -sign * link.latency_s.value, 1e-3 * link.latency_s.value);
    EXPECT_NEAR(found[1].slopes[0], link.latency_s.value, 1e-3 * link.latency_s.value);
  }
}

TEST(Sensitivities, FindWhatMovesOneWayAlone) {
  const double latency = full_machine().links.at("network").one_way.latency_s.value;
  for (const double sign : {1., -1.}) {
    const auto values_of = [=](const Machine& one) {
      const double now = one.links.at("network").one_way.latency_s.value;
      return std::vector<double>{1 + std::max(sign * now, sign * latency)};
    };
    const auto found = sensitivities(full_machine(), values_of, 0.1 * latency);
    ASSERT_EQ(found.size(), 1U) << sign;
    EXPECT_NEAR(found[0].slopes[0], sign * latency / 2, 0.02 * latency);
  }
}

TEST(WhatIf, ToJson) {
  EXPECT_EQ(to_json(WhatIfChange{"a.b", 1, 2, {"a.c"}}).dump(),
            R"({"after":2.0,"before":1.0,"key":"a.b","scaled_along":["a.c"]})");
}

}  // namespace
}  // namespace bellwether
