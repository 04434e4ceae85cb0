// SPDX-License-Identifier: MIT
// Whole calibrations at toy sizes, on the ranks that the test is launched with.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "microbench/driver/registry.hpp"
#include "microbench/driver/run_microbench.hpp"
#include "microbench/driver/toy_calibration_test.hpp"
#include "miniapps/comm/session/cores.hpp"
#include "models/drift/drift_parameters.hpp"
#include "models/machine/machine_json.hpp"
#include "models/network/link.hpp"
#include "models/noise/noise_parameters.hpp"

namespace bellwether {

std::unique_ptr<Session> session;

CalibrationLimits toy_limits() {
  CalibrationLimits limits;
  limits.most_case_bytes = std::size_t{1} << 20;
  limits.largest_message_bytes = 2048;
  limits.fewest_rounds = 2;
  limits.most_rounds = 2;
  limits.time_budget_s = 60;  // never the reason to stop
  return limits;
}

const ToyCalibration& toy_calibration() {
  static const ToyCalibration kept = [] {
    ToyCalibration made;
    made.machine = calibrate_within(*session, {.name = "toy"}, toy_limits(), &made.samples);
    return made;
  }();
  return kept;
}

namespace {

bool warns(const Machine& machine, const std::string& text) {
  return std::any_of(
      machine.warnings.begin(), machine.warnings.end(),
      [&](const std::string& warning) { return warning.find(text) != std::string::npos; });
}

TEST(Calibrate, GivesAMachineThatItsFileHolds) {
  const auto& [machine, samples] = toy_calibration();
  const nlohmann::json document = to_json(machine);
  EXPECT_EQ(to_json(parse_machine(document, "toy.json")), document);

  EXPECT_EQ(machine.name, "toy");
  EXPECT_EQ(machine.layout.ranks, session->size());
  const int rank_counts = session->size() == 1 ? 1 : 2;
  EXPECT_EQ(machine.device.memory.size(), 3u * rank_counts);               // stores
  const int some_ranks = session->size() > 2 ? 2 : 0;                      // copies by 2, stores
  EXPECT_EQ(machine.device.stream.size(), 2u * rank_counts + some_ranks);  // stores
  for (const MemoryCurve& curve : machine.device.memory) EXPECT_EQ(curve.points.size(), 2u);
  for (const MemoryCurve& curve : machine.device.memory)
    EXPECT_DOUBLE_EQ(curve.points.front().working_set_bytes,
                     (curve.stores == "in_place" ? 1.0 : 2.0) * 8 * 16 * 16 * 16);
  double best = 0;
  for (const StreamResult& result : machine.device.stream)
    if (result.kernel == "copy" && result.ranks == session->size())
      best = std::max(best, result.bandwidth_bytes_per_s.value);
  EXPECT_GE(machine.device.memory_bandwidth_bytes_per_s.value, best);
  EXPECT_FALSE(machine.provenance.at("stream_array_bytes").empty());
  EXPECT_FALSE(machine.provenance.at("time").empty());
  EXPECT_GE(samples.by_name().at("launch/items:1").size(), 2u);
  for (const auto& [name, seconds] : samples.by_name())
    EXPECT_FALSE(name.starts_with("stream/triad")) << "nothing is predicted from it";
  const auto* const noise = section<NoiseParameters>(machine);
  ASSERT_EQ(noise == nullptr, !shared_cores(*session).empty());
  if (noise == nullptr) return;
  EXPECT_EQ(noise->detours > 0, !noise->lengths.empty());
}

TEST(Calibrate, MeasuresLinksOnlyBetweenRanks) {
  const Machine& machine = toy_calibration().machine;
  EXPECT_TRUE(machine.links.contains("staging"));
  EXPECT_EQ(machine.links.contains("staging_shared"), session->size() > 1);
  EXPECT_FALSE(machine.links.contains("network"));
  EXPECT_EQ(machine.links.contains("shared_memory"), session->size() > 1);
  EXPECT_EQ(machine.allreduce.empty(), session->size() == 1);
  EXPECT_EQ(machine.collective_times.size(), session->size() == 1 ? 0u : 4u);
  for (const auto& [name, times] : machine.collective_times)
    EXPECT_EQ(times.front().bytes, 8) << name;
  if (session->size() == 1) {
    EXPECT_TRUE(warns(machine, "one rank"));
    return;
  }
  EXPECT_TRUE(warns(machine, "one node"));
  const Link& link = machine.links.at("shared_memory");
  EXPECT_EQ(link.one_way.largest_bytes, 2048);
  EXPECT_EQ(link.concurrent.size(), session->size() < 4 ? 0u : 1u);
  EXPECT_TRUE(link.exchange);
  ASSERT_TRUE(link.gap && link.one_way.overhead_s);
  EXPECT_EQ(link.gap->largest_bytes, 2048);
  EXPECT_LE(link.one_way.overhead_s->value, link_time(link.one_way, 0) / 2);
  EXPECT_FALSE(link.exposed_exchange.empty());
  ASSERT_EQ(link.after_sweep.size(), 1u);
  EXPECT_LE(link.after_sweep[0].swept_bytes, toy_limits().most_case_bytes);
  ASSERT_EQ(link.after_sweep[0].added.size(), 1u);  // no message is larger than 2 KiB
  EXPECT_EQ(link.after_sweep[0].added[0].bytes, 8);
}

TEST(Calibrate, MeasuresMessagesInDeviceMemoryByThemselves) {
  CalibrationLimits limits = toy_limits();
  limits.direct_links = true;
  limits.miniapps = false;
  SampleStore samples;
  const Machine machine = calibrate_within(*session, {}, limits, &samples);
  EXPECT_EQ(machine.links.contains("shared_memory_direct"), session->size() > 1);
  EXPECT_FALSE(machine.links.contains("network_direct"));
  if (session->size() == 1) return;
  const Link& link = machine.links.at("shared_memory_direct");
  EXPECT_EQ(link.one_way.largest_bytes, 2048);
  EXPECT_TRUE(link.exchange && link.gap);
  EXPECT_NE(link.source.find("in device memory"), std::string::npos) << link.source;
  EXPECT_NE(machine.links.at("shared_memory").source.find("in host memory"), std::string::npos);
  EXPECT_EQ(samples.by_name().count("shared_memory_direct/ping_pong/8/pairs:1/ranks:0-1"), 1u);
  EXPECT_EQ(machine.collective_times.count("alltoall_direct"), 1u);
  const auto* drift = section<DriftParameters>(machine);
  ASSERT_NE(drift, nullptr);
  EXPECT_GE(drift->slowness("memory").size(), 2u);
  EXPECT_GT(drift->span_s, 0);
  EXPECT_NO_THROW(parse_machine(to_json(machine), "machine.json"));
}

TEST(Calibrate, KeepsNodesApart) {
  if (session->size() < 2) return;
  CalibrationLimits limits = toy_limits();
  limits.miniapps = false;
  for (int rank = 0; rank < session->size(); ++rank) limits.node_of_rank.push_back(rank);
  const Machine machine = calibrate_within(*session, {}, limits);
  EXPECT_FALSE(machine.links.contains("shared_memory"));
  ASSERT_TRUE(machine.links.contains("network"));
  EXPECT_TRUE(machine.links.at("network").gap);
  EXPECT_TRUE(warns(machine, "no shared-memory link"));
  EXPECT_NO_THROW(parse_machine(to_json(machine), "machine.json"));
}

TEST(Calibrate, RefusesWhatDoesNotFit) {
  CalibrationLimits limits = toy_limits();
  limits.largest_message_bytes = std::size_t{1} << 50;
  EXPECT_THROW(calibrate_within(*session, {}, limits), BadEnvironment);
  EXPECT_THROW(calibrate_within(*session, {.backend = "abacus", .name = {}}, toy_limits()),
               BadInput);
}

#if defined(__SSE2__)
/// Whether an operand or a result was subnormal on this thread since the last call (MXCSR's DE and
/// UE).
bool met_subnormals() {
  constexpr unsigned flags = 0x3f, subnormal = 0x12;
  const unsigned state = _mm_getcsr();
  _mm_setcsr(state & ~flags);
  return (state & subnormal) != 0;
}

// Each takes a microcode assist of some processors: an Emerald Rapids' f32 updates then look four
// times slower than they are.
TEST(Plan, BenchmarksComputeWithOrdinaryNumbersWhateverOthersLeave) {
  Bench bench(*session, "kokkos", toy_limits());
  const Plan plan = plan_on(bench);
  SampleStore store;
  for (const Group& group : plan.groups())
    for (const BenchCase& work : group.cases) {
      // Ordinary as f64; read as f32, every second one is subnormal.
      auto* const left = reinterpret_cast<double*>(bench.arena());
      std::fill_n(left, bench.arena_bytes() / sizeof(double),
                  1 + std::numeric_limits<double>::epsilon());
      if (work.active && work.prepare) work.prepare();
      (void)met_subnormals();
      (void)take_sample(session->world(), work, store);
      EXPECT_FALSE(met_subnormals()) << work.name;
    }
}
#endif

TEST(Plan, RefusesASecondBenchmarkOfAName) {
  Bench bench(*session, "kokkos", toy_limits());
  Plan plan(bench);
  plan.group("group", 0.5);
  BenchCase work;
  work.name = "one";
  const SampleKey one = plan.add(work);
  EXPECT_THROW(plan.add(work), std::logic_error);
  work.name = "two";
  EXPECT_NE(plan.add(work), one);
  plan.probe_drift(one, "memory");
  ASSERT_EQ(plan.drift().cases.size(), 1u);
  EXPECT_EQ(plan.drift().cases[0].name, "one");
  EXPECT_EQ(plan.drift_of(), std::vector<std::string>{"memory"});
}

TEST(Bench, ArenaIsAsLargeAsTheLargestThatIsAskedFor) {
  Bench bench(*session, "kokkos", toy_limits());
  const std::size_t room = bench.room();
  bench.reserve(4096);
  EXPECT_EQ(bench.room(), room - 4096);
  bench.reserve_arena(8192);
  bench.reserve_arena(4096);
  bench.reserve_arena_of_rank_0(16384);
  EXPECT_EQ(bench.arena_bytes(), 8192u);
  EXPECT_EQ(bench.bytes_in_use(), 3 * 4096u);
  EXPECT_THROW(bench.reserve(room - 8192), BadEnvironment);
  EXPECT_THROW(bench.reserve_arena(room), BadEnvironment);
  (void)bench.arena();
  EXPECT_THROW(bench.reserve_arena(4096), std::logic_error);
}

/// Ranks whose own times differ agree on every sample and on how many there are.
TEST(LockStep, TakesTheSlowestRanksTime) {
  SampleStore store;
  BenchCase work;
  work.name = "uneven";
  work.key = {7, 0};
  work.batch = 2;
  double own = 1e-4 * (1 + session->rank());
  work.sample = [&own] { return own *= 1.01; };
  // The first part takes longest on rank 0, the second on the last rank.
  work.parts = {"first", "second"};
  work.part_seconds = [] {
    const double rank = session->rank();
    return std::vector<double>{4 - rank, 2 + rank};
  };
  benchmark::ClearRegisteredBenchmarks();
  register_case(session->world(), work, store)->MinTime(0.05);
  SilentReporter reporter;
  EXPECT_EQ(benchmark::RunSpecifiedBenchmarks(&reporter, "uneven"), 1u);
  benchmark::ClearRegisteredBenchmarks();

  const std::vector<double>& samples = store.at(SampleKey{7, 0});
  EXPECT_GT(samples.size(), 10u);
  EXPECT_NEAR(samples.front(), 1e-4 * 1.01 * session->size() / 2, 1e-12);
  EXPECT_EQ(store.by_name().at("uneven/first"), std::vector<double>(samples.size(), 4. / 2));
  EXPECT_EQ(store.at(SampleKey{7, 2}),
            std::vector<double>(samples.size(), (1. + session->size()) / 2));
  for (const double mine : {static_cast<double>(samples.size()), samples.back()}) {
    double least = mine, most = mine;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, session->world());
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, session->world());
    EXPECT_EQ(least, most);
  }
}

