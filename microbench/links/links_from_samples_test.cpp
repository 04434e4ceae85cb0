// SPDX-License-Identifier: MIT
#include "microbench/links/links.hpp"

#include <gtest/gtest.h>

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
  for (const auto pattern :
       {PairPattern::ping_pong, PairPattern::ping_pong_unaligned, PairPattern::exchange})
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
  for (const LinkTiming& timing : {link.one_way, *link.unaligned, *link.exchange}) {
    EXPECT_NEAR(timing.latency_s.value, 1e-6, 1e-12);
    EXPECT_NEAR(timing.bandwidth_bytes_per_s.value, 1e9, 1e3);
    EXPECT_EQ(timing.samples.size(), 10u);
  }
  EXPECT_NE(link.source.find("on some pages"), std::string::npos);
  ASSERT_EQ(machine.warnings.size(), 1u);
  EXPECT_NE(machine.warnings[0].find("one node"), std::string::npos);
}

TEST(LinksFromSamples, WarnsOnceOfALinkWhoseFitsMiss) {
  int turn = 0;
  const Machine machine = two_ranks([&turn](double) { return turn++ % 2 == 0 ? 1e-6 : 2e-6; });
  ASSERT_EQ(machine.warnings.size(), 2u);
  const std::string& warning = machine.warnings[1];
  for (const char* part :
       {"shared_memory: ", "one way by ", "unaligned by ", "exchange by 1 pair by "})
    EXPECT_NE(warning.find(part), std::string::npos) << warning;
}

}  // namespace
}  // namespace bellwether
