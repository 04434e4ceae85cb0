// SPDX-License-Identifier: MIT
#include "models/step/rank_program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace bellwether {
namespace {

RankExchange an_exchange(bool overlap, double hideable = 3) {
  return {.times = {.to_host = 0.25, .to_device = 0.5, .network = 4, .hideable = hideable},
          .pack_s = 1,
          .meanwhile = "compute.interior",
          .meanwhile_s = overlap ? 2. : 0.,
          .hides_s = 2,
          .overlap = overlap};
}

RankProgram a_program(const RankExchange& exchange) {
  RankProgram program;
  program.compute("compute.boundary", 8);
  for (int stage = 0; stage < 2; ++stage) program.exchange(exchange);
  program.wait("other", 16);
  program.reduce(32, 2, 8);
  return program;
}

TEST(RankProgram, TermsAddUpToItsTotal) {
  for (const bool overlap : {false, true})
    for (const bool beside : {false, true}) {
      RankExchange exchange = an_exchange(overlap);
      exchange.times.copies_beside = beside;
      const RankProgram program = a_program(exchange);
      const RankStep step = program.step();
      EXPECT_DOUBLE_EQ(step.terms.total(), program.total());
      EXPECT_DOUBLE_EQ(step.terms.seconds("network"), 2 * (overlap ? 4 - 2 : 4));
      EXPECT_DOUBLE_EQ(step.terms.seconds("copy.to_host"), beside ? 0 : 2 * 0.25);
      EXPECT_DOUBLE_EQ(step.terms.seconds("compute.interior"), overlap ? 4 : 0);
      EXPECT_DOUBLE_EQ(step.terms.seconds("reduce"), 32);
      EXPECT_DOUBLE_EQ(step.hidden_fraction, overlap ? 0.5 : 0);
      EXPECT_DOUBLE_EQ(step.communication_s, 8);
      EXPECT_DOUBLE_EQ(step.hiding_s, 4);
    }
}

TEST(RankProgram, WhatOverlapLosesIsTheNetworks) {
  const RankStep step = a_program(an_exchange(true, -1)).step();
  EXPECT_DOUBLE_EQ(step.terms.seconds("network"), 2 * 5);
  EXPECT_EQ(step.hidden_fraction, 0);
}

/// Writes what it is told in short.
class Letters final : public TraceSink {
 public:
  std::string all;
  void compute(double seconds) override { all += fmt::format(" c{}", seconds); }
  void start_receive(int from, double, int) override { all += fmt::format(" r{}", from); }
  void start_send(int to, double, int) override { all += fmt::format(" s{}", to); }
  void wait_received(int, int) override { all += " ?"; }
  void wait_sent(int, int) override { all += " ?"; }
  void wait_all() override { all += " w"; }
  void allreduce(double) override { all += " a"; }
};

class TwoRounds final : public RankTrace {
 public:
  explicit TwoRounds(bool overlap) : RankTrace({}), overlap_(overlap) {}

 private:
  [[nodiscard]] RankProgram program(int) const override { return a_program(an_exchange(overlap_)); }
  [[nodiscard]] std::vector<RankMessages> messages(int rank, int) const override {
    return {{.in = {{rank + 1, 8, 0}}, .out = {{rank + 2, 8, 0}}}, {.in = {}, .out = {{7, 8, 1}}}};
  }
  bool overlap_;
};

TEST(RankTrace, ComputesWhileTheFirstMessagesAreUnderWay) {
  const auto letters = [](bool overlap) {
    Letters sink;
    TwoRounds(overlap).step(0, sink);
    return sink.all;
  };
  EXPECT_EQ(letters(false), " c9.25 r1 s2 w s7 w c2.75 r1 s2 w s7 w c1.5 a a");
  EXPECT_EQ(letters(true), " c9.25 r1 s2 c2 w s7 w c2.75 r1 s2 c2 w s7 w c1.5 a a");
}

}  // namespace
}  // namespace bellwether