/// Keeps what Google Benchmark would print.
class KeepingReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override { kept = runs; }
  std::vector<Run> kept;
};

TEST(LockStep, PrintsTheTimeOfOneOperation) {
  SampleStore store;
  BenchCase work;
  work.name = "batched";
  work.batch = 100;
  work.bytes = 8;
  work.sample = [] { return 2e-4; };
  benchmark::ClearRegisteredBenchmarks();
  register_case(session->world(), work, store)->Iterations(300);
  KeepingReporter reporter;
  EXPECT_EQ(benchmark::RunSpecifiedBenchmarks(&reporter, "batched"), 1u);
  benchmark::ClearRegisteredBenchmarks();
  ASSERT_EQ(reporter.kept.size(), 1u);
  EXPECT_NEAR(reporter.kept[0].GetAdjustedRealTime(), 2000, 1e-6);  // ns
  EXPECT_NEAR(reporter.kept[0].counters.at("bytes_per_s"), 8 / 2e-6, 1e-3);
  EXPECT_EQ(store.at({}), std::vector<double>(3, 2e-6));
}

std::string printed(const std::vector<std::string>& arguments) {
  testing::internal::CaptureStdout();
  run_microbench(*session, arguments, "kokkos");
  std::cout.flush();
  return testing::internal::GetCapturedStdout();
}

