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
  const double slower = 1 + static_cast<int>(operation);
  return 2e-6 + rows * (3e-9 + slower * 1e-9 * entries);
}
/// Of which a second call takes a quarter up to a million bytes, and then all.
double again_s(AmgOperation operation, double rows, double entries) {
  const bool fits = amg_operator_bytes(rows, rows * entries) <= 1e6;
  return (fits ? 0.25 : 1) * cold_s(operation, rows, entries);
}

Machine machine_from(const std::vector<AmgSpec>& specs) {
  AmgCases cases;
  SampleStore store;
  for (const AmgSpec& spec : specs) {
    const SampleKey key{static_cast<int>(cases.size()) + 1, 0};
    cases.push_back({spec, key});
    std::size_t part = 0;
    for (const AmgOperation operation : amg_operations(spec))
      for (const auto& seconds : {cold_s, again_s}) {
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
      const double entries = transfer ? 2 : 7, rows = 100;
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
                               seconds(spec.rows, spec.entries_per_row, true)})
        store.add(key.of_part(part++), name_of(operation), one);
  }
  Machine machine = full_machine();
  machine.sections.erase("amg");
  machine.layout.ranks = 1;
  amg_from_samples(cases, store, machine);
  const AmgKernelParameters& kernels = *amg_kernels(machine);
  EXPECT_TRUE(kernels.gauss_seidel.empty());
  for (const AmgKernelTable* const table : {&kernels.spmv, &kernels.interpolate}) {
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

TEST(AmgFromSamples, GivesAMachineThatItsFileHolds) {
  const nlohmann::json document = to_json(machine_from(amg_specs(true, gibibyte)));
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
        EXPECT_LE(amg_matrix_bytes(spec), most);
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
