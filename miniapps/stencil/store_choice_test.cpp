// SPDX-License-Identifier: MIT
#include "miniapps/stencil/store_choice.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "miniapps/comm/test_session.hpp"

namespace bellwether {
namespace {

class StoreChoices : public testing::Test {
 protected:
  /// Sweeps take so many milliseconds with each kind of store.
  StoreChoice choose(const char* asked, int cached_ms, int streaming_ms) {
    return choose_stores(test_session(), *device_, asked, *stream_, [&](Stores stores) {
      used_.insert(stores);
      std::this_thread::sleep_for(
          std::chrono::milliseconds(stores == Stores::cached ? cached_ms : streaming_ms));
    });
  }
  std::set<Stores> used_;

 private:
  std::unique_ptr<Device> device_ = make_device("kokkos", test_session().local_rank());
  std::unique_ptr<Stream> stream_ = device_->make_stream(false);
};

TEST_F(StoreChoices, AFixedChoiceIsHonouredAndTimedHoweverSlow) {
  StoreChoice choice = choose("cached", 9, 0);
  EXPECT_EQ(choice.stores, Stores::cached);
  EXPECT_GE(choice.sweep_s, 0.009);
  EXPECT_LT(choice.sweep_s, 0.5);
  EXPECT_EQ(used_, std::set<Stores>{Stores::cached});
  used_.clear();
  choice = choose("streaming", 0, 9);
  EXPECT_EQ(choice.stores, Stores::streaming);
  EXPECT_GE(choice.sweep_s, 0.009);
  EXPECT_EQ(used_, std::set<Stores>{Stores::streaming});
}

TEST_F(StoreChoices, AutoTakesTheFaster) {
  EXPECT_EQ(choose("auto", 1, 25).stores, Stores::cached);
  EXPECT_EQ(choose("auto", 25, 1).stores, Stores::streaming);
}

TEST_F(StoreChoices, TheFastestSweepIsTheSlowestRanks) {
  const auto device = make_device("kokkos", test_session().local_rank());
  const auto stream = device->make_stream(false);
  const int last = test_session().size() - 1;
  int sweeps = 0;
  const double seconds = fastest_sweep(test_session(), *device, *stream, [&] {
    const int hiccup = sweeps++ == 3 ? 60 : 0;  // one that is not the fastest
    const int own = test_session().rank() == last ? 12 : 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(own + hiccup));
  });
  EXPECT_GE(seconds, 0.012);
  EXPECT_LT(seconds, 0.05);
}

TEST_F(StoreChoices, TheSlowestRankDecidesForAll) {
  // Rank 0 alone is slow with cached stores; the others are a little slower with streaming ones.
  const bool first = test_session().rank() == 0;
  const StoreChoice choice = choose("auto", first ? 40 : 1, first ? 1 : 5);
  EXPECT_EQ(choice.stores, Stores::streaming);
}

}  // namespace
}  // namespace bellwether