TEST(Registry, ListsAndHelpsOnRank0) {
  const std::string list = printed({"--benchmark_list_tests"});
  const std::string help = printed({"--help"});
  if (session->rank() != 0) {
    EXPECT_EQ(list + help, "");
    return;
  }
  for (const char* name :
       {"neighbours/512/rereads:0/f64/streaming/ranks:", "gemm/", "stream/copy/f64/cached/ranks:1",
        "stream/triad/f64/cached/ranks:1", "multiply_add/f32", "staging/8", "diffusion_probed/f32/",
        "launch/items:1", "lbm_update/f32/56", "airfoil/five/f64/cells:"})
    EXPECT_NE(list.find(name), std::string::npos) << name;
  for (const char* name : {"shared_memory/exchange/8/", "shared_memory/ring/8/ranks:2/exchanges:4",
                           "alltoall/64/ranks:", "reduce_scatter/4194304/ranks:"})
    EXPECT_EQ(list.find(name) != std::string::npos, session->size() > 1) << name;
  EXPECT_NE(help.find("--benchmark_filter"), std::string::npos);
}

TEST(Registry, RunsWhatTheFilterMatches) {
  const std::string output =
      printed({"--benchmark_filter=launch/items:1/", "--benchmark_min_time=0.001"});
  EXPECT_EQ(output.find("launch/items:1/manual_time") != std::string::npos, session->rank() == 0);
  EXPECT_THROW(run_microbench(*session, {"--benchmark_filter=nothing_like_it"}, "kokkos"),
               BadInput);
  EXPECT_THROW(run_microbench(*session, {"--no_such_option"}, "kokkos"), BadInput);
  EXPECT_THROW(run_microbench(*session, {"--benchmark_enable_random_interleaving=true"}, "kokkos"),
               BadInput);
}

}  // namespace
}  // namespace bellwether

int main(int argc, char** argv) {
  bellwether::session = std::make_unique<bellwether::Session>(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  bellwether::session.reset();
  return status;
}
