// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "microbench/cholesky/cholesky.hpp"
#include "models/cholesky/cholesky_block.hpp"
#include "models/cholesky/cholesky_parameters.hpp"
#include "models/cholesky/column_costs.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/test_full_machine.hpp"

namespace bellwether {
namespace {

using Operation = CholeskySpec::Operation;

constexpr std::size_t gibibyte = std::size_t{1} << 30;

/// A made-up rank: 20 GB/s of updates in the nearest cache, 10 GB/s from 1 MB on.
double update_s(const CholeskySpec& spec, double value) {
  const double bytes = value * spec.updated_values();
  return 3e-7 + 2e-8 * spec.updated_columns() + 2 * bytes / (bytes < 1e6 ? 2e10 : 1e10);
}
double product_s(double m, double n, double b) {
  return 2 * m * n * b / (5e10 / (1 + 8 / b)) * (1 + 6 / m + 12 / n);
}
double factor_s(double b) { return 1e-9 * b * b * (4 + b / 16); }
double seconds_of(const CholeskySpec& spec) {
  const double value = spec.precision == "f32" ? 4 : 8;
  const auto rows = static_cast<double>(spec.rows);
  switch (spec.operation) {
    case Operation::update:
      return update_s(spec, value);
    case Operation::scale:
      return 2e-7 + value * rows / 4e9;
    case Operation::broadcast:
      return 9e-7 + 8 * rows / 7e9;
    case Operation::overhead:
      return 3e-7;
    case Operation::factor:
      return factor_s(spec.width);
    case Operation::solve:
      return 1. * spec.width * spec.width * rows / 2e10;
    case Operation::product:
      return product_s(rows, static_cast<double>(spec.columns), spec.width);
  }
  return 0;
}

/// With `product_s` all products take as long.
Machine machine_from(const std::vector<CholeskySpec>& specs, double spread = 0.02,
                     double product_s = 0) {
  CholeskyCases cases;
  SampleStore store;
  for (const CholeskySpec& spec : specs) {
    const SampleKey key{static_cast<int>(cases.size()) + 1, 0};
    cases.push_back({spec, key});
    for (const double share : {1 + spread, 1., 1 - spread})
      store.add(key, spec.name(),
                share * (product_s > 0 && spec.operation == CholeskySpec::Operation::product
                             ? product_s
                             : seconds_of(spec)));
  }
  Machine machine;
  machine.device.kind = "cpu";
  cholesky_from_samples(cases, store, machine);
  return machine;
}

std::vector<CholeskySpec> full_specs(bool blas = true, bool pairs = true) {
  return cholesky_specs(cholesky_sizes(full_limits(), 8 * gibibyte, true), false, blas, pairs);
}

TEST(CholeskyFromSamples, FindsTheCostsThatMadeThem) {
  const Machine machine = machine_from(full_specs());
  for (const std::string precision : {"f32", "f64"}) {
    const double value = precision == "f32" ? 4 : 8;
    const ColumnCosts costs(machine, precision, 2, true);
    EXPECT_NEAR(costs.update_start_up_s(Bound::value), 3e-7, 1e-11);
    EXPECT_NEAR(costs.updated_column_start_up_s(Bound::value), 2e-8, 1e-12);
    EXPECT_NEAR(costs.update_s(3e4, Bound::value) / (2 * value / 2e10), 1, 1e-6);
    EXPECT_NEAR(costs.update_s(5e7, Bound::value) / (2 * value / 1e10), 1, 1e-6);
    EXPECT_NEAR(costs.update_s(1e12, Bound::value) / (2 * value / 1e10), 1, 1e-6);
    EXPECT_LT(costs.update_s(5e7, Bound::fastest), costs.update_s(5e7, Bound::value));
    EXPECT_GT(costs.update_s(5e7, Bound::slowest), costs.update_s(5e7, Bound::value));
    EXPECT_NEAR(costs.scaling_start_up_s(Bound::value), 2e-7, 1e-10);
    EXPECT_NEAR(costs.scaling_s(1e4, Bound::value), value / 4e9, 1e-13);
    EXPECT_TRUE(costs.notes(1e6).empty());
    EXPECT_EQ(costs.notes(1e12).size(), 1U);
    ASSERT_NE(costs.broadcast(), nullptr);
    EXPECT_NEAR(costs.broadcast()->latency_s.value, 9e-7, 1e-10);
    EXPECT_NEAR(costs.broadcast()->bandwidth_bytes_per_s.value, 7e9, 1e5);
    ASSERT_TRUE(costs.broadcast()->overhead_s);
    EXPECT_NEAR(costs.broadcast()->overhead_s->value, 3e-7, 1e-12);
    std::vector<std::string> notes;
    for (const double b : {8., 24., 64., 100., 256.}) {
      const BlockCosts block = block_costs(machine, precision, b, Bound::value, notes);
      EXPECT_NEAR(block.product(5000, 700, b) / product_s(5000, 700, b), 1, 1e-6) << b;
      EXPECT_NEAR(block.product(100, 64, b) / product_s(100, 64, b), 1, 1e-6) << b;
      // Neither a diagonal block nor its square is linear in B.
      EXPECT_NEAR(block.panel(3000, b) / (factor_s(b) + b * b * (3000 - b) / 2e10), 1, 0.03) << b;
    }
    EXPECT_TRUE(notes.empty());
    (void)block_costs(machine, precision, 512, Bound::value, notes);
    EXPECT_EQ(notes.size(), 1U);
  }
}

TEST(CholeskyFromSamples, GivesAMachineThatItsFileHolds) {
  for (const double spread : {0., 0.02}) {
    Machine machine = full_machine();
    set_section(machine, *section<CholeskyParameters>(machine_from(full_specs(), spread)));
    const nlohmann::json document = to_json(machine);
    EXPECT_EQ(to_json(parse_machine(document, "machine.json")), document);
  }
}

TEST(CholeskyFromSamples, ProductsThatTakeAlikeHaveTheLargestOnesRate) {
  Machine machine = full_machine();
  set_section(machine, *section<CholeskyParameters>(machine_from(full_specs(), 0, 1e-3)));
  const nlohmann::json document = to_json(machine);
  EXPECT_EQ(to_json(parse_machine(document, "machine.json")), document);
  for (const CholeskyBlock& block :
       section<CholeskyParameters>(machine)->kernels.at("f64").blocks) {
    EXPECT_GT(block.product_flops_per_s.value, 0);
    EXPECT_EQ(block.half_m.value, 0);
  }
}

TEST(CholeskyFromSamples, WhatIsNotMeasuredIsNotThere) {
  const Machine alone = machine_from(full_specs(false, false));
  const auto& parameters = *section<CholeskyParameters>(alone);
  EXPECT_FALSE(parameters.broadcast_latency_s);
  EXPECT_FALSE(parameters.broadcast_overhead_s);
  EXPECT_TRUE(parameters.kernels.at("f64").blocks.empty());
  Machine machine;
  cholesky_from_samples({}, {}, machine);
  EXPECT_EQ(section<CholeskyParameters>(machine), nullptr);
}

TEST(CholeskySpecs, KeepWithinLimitsAndHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  const std::vector<CholeskySpec> specs = full_specs();
  for (const CholeskySpec& spec : specs) names.insert(spec.name());
  EXPECT_EQ(names.size(), specs.size());
  EXPECT_TRUE(names.contains("cholesky/update/f64/rows:4096"));
  EXPECT_TRUE(names.contains("cholesky/update/f32/rows:384/of:64"));
  EXPECT_TRUE(names.contains("cholesky/product/f64/rows:4096/columns:256/block:64"));
  EXPECT_TRUE(cholesky_specs(cholesky_sizes(full_limits(), 1000, true), false, true, true).empty());
  EXPECT_LT(cholesky_specs(cholesky_sizes(quick_limits(), gibibyte, true), true, true, true).size(),
            specs.size());
  EXPECT_EQ(cholesky_sizes(full_limits(), 8 * gibibyte, true).rows, 4096);
  EXPECT_EQ(cholesky_sizes(full_limits(), 8 * gibibyte, false).rows, 16384);  // a device's
  EXPECT_EQ(cholesky_sizes(full_limits(), gibibyte, false).rows, 4096);
  for (const std::size_t room : {gibibyte / 512, gibibyte / 16, 8 * gibibyte}) {
    const CholeskySizes sizes = cholesky_sizes(full_limits(), room, true);
    for (const CholeskySpec& spec : cholesky_specs(sizes, false, true, true)) {
      if (spec.operation != Operation::update) continue;
      const double value = spec.precision == "f32" ? 4 : 8;
      EXPECT_LE(value * spec.updated_values(), static_cast<double>(room) / 2);
    }
  }
}

TEST(CholeskySpecs, CountWhatAnUpdateUpdates) {
  const CholeskySpec whole{Operation::update, "f64", 5, 0, 0, 1};
  EXPECT_EQ(whole.updated_values(), 15);
  const CholeskySpec third{Operation::update, "f64", 7, 0, 0, 3};  // columns 0, 3, 6
  EXPECT_EQ(third.updated_columns(), 3);
  EXPECT_EQ(third.updated_values(), 7 + 4 + 1);
}

}  // namespace
}  // namespace bellwether
