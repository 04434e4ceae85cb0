// SPDX-License-Identifier: MIT
#include "miniapps/comm/session/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/test_session.hpp"

namespace bellwether {
namespace {

TEST(Cores, RangesAreShort) {
  EXPECT_EQ(ranges_of({}), "");
  EXPECT_EQ(ranges_of({5}), "5");
  EXPECT_EQ(ranges_of({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
}

TEST(Cores, RanksThatHaveACoreEachAreNotCrowded) {
  EXPECT_EQ(detail::crowded({{0}, {1}}), "");
  EXPECT_EQ(detail::crowded({{0, 1}, {0, 1}}), "") << "not bound, and one for each";
  EXPECT_EQ(detail::crowded({{0, 1}, {2, 3}, {0, 1}}), "");
  EXPECT_EQ(detail::crowded({{}, {}, {}}), "") << "nothing is known";
}

TEST(Cores, RanksBoundToOneCoreAreCrowdedThoughOthersAreFree) {
  EXPECT_EQ(detail::crowded({{3}, {3}, {4}, {5, 6}}), "2 ranks on 1 core (3)");
  EXPECT_EQ(detail::crowded({{0, 1}, {0, 1}, {0, 1}, {4, 5, 6}}), "3 ranks on 2 cores (0-1)");
}

TEST(Cores, MoreRanksThanCoresAreCrowded) {
  EXPECT_EQ(detail::crowded({{0, 1}, {0}, {1}}), "3 ranks on 2 cores (0-1)");
}

TEST(Cores, MoreThreadsThanCoresAreCrowded) {
  EXPECT_EQ(detail::crowded({{0, 1}}, {2}), "");
  EXPECT_EQ(detail::crowded({{0, 1}}, {64}), "1 rank with 64 threads on 2 cores (0-1)");
  EXPECT_EQ(detail::crowded({{0, 1}, {0, 1}}, {2, 2}), "2 ranks with 4 threads on 2 cores (0-1)");
  EXPECT_EQ(detail::crowded({{0, 1, 2}, {3}}, {1, 2}), "1 rank with 2 threads on 1 core (3)");
}

TEST(Cores, RanksThatAQuotaIsTooLittleForAreCrowded) {
  const CpuQuota one{"1:2", "/sys/fs/cgroup/job", 1}, half{"1:2", "/job", 1.5};
  EXPECT_EQ(detail::crowded(one, 1, 1), "");
  EXPECT_EQ(detail::crowded(one, 2, 2),
            "2 ranks have 1 CPU's time together by the quota of control group /sys/fs/cgroup/job");
  EXPECT_EQ(detail::crowded(half, 1, 2),
            "1 rank with 2 threads has 1.5 CPUs' time by the quota of control group /job");
}

TEST(Cores, TheQuotaThatHeldItBackLongestIsFound) {
  const CpuQuota job{"job", "/job", 4, 100, 5, 1.0}, step{"step", "/job/step", 1, 50, 2, 0.5};
  EXPECT_FALSE(detail::throttled_between({}, {}).has_value());
  EXPECT_FALSE(detail::throttled_between({job, step}, {job, step}).has_value());
  CpuQuota later = step;
  later.periods += 73;
  later.throttled_periods += 10;
  later.throttled_s += 0.19;
  const auto found = detail::throttled_between({job, step}, {job, later});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->name, "step");
  EXPECT_EQ(found->periods, 73);
  EXPECT_EQ(found->throttled_periods, 10);
  EXPECT_NEAR(found->throttled_s, 0.19, 1e-12);
}

TEST(Cores, WaitingForACoreIsCounted) {
  if (!waited_for_core_s()) GTEST_SKIP() << "no /proc/thread-self/schedstat";
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(own_cores().front(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::atomic<bool> done = false;
  std::thread other([&done] {  // on the same core: threads begin where their maker may run
    while (!done) continue;
  });
  const double begin_s = *waited_for_core_s();
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  double waited_s = 0;
  while (waited_s < 0.02 && std::chrono::steady_clock::now() < last)
    waited_s = *waited_for_core_s() - begin_s;
  done = true;
  other.join();
  EXPECT_GE(waited_s, 0.02);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Cores, RanksThatAreBoundToOneCoreAreFoundOnEveryRank) {
  const Session& session = test_session();
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const std::vector<int> mine = own_cores();
  ASSERT_FALSE(mine.empty());
  const int lowest = static_cast<int>(least(session.world(), 1.0 * mine.front()));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(lowest, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(own_cores(), std::vector<int>{lowest});
  const std::string found = shared_cores(session);
  EXPECT_EQ(found.empty(), session.size() == 1);
  for (const std::string& text : gather_texts(session.world(), found)) EXPECT_EQ(text, found);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace bellwether
