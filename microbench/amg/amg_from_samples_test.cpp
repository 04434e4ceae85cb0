// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "microbench/amg/amg.hpp"
#include "models/amg/amg_kernel.hpp"
#include "models/amg/amg_parameters.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/test_full_machine.hpp"

namespace bellwether {
namespace {

constexpr std::size_t gibibyte = std::size_t{1} << 30;

/// What a rank of known costs would take.
double cold_s(AmgOperation operation, double rows, double entries) {
  if (operation == AmgOperation::coarse_solve) return 1e-6 * (1 + rows);
  const double slower = 1 + static_cast<int>(operation);
  return 2e-6 + rows * (3e-9 + slower * 1e-9 * entries);
}
/// Of which a second call takes a quarter up to a million bytes, and then all.
double again_s(AmgOperation operation, double rows, double entries) {
  const bool fits = amg_operator_bytes(rows, rows * entries) <= 1e6;
  return (fits ? 0.25 : 1) * cold_s(operation, rows, entries);
}
double wait_s(AmgOperation operation, double rows, double entries) {
  return 0.1 * cold_s(operation, rows, entries);
}
double again_wait_s(AmgOperation operation, double rows, double entries) {
  return 0.2 * again_s(operation, rows, entries);
}

Machine machine_from(const std::vector<AmgSpec>& specs) {
  AmgCases cases;
  SampleStore store;
  for (const AmgSpec& spec : specs) {
    const SampleKey key{static_cast<int>(cases.size()) + 1, 0};
    cases.push_back({spec, key});
    if (spec.threads > 0) {  // 1 us and 1 more for each thread beyond the first; 12 GB/s of all
      const double seconds = 1e-6 * spec.threads + spec.rows * 24 / 12e9;
      for (const double share : {1.02, 1., 0.98}) store.add(key, spec.name(), share * seconds);
      continue;
    }
    std::size_t part = 0;
    for (const AmgOperation operation : amg_operations(spec))
      for (const auto& seconds : {cold_s, again_s, wait_s, again_wait_s}) {
        for (const double share : {1.02, 1., 0.98})
          store.add(key.of_part(part), name_of(operation),
                    share * seconds(operation, spec.rows, spec.entries_per_row));
        ++part;
      }
  }
  Machine machine = full_machine();
  machine.sections.erase("amg");
  amg_from_samples(cases, store, machine);
  return machine;
}

TEST(AmgFromSamples, FindsTheCostsThatMadeThem) {
  for (const bool quick : {false, true}) {
    const Machine machine = machine_from(amg_specs(quick, gibibyte));
    const AmgKernelParameters* const kernels = amg_kernels(machine);
    ASSERT_NE(kernels, nullptr);
    EXPECT_EQ(amg_published(machine), nullptr);
    EXPECT_EQ(kernels->threads, amg_threads());
    const std::vector<std::pair<AmgOperation, const AmgKernelTable*>> tables = {
        {AmgOperation::spmv, &kernels->spmv},
        {AmgOperation::gauss_seidel, &kernels->gauss_seidel},
        {AmgOperation::jacobi, &kernels->jacobi},
        {AmgOperation::chebyshev, &kernels->chebyshev},
        {AmgOperation::interpolate, &kernels->interpolate},
        {AmgOperation::restriction, &kernels->restriction}};
    for (const auto& [operation, table] : tables) {
      const bool transfer = operation >= AmgOperation::interpolate;
      const AmgKernel kernel(*table, Bound::value);
      for (const double rows : {100., 700., 5e4, 9e5, 4e6})
        for (const double entries :
             transfer ? std::vector{2., 3.1} : std::vector{7., 12., quick ? 20. : 45.}) {
          const double expected = cold_s(operation, rows, entries);
          EXPECT_NEAR(kernel.seconds(rows, rows * entries) / expected, 1, 1e-9)
              << name_of(operation) << " " << rows << " " << entries;
        }
      const double entries = transfer ? 2 : 7, rows = transfer ? 3000 : 2000;
      EXPECT_NEAR(kernel.wait_share(rows, rows * entries), 0.1, 1e-9) << name_of(operation);
      EXPECT_NEAR(kernel.wait_share(rows, rows * entries, 1), 0.2, 1e-9) << name_of(operation);
      const double again = kernel.seconds(rows, rows * entries, 1);
      EXPECT_NEAR(again / cold_s(operation, rows, entries), 0.25, 1e-9) << name_of(operation);
      EXPECT_NEAR(kernel.seconds(rows, rows * entries, 0) / cold_s(operation, rows, entries), 1,
                  1e-9);
      // The interval is that of the samples.
      EXPECT_NEAR(AmgKernel(*table, Bound::slowest).seconds(rows, rows * entries) /
                      cold_s(operation, rows, entries),
                  1.02, 1e-9);
    }
  }
}

// Beyond the last cache, where two sizes at least are, a table goes on at the memory's rate: as far
// as 256^3 cells from the 2 million rows of a quick calibration, here of an H200's rates.
TEST(AmgFromSamples, AGpusGoOnAtItsMemorysRate) {
  constexpr double call_s = 1e-5, memory = 4.1e12, cache = 3 * memory, cache_bytes = 5e7;
  const auto seconds = [&](double rows, double entries, bool again) {
    const double bytes = amg_operator_bytes(rows, rows * entries);
    return call_s + bytes / (again && bytes < cache_bytes ? cache : memory);
  };
  AmgCases cases;
  SampleStore store;
  for (const AmgSpec& spec : amg_specs(true, 4 * gibibyte, true)) {
    EXPECT_TRUE(spec.on_gpu);
    const SampleKey key{static_cast<int>(cases.size()) + 1, 0};
    cases.push_back({spec, key});
    std::size_t part = 0;
    for (const AmgOperation operation : amg_operations(spec))
      for (const double one : {seconds(spec.rows, spec.entries_per_row, false),
                               seconds(spec.rows, spec.entries_per_row, true), 0., 0.})
        store.add(key.of_part(part++), name_of(operation), one);
  }
  Machine machine = full_machine();
  machine.sections.erase("amg");
  machine.layout.ranks = 1;
  amg_from_samples(cases, store, machine);
  const AmgKernelParameters& kernels = *amg_kernels(machine);
  EXPECT_TRUE(kernels.gauss_seidel.empty());
  for (const AmgKernelTable* const table :
       {&kernels.spmv, &kernels.jacobi, &kernels.chebyshev, &kernels.interpolate}) {
    const AmgKernel kernel(*table, Bound::value);
    const double entries = table == &kernels.interpolate ? 2 : 7;
    for (const double rows : {1e3, 5e4, 1e6, 256. * 256 * 256})
      EXPECT_NEAR(kernel.seconds(rows, rows * entries) / seconds(rows, entries, false), 1, 1e-9);
    EXPECT_NEAR(kernel.seconds(2e5, 2e5 * entries, 1) / seconds(2e5, entries, true), 1, 0.2);
  }
  const AmgCaches caches(AmgKernel(kernels.spmv, Bound::value));
  EXPECT_GT(caches.held(1e7, 1e7), 0.9);
  EXPECT_NEAR(caches.held(1e7, 1e9), 0, 1e-9);
  const nlohmann::json document = to_json(machine);
  EXPECT_EQ(to_json(parse_machine(document, "machine.json")), document);
}

TEST(AmgFromSamples, TheCoarseSolveGoesByItsUnknowns) {
  const AmgKernelParameters kernels = *amg_kernels(machine_from(amg_specs(true, gibibyte)));
  ASSERT_EQ(kernels.coarse_solve.size(), 1U);
  const AmgKernel kernel(kernels.coarse_solve, Bound::value);
  for (const double rows : {1., 4., 9.})
    EXPECT_NEAR(kernel.seconds(rows, rows), 1e-6 * (1 + rows), 1e-15);
}

TEST(AmgFromSamples, ThreadsHaveTheirBandwidthAndOverhead) {
  std::vector<AmgSpec> specs = amg_specs(true, gibibyte);
  EXPECT_TRUE(machine_from(specs).sections.contains("amg"));
  EXPECT_TRUE(amg_kernels(machine_from(specs))->thread_counts.empty());
  EXPECT_TRUE(amg_loop_specs(1, gibibyte).empty());
  const std::vector<AmgSpec> loops = amg_loop_specs(6, gibibyte);
  EXPECT_EQ(loops.size(), 8U) << "1, 2, 4 and 6 threads";
  specs.insert(specs.end(), loops.begin(), loops.end());
  const std::vector<AmgThreads> found = amg_kernels(machine_from(specs))->thread_counts;
  ASSERT_EQ(found.size(), 4U);
  for (const AmgThreads& one : found) {
    EXPECT_NEAR(one.bandwidth_bytes_per_s.value * one.threads / 12e9, 1, 1e-3);
    EXPECT_NEAR(one.fork_join_s.value, 1e-6 * (one.threads - 1), 2e-8) << one.threads;
    EXPECT_LE(one.fork_join_s.low, one.fork_join_s.value);
  }
  EXPECT_EQ(found.back().threads, 6);
}

TEST(AmgFromSamples, AloneNobodyWaits) {
  AmgCases cases = {{AmgSpec{{AmgRole::level, 100, 7}}, {1, 0}}};
  SampleStore store;
  for (std::size_t part = 0; part < 20; ++part) store.add(SampleKey{1, 0}.of_part(part), "part", 1);
  Machine machine = full_machine();
  machine.layout.ranks = 1;
  amg_from_samples(cases, store, machine);
  EXPECT_FALSE(amg_kernels(machine)->spmv.front().times.front().wait_s.has_value());
  machine.layout.ranks = 2;
  amg_from_samples(cases, store, machine);
  EXPECT_TRUE(amg_kernels(machine)->spmv.front().times.front().wait_s.has_value());
}

TEST(AmgFromSamples, GivesAMachineThatItsFileHolds) {
  std::vector<AmgSpec> specs = amg_specs(true, gibibyte);
  for (const AmgSpec& loop : amg_loop_specs(4, gibibyte)) specs.push_back(loop);
  const nlohmann::json document = to_json(machine_from(specs));
  EXPECT_EQ(to_json(parse_machine(document, "machine.json")), document);
}

TEST(AmgFromSamples, KeepsWhatIsPublished) {
  const AmgSpec spec{{AmgRole::level, 100, 7}};
  SampleStore store;
  for (std::size_t part = 0; part < 20; ++part) store.add(SampleKey{1, 0}.of_part(part), "part", 1);
  Machine machine = full_machine();
  amg_from_samples({{spec, {1, 0}}}, store, machine);
  EXPECT_NE(amg_published(machine), nullptr);
  EXPECT_EQ(amg_kernels(machine)->spmv.size(), 1U);
  Machine bare;
  amg_from_samples({}, {}, bare);
  EXPECT_EQ(section<AmgParameters>(bare), nullptr) << "without cases there is no section";
}

TEST(AmgSpecs, KeepWithinTheMemory) {
  for (const bool quick : {false, true})
    for (const std::size_t most : {std::size_t{1} << 20, std::size_t{64} << 20, gibibyte}) {
      const std::vector<AmgSpec> specs = amg_specs(quick, most);
      std::set<std::string> names;
      for (const AmgSpec& spec : specs) {
        EXPECT_LE(amg_case_bytes(spec), most);
        names.insert(spec.name());
      }
      EXPECT_EQ(names.size(), specs.size());
      EXPECT_TRUE(names.contains("amg/matrix/rows:100/entries:7"));
      EXPECT_TRUE(names.contains("amg/transfer/rows:100/entries:4"));
    }
  EXPECT_TRUE(amg_specs(false, 1000).empty());
  for (const bool quick : {false, true})
    EXPECT_GT(amg_specs(quick, 4 * gibibyte, true).size(), amg_specs(quick, 4 * gibibyte).size());
  EXPECT_LT(amg_specs(true, gibibyte).size(), amg_specs(false, gibibyte).size());
}

}  // namespace
}  // namespace bellwether
