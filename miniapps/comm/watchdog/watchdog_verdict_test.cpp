// SPDX-License-Identifier: MIT
#include "miniapps/comm/watchdog/watchdog_verdict.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

const std::string end = "; the run ends here, finished records are on disk";

RankSight sight(int rank, const char* phase, long step, double quiet_s, double silent_s = 0.1) {
  return {rank, phase, step, 10, quiet_s, silent_s, false};
}

void expect_blamed(const std::vector<RankSight>& ranks, Fault fault, std::size_t index) {
  const auto verdict = judge(ranks, 60);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->fault, fault);
  EXPECT_EQ(verdict->index, index);
}

TEST(WatchdogVerdict, HealthyRanks) {
  EXPECT_FALSE(judge({sight(0, "network", 5, 59), sight(1, "compute.interior", 5, 59)}, 60));
  // All wait for another node: its own watchdog speaks first.
  EXPECT_FALSE(judge({sight(0, "network", 5, 62), sight(1, "reduce", 5, 62.9)}, 60));
  EXPECT_FALSE(judge({sight(0, "network", 5, 99), sight(1, "compute.interior", 5, 1)}, 60));
  // Blocked in a collective of some other phase, while the one it waits for is slow but at work.
  EXPECT_FALSE(judge({sight(0, "verify", 6, 99), sight(1, "compute.interior", 5, 1)}, 60));
  EXPECT_FALSE(judge({}, 60));
}

TEST(WatchdogVerdict, TheOneThatDoesNotWaitIsBlamed) {
  expect_blamed({sight(0, "network", 4, 61), sight(1, "compute.interior", 5, 61)}, Fault::stopped,
                1);
  // The one blocked in a collective inside another phase is ahead of the one that holds it up.
  expect_blamed({sight(0, "verify", 6, 61), sight(1, "compute.interior", 5, 60.5)}, Fault::stopped,
                1);
}

TEST(WatchdogVerdict, AProcessThatStandsStillIsBlamedBeforeThoseItHoldsUp) {
  expect_blamed({sight(0, "network", 5, 61), sight(1, "network", 5, 60.5, 60.5)}, Fault::stopped,
                1);
  expect_blamed({sight(0, "verify", 5, 62), sight(1, "network", 6, 61, 61)}, Fault::stopped, 1);
}

TEST(WatchdogVerdict, WhereMpiDoesNotStartARankIsNamedOnceItsNodesMayHaveSpoken) {
  EXPECT_FALSE(judge({sight(0, "MPI_Init", 0, 62)}, 60));
  expect_blamed({sight(0, "MPI_Init", 0, 64)}, Fault::waited, 0);
  expect_blamed({sight(0, "MPI_Init", 0, 61), sight(1, "MPI_Init", 0, 61, 61)}, Fault::stopped, 1);
}

TEST(WatchdogVerdict, ARankAloneIsBlamedForItself) {
  expect_blamed({sight(0, "compute.interior", 5, 61)}, Fault::stopped, 0);
}

TEST(WatchdogVerdict, WhereAllWaitTheOneFurthestBehindIsNamed) {
  expect_blamed({sight(0, "network", 6, 64), sight(1, "network", 5, 64)}, Fault::waited, 1);
}

TEST(WatchdogVerdict, TheDeadAreBlamedAtOnceAndWithoutALimit) {
  std::vector<RankSight> ranks{sight(0, "network", 5, 1), sight(1, "pack", 5, 1)};
  EXPECT_FALSE(judge(ranks, 0));
  ranks[1].gone = true;
  expect_blamed(ranks, Fault::died, 1);
  ASSERT_TRUE(judge(ranks, 0));
  EXPECT_EQ(describe(*judge(ranks, 0), ranks[1], "abc"),
            "rank 1 (host abc) died in phase pack, step 5" + end);
}

TEST(WatchdogVerdict, Sentences) {
  const auto rank = sight(1, "compute.interior", 1234, 60.2);
  EXPECT_EQ(
      describe({Fault::stopped, 0, 60.2}, rank, "abc"),
      "rank 1 (host abc) stopped answering for 60 s in phase compute.interior, step 1234" + end);
  EXPECT_EQ(describe({Fault::waited, 0, 63.1}, rank, "abc"),
            "rank 1 (host abc) has waited 63 s for other ranks in phase compute.interior, step "
            "1234" +
                end);
  EXPECT_EQ(describe_signal("SIGUSR1", rank, "abc"),
            "ended by SIGUSR1 in phase compute.interior, step 1234 (rank 1, host abc); finished "
            "records are on disk");
}

}  // namespace
}  // namespace bellwether
