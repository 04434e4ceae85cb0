// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "microbench/hpl/hpl.hpp"
#include "models/hpl/hpl_costs.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/test_full_machine.hpp"

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
double device_factor_s(double rows, double w) { return 4e-6 * w + w * w * (rows - w / 3) / 3e11; }

/// Three samples about `seconds`, so far to either side.
void add(SampleStore& store, SampleKey key, const std::string& name, double seconds,
         double spread = 0.02) {
  for (const double share : {1 + spread, 1., 1 - spread}) store.add(key, name, share * seconds);
}

Machine machine_from(const std::vector<HplSpec>& specs, double spread = 0.02,
                     const char* kind = "cpu") {
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
      case Operation::device_panel:
        seconds = device_factor_s(m, w);
        break;
      case Operation::solve_triangle:
        seconds = 3 * triangle_s(w, n);
        break;
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
  machine.device.kind = kind;
  hpl_from_samples(cases, store, machine);
  return machine;
}

constexpr std::size_t gibibyte = std::size_t{1} << 30;
constexpr HplSite cpus{true, true, false}, gpus{true, false, true};

TEST(HplFromSamples, FindsTheCostsThatMadeThem) {
  const HplSizes sizes = hpl_sizes(full_limits(), 8 * gibibyte);
  const Machine machine = machine_from(hpl_specs(sizes, cpus));
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
  const Quantity& deepest = kernels.gemm->flops_per_s;
  EXPECT_NEAR(deepest.value, 5e10 / (1 + 20. / kernels.gemm->by_k.back().k), 1e6);
  EXPECT_LT(deepest.low, 0.99 * deepest.value);
  EXPECT_GT(deepest.high, 1.01 * deepest.value);
}

TEST(HplFromSamples, AGpuHasItsHostsPanelsAndItsOwn) {
  for (const CalibrationLimits& limits : {quick_limits(), full_limits()}) {
    const HplSizes sizes = hpl_sizes(limits, 8 * gibibyte);
    Machine machine = machine_from(hpl_specs(sizes, gpus), 0.02, "gpu");
    const HplKernelParameters& kernels = *section<HplParameters>(machine)->kernels;
    EXPECT_EQ(kernels.panel_on, "host");
    EXPECT_EQ(kernels.panel.size(), sizes.widths.size());
    ASSERT_TRUE(kernels.device_panel);
    EXPECT_NEAR(kernels.device_panel->column_s.value, 4e-6, 1e-10);
    EXPECT_NEAR(kernels.device_panel->flops_per_s.value, 3e11, 1e7);
    EXPECT_LT(kernels.device_panel->flops_per_s.low, 2.97e11);
    EXPECT_GT(kernels.device_panel->flops_per_s.high, 3.03e11);
    machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(1e10);
    machine.links["host_to_device"] = machine.links["device_to_host"] = {};
    std::vector<std::string> notes;
    const HplCosts device = hpl_costs(machine, 1, Bound::value, notes, "device");
    const HplCosts host = hpl_costs(machine, 1, Bound::value, notes, "host");
    EXPECT_TRUE(notes.empty());
    EXPECT_NEAR(device.triangle(256, 700) / triangle_s(256, 700), 3, 1e-6);
    const double copies = 16 * (65536. + 512) * 512 / 4e9;
    EXPECT_NEAR((device.panel(65536, 512) - copies) / device_factor_s(65536, 512), 1, 1e-4);
    EXPECT_NEAR(host.panel(4096, 128) - 16 * 4224. * 128 / 4e9 - 1e-10 * 128 * 128 * 128,
                factor_s(4096, 128), 0.03 * factor_s(4096, 128));
  }
}

/// Of panels of 32 columns and so many rows.
DevicePanel device_panel_from(const std::vector<std::pair<int, double>>& seconds_of_rows) {
  HplCases cases;
  SampleStore store;
  const auto measure = [&](HplSpec spec, double seconds) {
    const SampleKey key{static_cast<int>(cases.size()) + 1, 0};
    cases.push_back({spec, key});
    add(store, key, spec.name(), seconds);
  };
  for (const int rows : {64, 512})
    for (const int columns : {64, 512})
      measure({Operation::product, rows, columns, 64}, product_s(rows, columns, 64));
  for (const auto& [rows, seconds] : seconds_of_rows)
    measure({Operation::device_panel, rows, 0, 32}, seconds);
  Machine machine;
  hpl_from_samples(cases, store, machine);
  return *section<HplParameters>(machine)->kernels->device_panel;
}

TEST(HplFromSamples, PanelsWhoseColumnsTakeAllTheTimeHaveARateToo) {
  using Times = std::vector<std::pair<int, double>>;
  const auto largest = [](const Times& times) {
    return 32 * 32 * (512 - 32 / 3.) / times.back().second;
  };
  for (const Times& too_few : {Times{{512, 1e-3}}, Times{{64, 5e-4}, {512, 1e-3}}}) {
    const DevicePanel panel = device_panel_from(too_few);
    EXPECT_EQ(panel.column_s.value, 0);
    EXPECT_NEAR(panel.flops_per_s.value, largest(too_few), 1);
  }
  const Times alike{{64, 1e-3}, {256, 1e-3}, {512, 1.0001e-3}};
  const DevicePanel of_columns = device_panel_from(alike);
  EXPECT_NEAR(of_columns.column_s.value, 1e-3 / 32, 1e-8);
  EXPECT_NEAR(of_columns.flops_per_s.value / largest(alike), 1000, 1);
  // Of the largest of these flops are 1.3 %.
  Times known;
  for (const int rows : {64, 256, 512}) known.emplace_back(rows, device_factor_s(rows, 32));
  const DevicePanel panel = device_panel_from(known);
  EXPECT_NEAR(panel.column_s.value, 4e-6, 1e-10);
  EXPECT_NEAR(panel.flops_per_s.value, 3e11, 1e7);
}

TEST(HplFromSamples, GivesAMachineThatItsFileHolds) {
  // All samples alike, whose intervals are nothing but rounding.
  const HplSizes sizes = hpl_sizes(full_limits(), 8 * gibibyte);
  for (double spread : {0., 0.02}) {
    Machine machine = full_machine();
    machine.sections.erase("hpl");
    set_section(machine, *section<HplParameters>(machine_from(hpl_specs(sizes, gpus), spread)));
    const nlohmann::json document = to_json(machine);
    EXPECT_EQ(to_json(parse_machine(document, "machine.json")), document);
  }
}

TEST(HplFromSamples, OneRankHasNobodyToSendTo) {
  const HplSizes sizes = hpl_sizes(quick_limits(), 8 * gibibyte);
  const HplKernelParameters kernels =
      *section<HplParameters>(machine_from(hpl_specs(sizes, {})))->kernels;
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
  EXPECT_TRUE(hpl_specs(hpl_sizes(full_limits(), 1000), gpus).empty());
}

TEST(HplSpecs, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  const std::vector<HplSpec> specs =
      hpl_specs(hpl_sizes(full_limits(), 8 * gibibyte), {true, true, true});
  for (const HplSpec& spec : specs) names.insert(spec.name());
  EXPECT_EQ(names.size(), specs.size());
  EXPECT_TRUE(names.contains("hpl/product/rows:2048/columns:2048/width:128"));
  EXPECT_TRUE(names.contains("hpl/panel/rows:16384/width:256"));
  for (const HplSpec& spec : hpl_specs(hpl_sizes(full_limits(), 8 * gibibyte), gpus))
    EXPECT_NE(spec.operation, Operation::broadcast);
}

}  // namespace
}  // namespace bellwether
