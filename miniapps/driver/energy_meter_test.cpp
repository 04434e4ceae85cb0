// SPDX-License-Identifier: MIT
#include "miniapps/driver/energy_meter.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/fake_case_test.hpp"
#include "miniapps/driver/run_loop.hpp"
#include "results/powercap_tree_test.hpp"

namespace bellwether {
namespace {

/// Of the test's ranks those that read packages: one under each kernel.
int readers() {
  int rank = 0;
  MPI_Comm_rank(test_session().kernel(), &rank);
  int readers = rank == 0 ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &readers, 1, MPI_INT, MPI_SUM, test_session().world());
  return readers;
}

TEST(EnergyMeter, AddsUpStretchesAndNotWhatLiesBetween) {
  const PowercapTree tree;
  tree.add("intel-rapl:0", "package-0", 0);
  tree.add("intel-rapl:0:0", "dram", 0);
  EnergyMeter meter(test_session(), nullptr, tree.folder());
  EXPECT_TRUE(meter.counts());
  EXPECT_EQ(meter.absent(), "");
  EXPECT_FALSE(meter.take()) << "nothing was counted yet";
  for (const int run : {1, 2}) {
    tree.count("intel-rapl:0", run * 1'000'000'000);
    meter.start();
    tree.count("intel-rapl:0", run * 1'000'000'000 + 3'000'000);
    tree.count("intel-rapl:0:0", run * 500'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(70));
    meter.stop();
    tree.count("intel-rapl:0", run * 1'000'000'000 + 100'000'000);
    meter.start();
    tree.count("intel-rapl:0", run * 1'000'000'000 + 102'000'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(70));
    meter.stop();
    EXPECT_TRUE(meter.is_enough());
    const std::optional<SpentEnergy> spent = meter.take();
    ASSERT_TRUE(spent);
    EXPECT_NEAR(spent->joules, 5.5 * readers(), 1e-9);
    ASSERT_EQ(spent->watts.size(), 2u);
    EXPECT_EQ(spent->watts[0].first, "packages");
    EXPECT_EQ(spent->watts[1].first, "memory");
    EXPECT_NEAR(spent->watts[0].second / spent->watts[1].second, 10, 1e-6) << "in the same time";
  }
}

TEST(EnergyMeter, WithoutCountersThereIsNothingAndOneRankSaysWhy) {
  EnergyMeter meter(test_session(), nullptr, "/nowhere/powercap");
  EXPECT_FALSE(meter.counts());
  EXPECT_EQ(meter.absent(), "no CPU package has a counter in /nowhere/powercap (" +
                                test_session().hosts().front() + ")");
  meter.start();
  meter.stop();
  EXPECT_FALSE(meter.take());
}

/// A step of 2 J of packages and 0.5 J of the GPU that all ranks share.
class EnergyOfARun : public testing::Test {
 protected:
  void SetUp() override {
    tree_.add("intel-rapl:0", "package-0", 0);
    library_ = dlopen(FAKE_NVML_FOLDER "/good/libnvidia-ml.so", RTLD_NOW);
    ASSERT_NE(library_, nullptr) << dlerror();
    auto* const millijoules =
        static_cast<unsigned long long*>(dlsym(library_, "fakeNvmlMillijoules"));
    app_.with_each_step = [this, millijoules] {
      tree_.count("intel-rapl:0", 2'000'000 * app_.all_steps);
      *millijoules += 500;
    };
  }
  void TearDown() override { dlclose(library_); }

  /// On a GPU of this name.
  Record run(const std::string& uuid, RunOptions options = {.steps = 40}) {
    const GpuMonitor gpu({"a GPU", uuid, "", "CUDA"}, FAKE_NVML_FOLDER "/good/libnvidia-ml.so");
    EnergyMeter meter(test_session(), &gpu, tree_.folder());
    options.gpu = &gpu;
    options.energy = &meter;
    return run_case(test_session(), app_, heartbeat_, options, nullptr).record;
  }

  const PowercapTree tree_;
  void* library_ = nullptr;
  FakeCase app_;
  Heartbeat heartbeat_;
};

constexpr const char* counted_uuid = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f";
constexpr std::chrono::milliseconds long_step{26}, short_step{3};  // 40 of them: 1 s, 0.1 s

TEST_F(EnergyOfARun, IsThatOfItsTimedSteps) {
  app_.longest = 7;  // warm-ups, restarts and verification take energy that is none of theirs
  app_.step_time = long_step;
  const Record record = run(counted_uuid);
  ASSERT_TRUE(record.energy);
  const double step_j = 2. * readers() + 0.5;
  EXPECT_NEAR(record.energy->joules_per_step, step_j, 1e-6);
  EXPECT_NEAR(record.energy->units_per_joule, 1000 / step_j, 1e-3);
  ASSERT_EQ(record.energy->watts.size(), 2u);
  EXPECT_EQ(record.energy->watts[0].first, "packages");
  EXPECT_EQ(record.energy->watts[1].first, "gpus");
  EXPECT_GT(record.energy->watts[1].second, 0);
  EXPECT_LT(record.energy->watts[1].second, 0.5 / 26e-3);
}

TEST_F(EnergyOfARun, OfAWrongResultIsNoWorkPerJoule) {
  app_.wrong_stretches = {0};
  app_.step_time = short_step;
  const Record record = run("");
  EXPECT_FALSE(record.verification.passed);
  ASSERT_TRUE(record.energy);
  EXPECT_GT(record.energy->joules_per_step, 0);
  EXPECT_FALSE(to_json(record).at("energy").contains("units_per_joule"));
}

TEST_F(EnergyOfARun, IsWithoutTheGpusWhereOneOfThemTellsNone) {
  app_.step_time = long_step;
  const bool other = test_session().rank() == test_session().size() - 1;
  const Record record = run(other ? "GPU-11111111-1111-1111-1111-111111111111" : counted_uuid);
  ASSERT_TRUE(record.energy);
  ASSERT_EQ(record.energy->watts.size(), 1u);
  EXPECT_EQ(record.energy->watts[0].first, "packages");
  EXPECT_NEAR(record.energy->joules_per_step, 2. * readers(), 1e-6);
}

TEST_F(EnergyOfARun, OfLessThanTheCountersGrainIsAbsent) {
  app_.step_time = short_step;
  EXPECT_TRUE(run("").energy);
  EXPECT_FALSE(run(counted_uuid).energy) << "a GPU's is coarser";
  app_.step_time = {};
  EXPECT_FALSE(run("", {.steps = 1}).energy);
}

TEST_F(EnergyOfARun, IsWaitedForWhereTheTimeIsKnownBefore) {
  app_.step_time = short_step;
  const Record record = run(counted_uuid, {.time_budget_s = 60, .precision = 1e9});
  ASSERT_TRUE(record.energy);
  EXPECT_NEAR(record.energy->joules_per_step, 2. * readers() + 0.5, 1e-6);
}

TEST_F(EnergyOfARun, IsAbsentWhereNothingIsCounted) {
  EnergyMeter meter(test_session(), nullptr, "/nowhere/powercap");
  const RunOptions options{.steps = 2, .energy = &meter};
  const Record record = run_case(test_session(), app_, heartbeat_, options, nullptr).record;
  EXPECT_FALSE(record.energy);
  EXPECT_FALSE(to_json(record).contains("energy"));
}

}  // namespace
}  // namespace bellwether
