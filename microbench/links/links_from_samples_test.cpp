// SPDX-License-Identifier: MIT
#include "microbench/links/links.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/network/link.hpp"

namespace bellwether {
namespace {

/// Two ranks of a node; every message's time by `seconds(bytes)`.
template <class Law>
Machine two_ranks(Law seconds) {
  LinksCases cases{};
  cases.nodes = 1;
  cases.buffers = "on some pages";
  SampleStore store;
  int benchmark = 0;
  for (const auto pattern : {PairPattern::ping_pong, PairPattern::exchange})
    for (std::size_t bytes = 8; bytes <= 4096; bytes *= 2) {
      const SampleKey key{++benchmark, 0};
      cases.pairs.push_back({{{"shared_memory", {{0, 1}}}, pattern, 1, bytes}, key});
      store.add(key, cases.pairs.back().spec.name(), seconds(static_cast<double>(bytes)));
    }
  Machine machine;
  machine.layout = {2, 2, 2};
  links_from_samples(cases, store, machine);
  return machine;
}

TEST(LinksFromSamples, FitsEachPatternOfALink) {
  const Machine machine = two_ranks([](double bytes) { return 1e-6 + bytes / 1e9; });
  const Link& link = machine.links.at("shared_memory");
  for (const LinkTiming& timing : {link.one_way, *link.exchange}) {
    EXPECT_NEAR(timing.latency_s.value, 1e-6, 1e-12);
    EXPECT_NEAR(timing.bandwidth_bytes_per_s.value, 1e9, 1e3);
    EXPECT_EQ(timing.largest_bytes, 4096);
  }
  EXPECT_NE(link.source.find("on some pages"), std::string::npos);
  ASSERT_EQ(machine.warnings.size(), 1u);
  EXPECT_NE(machine.warnings[0].find("one node"), std::string::npos);
}

/// Two ranks of a node, t0 + s/B a message and gap(s) for each further exchange, within noise.
template <class Gap>
Machine with_bursts(double latency_s, Gap gap) {
  LinksCases cases{};
  cases.nodes = 1;
  SampleStore store;
  int benchmark = 0;
  const auto add = [&](const std::string& name, double seconds) {
    const SampleKey key{++benchmark, 0};
    for (const double noise : {1., 0.99, 1.01, 1.005, 0.995, 1.02, 0.98})
      store.add(key, name, noise * seconds);
    return key;
  };
  for (std::size_t bytes = 8; bytes <= 65536; bytes *= 2) {
    const auto size = static_cast<double>(bytes);
    for (const auto pattern : {PairPattern::ping_pong, PairPattern::exchange}) {
      const PairSpec spec{{"shared_memory", {{0, 1}}}, pattern, 1, bytes};
      cases.pairs.push_back({spec, add(spec.name(), latency_s + size / 1e9)});
    }
    for (const int each : {1, 2, 4}) {
      const RingSpec spec{"shared_memory", {0, 1}, bytes, MessageMemory::host, each};
      const double further = (spec.exchanges() - 1) * gap(size);
      cases.bursts.push_back({spec, add(spec.name(), latency_s + size / 1e9 + further)});
    }
  }
  Machine machine;
  machine.layout = {2, 2, 2};
  links_from_samples(cases, store, machine);
  return machine;
}

TEST(LinksFromSamples, RecoverOverheadAndWireLatencyFromBursts) {
  // o = 0.3 us, L = 1.4 us, so t0 = 2 us; G = 0.5 ns a byte.
  const Machine machine = with_bursts(2e-6, [](double bytes) { return 6e-7 + 5e-10 * bytes; });
  const Link& link = machine.links.at("shared_memory");
  ASSERT_TRUE(link.gap && link.one_way.overhead_s);
  EXPECT_NEAR(link.gap->latency_s.value, 6e-7, 3e-8);
  EXPECT_NEAR(link.gap->bandwidth_bytes_per_s.value, 2e9, 1e8);
  const Quantity& overhead = *link.one_way.overhead_s;
  EXPECT_NEAR(overhead.value, 3e-7, 1.5e-8);
  EXPECT_LE(overhead.low, 3e-7);
  EXPECT_GE(overhead.high, 3e-7);
  EXPECT_LT(overhead.high - overhead.low, 1e-7);
  // And so six exchanges, which no fit saw.
  EXPECT_NEAR(6 * ExchangeTimer({"shared_memory", &link}, 2).seconds(1024, Bound::value, 6),
              2e-6 + 1024 / 1e9 + 5 * (6e-7 + 5e-10 * 1024), 2e-7);
}

TEST(LinksFromSamples, AFewDisturbedBurstsDoNotCount) {
  LinksCases cases{};
  SampleStore store;
  int benchmark = 0;
  for (std::size_t bytes = 8; bytes <= 4096; bytes *= 2) {
    const PairSpec pair{{"network", {{0, 1}}}, PairPattern::ping_pong, 1, bytes};
    PairSpec exchange = pair;
    exchange.pattern = PairPattern::exchange;
    for (const PairSpec& spec : {pair, exchange}) {
      cases.pairs.push_back({spec, {++benchmark, 0}});
      store.add({benchmark, 0}, spec.name(), 5e-6);
    }
    for (const int each : {1, 2, 4}) {
      const RingSpec spec{"network", {0, 1}, bytes, MessageMemory::host, each};
      cases.bursts.push_back({spec, {++benchmark, 0}});
      for (int round = 0; round < 9; ++round)  // each third round of each burst, not the same ones
        store.add({benchmark, 0}, spec.name(),
                  4e-6 + spec.exchanges() * 1e-6 + (round % 3 == each % 3 ? 1e-3 : 0));
    }
  }
  Machine machine;
  machine.layout = {2, 1, 1};
  links_from_samples(cases, store, machine);
  EXPECT_NEAR(machine.links.at("network").gap->latency_s.value, 1e-6, 1e-9);
}

TEST(LinksFromSamples, OverheadsAreAtMostWhatAMessageTakes) {
  // A card that pauses 5 us between messages, and 2 us for one alone.
  const Machine machine = with_bursts(2e-6, [](double) { return 5e-6; });
  const Link& link = machine.links.at("shared_memory");
  EXPECT_NEAR(link.gap->latency_s.value, 5e-6, 3e-7);
  EXPECT_NEAR(link.one_way.overhead_s->value, 1e-6, 5e-8);
}

TEST(LinksFromSamples, FurtherMessagesThatNoiseHidesCostLittle) {
  const Machine machine = with_bursts(2e-6, [](double) { return 0.; });
  const Link& link = machine.links.at("shared_memory");
  EXPECT_GT(link.gap->latency_s.value, 0);
  EXPECT_LT(link.gap->latency_s.value, 2e-7);
}

TEST(LinksFromSamples, WhatASweepAddsIsTheDifferenceOfEachRound) {
  LinksCases cases{};
  cases.nodes = 1;
  SampleStore store;
  int benchmark = 0;
  const RankPairs pairs{"shared_memory", {{0, 1}}};
  const auto add = [&](const std::string& name, double seconds) {
    const SampleKey key{++benchmark, 0};
    // A machine that becomes slower and slower, and what one round alone met.
    for (int round = 0; round < 9; ++round)
      store.add(key, name, seconds * (1 + round) * (round == benchmark % 9 ? 50 : 1));
    return key;
  };
  for (const auto pattern : {PairPattern::ping_pong, PairPattern::exchange}) {
    const PairSpec spec{pairs, pattern, 1, 8};
    cases.pairs.push_back({spec, add(spec.name(), 1e-6)});
  }
  const auto swept = [&](std::size_t sweep, std::size_t bytes, double seconds) {
    const SweptSpec spec{pairs, sweep, bytes};
    cases.swept.push_back({spec, add(spec.name(), seconds)});
  };
  swept(0, 8, 1e-6);
  swept(0, 1024, 2e-6);
  swept(4096, 8, 0.9e-6);  // no longer
  swept(4096, 1024, 3e-6);
  swept(1 << 20, 8, 5e-6);
  swept(1 << 20, 1024, 8e-6);
  Machine machine;
  machine.layout = {2, 2, 2};
  links_from_samples(cases, store, machine);
  const std::vector<SweptExchange>& sweeps = machine.links.at("shared_memory").after_sweep;
  ASSERT_EQ(sweeps.size(), 2u);
  EXPECT_EQ(sweeps[0].swept_bytes, 4096);
  EXPECT_EQ(sweeps[1].swept_bytes, 1 << 20);
  ASSERT_EQ(sweeps[1].added.size(), 2u);
  EXPECT_EQ(sweeps[1].added[1].bytes, 1024);
  EXPECT_EQ(sweeps[0].added[0].added_s.value, 0);
  // The middle round's, of nine about five times as slow as the first.
  EXPECT_NEAR(sweeps[0].added[1].added_s.value, 5e-6, 1.5e-6);
  EXPECT_NEAR(sweeps[1].added[0].added_s.value, 20e-6, 5e-6);
  EXPECT_NEAR(sweeps[1].added[1].added_s.value, 30e-6, 7e-6);
}

TEST(LinksFromSamples, OneShareOfAllSizesCanBeHidden) {
  LinksCases cases{};
  cases.nodes = 1;
  SampleStore store;
  int benchmark = 0;
  const auto add = [&](const std::string& name, const std::vector<double>& seconds) {
    const SampleKey key{++benchmark, 0};
    for (const double one : seconds) store.add(key, name, one);
    return key;
  };
  const RankPairs pair{"shared_memory", {{0, 1}}};
  for (const auto pattern : {PairPattern::ping_pong, PairPattern::exchange}) {
    const PairSpec spec{pair, pattern, 1, 8};
    cases.pairs.push_back({spec, add(spec.name(), {1e-6})});
  }
  // Both at once take less than 2 by a tenth, a fifth, ... of the one that takes 1.
  for (const auto& [bytes, both] :
       {std::pair<std::size_t, std::vector<double>>{1 << 14, {2.3}}, {1 << 20, {1.7, 1.4, 1.2}}}) {
    const HidingSpec spec{pair, bytes};
    const std::vector<double> alone(both.size(), 1), in_sequence(both.size(), 2);
    cases.hiding.push_back({spec,
                            {add(spec.name(HidingSpec::Part::exchange), alone),
                             add(spec.name(HidingSpec::Part::sequence), in_sequence),
                             add(spec.name(HidingSpec::Part::overlap), both)}});
  }
  Machine machine;
  machine.layout = {2, 2, 2};
  links_from_samples(cases, store, machine);
  const std::vector<ExposedExchange>& exposed = machine.links.at("shared_memory").exposed_exchange;
  ASSERT_EQ(exposed.size(), 2u);
  EXPECT_EQ(exposed[0].bytes, 1 << 14);
  EXPECT_NEAR(exposed[0].share.value, 1.3, 1e-12) << "overlap may cost more than it hides";
  EXPECT_NEAR(exposed[1].share.value, 0.4, 1e-12) << "of 0.2, 0.4 and 0.7";
}

TEST(LinksFromSamples, WarnsOnceOfLinksWhoseFitsMiss) {
  int turn = 0;
  const Machine machine = two_ranks([&turn](double) { return turn++ % 2 == 0 ? 1e-6 : 2e-6; });
  ASSERT_EQ(machine.warnings.size(), 2u);
  const std::string& warning = machine.warnings[1];
  for (const char* part : {"shared_memory (one way by ", "exchange by "})
    EXPECT_NE(warning.find(part), std::string::npos) << warning;
}

}  // namespace
}  // namespace bellwether
