// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "microbench/hpl/hpl.hpp"
#include "models/hpl/hpl_costs.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/machine/full_machine.hpp"
#include "models/machine/machine_json.hpp"

namespace bellwether {
namespace {

using Operation = HplSpec::Operation;

/// What a rank of known costs would take.
double product_s(double m, double n, double k) {
  const double rate = 5e10 / (1 + 20 / k);
  return 2 * m * n * k / rate * (1 + 6 / m + 12 / n);
}
double triangle_s(double w, double n) { return w * w * (n + 30) / (2e10 / (1 + 40 / w)); }
double factor_s(double rows, double w) { return 1e-5 + rows * w * (1e-10 + w * 2e-11); }

/// Three samples about `seconds`, so far to either side.
void add(SampleStore& store, SampleKey key, const std::string& name, double seconds,
         double spread = 0.02) {
  for (const double share : {1 + spread, 1., 1 - spread}) store.add(key, name, share * seconds);
}

Machine machine_from(const std::vector<HplSpec>& specs, double spread = 0.02) {
  HplCases cases;
  SampleStore store;
  for (const HplSpec& spec : specs) {
    const SampleKey key{static_cast<int>(cases.size()) + 1, 0};
    cases.push_back({spec, key});
    const double m = spec.rows, n = spec.columns, w = spec.width;
    double seconds = 0;
    switch (spec.operation) {
      case Operation::product:
        seconds = product_s(m, n, w);
        break;
      case Operation::triangle:
        seconds = triangle_s(w, n);
        break;
      case Operation::panel:
        add(store, key.of_part(0), "copy", 16 * m * w / 4e9, spread);
        add(store, key.of_part(1), "factor", factor_s(m, w), spread);
        add(store, key.of_part(2), "invert", 1e-10 * w * w * w, spread);
        continue;
      case Operation::swap:
        seconds = 32 * w * n / 8e9;
        break;
      case Operation::solve:
        seconds = 8 * m * w / 9e9;
        break;
      case Operation::broadcast:
        seconds = 8 * m * n / 6e9;
        break;
      case Operation::pivot:
        seconds = 2e-6;
        break;
    }
    add(store, key, spec.name(), seconds, spread);
  }
  Machine machine;
  machine.device.kind = "cpu";
  hpl_from_samples(cases, store, machine);
  return machine;
}

constexpr std::size_t gibibyte = std::size_t{1} << 30;

TEST(HplFromSamples, FindsTheCostsThatMadeThem) {
  const HplSizes sizes = hpl_sizes(full_limits(), 8 * gibibyte);
  const Machine machine = machine_from(hpl_specs(sizes, true, true));
  std::vector<std::string> notes;
  Machine whole = machine;
  whole.device.memory_bandwidth_bytes_per_s = Quantity::exact(1e10);
  const HplCosts costs = hpl_costs(whole, 2, Bound::value, notes);
  EXPECT_TRUE(notes.empty());
  for (const double k : {32., 64., 80., 128., 300., 512.}) {
    EXPECT_NEAR(costs.gemm(5000, 4000, k) / product_s(5000, 4000, k), 1, 1e-6) << k;
    EXPECT_NEAR(costs.gemm(100, 4000, k) / product_s(100, 4000, k), 1, 1e-6) << k;
    EXPECT_NEAR(costs.gemm(5000, 64, k) / product_s(5000, 64, k), 1, 1e-6) << k;
    EXPECT_NEAR(costs.triangle(k, 700) / triangle_s(k, 700), 1, 1e-6) << k;
    // Constants of a panel, and its copy, are not linear in its width.
    const double panel = 16 * (3000 + k) * k / 4e9 + factor_s(3000, k) + 1e-10 * k * k * k;
    EXPECT_NEAR(costs.panel(3000, k) / panel, 1, 0.02) << k;
  }
  EXPECT_NEAR(costs.copy_rows(1e6), 16e6 / 8e9, 1e-12);
  EXPECT_NEAR(costs.sweep(1e6), 8e6 / 9e9, 1e-12);
  EXPECT_NEAR(costs.broadcast_bytes_per_s, 6e9, 1);
  EXPECT_NEAR(costs.pivot_s.value(), 2e-6, 1e-12);
  const HplKernelParameters& kernels = *section<HplParameters>(machine)->kernels;
  EXPECT_EQ(kernels.panel_on, "device");
  EXPECT_NEAR(kernels.gemm->flops_per_s.value, 5e10, 1e6);
  EXPECT_NEAR(kernels.gemm->half_k.value, 20, 1e-3);
  EXPECT_LT(kernels.gemm->flops_per_s.low, 4.95e10);
  EXPECT_GT(kernels.gemm->flops_per_s.high, 5.05e10);
}

TEST(HplFromSamples, GivesAMachineThatItsFileHolds) {
  // All samples alike, whose intervals are nothing but rounding.
  const HplSizes sizes = hpl_sizes(full_limits(), 8 * gibibyte);
  for (double spread : {0., 0.02}) {
    Machine machine = full_machine();
    machine.sections.erase("hpl");
    set_section(machine,
                *section<HplParameters>(machine_from(hpl_specs(sizes, true, true), spread)));
    const nlohmann::json document = to_json(machine);
    EXPECT_EQ(to_json(parse_machine(document, "machine.json")), document);
  }
}

TEST(HplFromSamples, OneRankHasNobodyToSendTo) {
  const HplSizes sizes = hpl_sizes(quick_limits(), 8 * gibibyte);
  const HplKernelParameters kernels =
      *section<HplParameters>(machine_from(hpl_specs(sizes, false, true)))->kernels;
  EXPECT_FALSE(kernels.broadcast_bandwidth_bytes_per_s);
  EXPECT_FALSE(kernels.pivot_s);
  EXPECT_EQ(kernels.gemm->by_k.size(), sizes.widths.size());
  EXPECT_EQ(kernels.panel.front().heights.size(), sizes.heights.size());
}

TEST(HplFromSamples, WithoutCasesThereIsNoSection) {
  Machine machine;
  hpl_from_samples({}, {}, machine);
  EXPECT_EQ(section<HplParameters>(machine), nullptr);
}

TEST(HplFromSamples, KeepsTheSimulationsParameters) {
  Machine machine;
  set_section(machine, HplParameters{HplSimulationParameters{}, std::nullopt});
  const HplSpec swap{Operation::swap, 0, 100, 10};
  SampleStore store;
  add(store, {1, 0}, "swap", 1e-3);
  HplCases cases{{swap, {1, 0}}};
  for (const int rows : {64, 512})
    for (const int columns : {64, 512}) {
      const SampleKey key{static_cast<int>(cases.size()) + 1, 0};
      cases.push_back({{Operation::product, rows, columns, 64}, key});
      add(store, key, "product", product_s(rows, columns, 64));
    }
  hpl_from_samples(cases, store, machine);
  EXPECT_TRUE(section<HplParameters>(machine)->simulation);
  EXPECT_TRUE(section<HplParameters>(machine)->kernels);
}

TEST(HplSizes, KeepWithinLimitsAndRoom) {
  const HplSizes full = hpl_sizes(full_limits(), 8 * gibibyte);
  EXPECT_EQ(full.edge, 2048);
  EXPECT_EQ(full.widths.back(), 512);
  EXPECT_EQ(full.heights.back(), 16384);
  const HplSizes quick = hpl_sizes(quick_limits(), 8 * gibibyte);
  EXPECT_LT(quick.widths.size(), full.widths.size());
  const HplSizes small = hpl_sizes(full_limits(), gibibyte / 4);
  EXPECT_LT(small.edge, full.edge);
  EXPECT_FALSE(small.empty());
  EXPECT_TRUE(hpl_sizes(full_limits(), 1000).empty());
  EXPECT_TRUE(hpl_specs(hpl_sizes(full_limits(), 1000), true, true).empty());
}

TEST(HplSpecs, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  const std::vector<HplSpec> specs = hpl_specs(hpl_sizes(full_limits(), 8 * gibibyte), true, true);
  for (const HplSpec& spec : specs) names.insert(spec.name());
  EXPECT_EQ(names.size(), specs.size());
  EXPECT_TRUE(names.contains("hpl/product/rows:2048/columns:2048/width:128"));
  EXPECT_TRUE(names.contains("hpl/panel/rows:16384/width:256"));
  for (const HplSpec& spec : hpl_specs(hpl_sizes(full_limits(), 8 * gibibyte), true, false))
    EXPECT_NE(spec.operation, Operation::broadcast);
}

}  // namespace
}  // namespace bellwether
