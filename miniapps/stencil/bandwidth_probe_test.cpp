// SPDX-License-Identifier: MIT
#include "miniapps/stencil/bandwidth_probe.hpp"

#include <gtest/gtest.h>

#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/watched_device_test.hpp"

namespace bellwether {
namespace {

class BandwidthProbes : public testing::Test {
 protected:
  /// Copies of 1000 bytes each way that take the device so many seconds, and the host none.
  StateCopy copy(double seconds, const char* stores = "streaming", int arrays = 1) {
    return {"f32", stores, arrays, 1000, [this, seconds] {
              ++copies_;
              *device_.clock_s += seconds;
            }};
  }
  BandwidthProbe probe(const StateCopy& copy, const Machine* machine = nullptr) {
    device_.clock_s = 0;
    return {test_session(), device_, *stream_, copy, machine};
  }

  std::unique_ptr<Device> real_ = make_device("kokkos", test_session().local_rank());
  std::unique_ptr<Stream> stream_ = real_->make_stream(false);
  WatchedDevice device_{*real_};
  int copies_ = 0;
};

TEST_F(BandwidthProbes, SampleFiveMillisecondsByEventsWithOneFence) {
  for (const double seconds : {2e-6, 3e-4, 4.9e-3, 0.02}) {
    BandwidthProbe memory = probe(copy(seconds));
    copies_ = device_.fences = 0;
    EXPECT_NEAR(memory.measure(), 2000 / seconds, 1e-6 * 2000 / seconds);
    EXPECT_EQ(device_.fences, 1);
    EXPECT_GE(copies_ * seconds, 5e-3);
    EXPECT_LE(copies_ * seconds, std::max(2 * seconds, 0.01));
  }
}

TEST_F(BandwidthProbes, MeasureACalibratedCoreToo) {
  EXPECT_EQ(probe(copy(1e-3)).measure_core(), 0);
  const CoreWork work{[this] { *device_.clock_s += 2e-4; }, 500, 1e6};
  BandwidthProbe both(test_session(), device_, *stream_, copy(1e-3), nullptr, work);
  EXPECT_NEAR(both.measure_core(), 500 / 2e-4, 1);
  EXPECT_NEAR(both.measure(), 2000 / 1e-3, 1);
  EXPECT_EQ(both.calibrated_core(), 1e6);
  BandwidthProbe unknown(test_session(), device_, *stream_, copy(1e-3), nullptr,
                         {work.once, work.cells, 0});
  EXPECT_EQ(unknown.measure_core(), 0) << "nothing to hold it against";
}

TEST_F(BandwidthProbes, TakeTheSlowestRanksTime) {
  const bool last = test_session().rank() == test_session().size() - 1;
  EXPECT_NEAR(probe(copy(last ? 2e-4 : 1e-4)).measure(), 2000 / 2e-4, 1);
}

TEST_F(BandwidthProbes, FindTheCalibratedRateOfTheirStores) {
  const int ranks = test_session().ranks_on_node();
  const auto curve = [ranks](const char* stores, int arrays, double rate) {
    return MemoryCurve{ranks, 0, stores, "f32", {{1e3, Quantity::exact(rate)}}, arrays};
  };
  Machine machine;
  machine.device.kind = "gpu";
  machine.device.memory = {curve("cached", 1, 20), curve("streaming", 1, 30),
                           curve("in_place", 1, 40)};
  EXPECT_EQ(probe(copy(1), nullptr).calibrated(), 0);
  EXPECT_DOUBLE_EQ(probe(copy(1, "cached"), &machine).calibrated(), 20);
  EXPECT_DOUBLE_EQ(probe(copy(1, "streaming"), &machine).calibrated(), 30);
  // A GPU's threads go through one array as through many; a CPU's prefetchers do not.
  EXPECT_DOUBLE_EQ(probe(copy(1, "in_place", 19), &machine).calibrated(), 40);
  machine.device.kind = "cpu";
  EXPECT_EQ(probe(copy(1, "in_place", 19), &machine).calibrated(), 0);
  machine.device.memory.push_back(curve("in_place", 19, 25));
  EXPECT_DOUBLE_EQ(probe(copy(1, "in_place", 19), &machine).calibrated(), 25);
  machine.device.memory = {curve("cached", 1, 20)};
  EXPECT_EQ(probe(copy(1, "streaming"), &machine).calibrated(), 0);
}

}  // namespace
}  // namespace bellwether
