// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "models/machine/device_classes.hpp"
#include "models/median.hpp"
#include "results/reproduce/papers.hpp"

namespace bellwether {
namespace {

constexpr double bytes_of_cell = 2 * 19 * 4;

struct Row {
  double share;      ///< of the data sheet's bandwidth
  double bandwidth;  ///< byte/s
  double cores;
};

/// The published rows of a kind and vendor, of any where that is empty.
std::vector<Row> rows_of(const std::string& kind, const std::string& vendor) {
  const std::set<std::string> before_2012{"Radeon HD 6970", "Radeon HD 5870", "FirePro V5800"};
  std::vector<Row> rows;
  for (const nlohmann::json& row : published("outside").at("lbm").at("one_device")) {
    if (row.at("kind") != kind || before_2012.contains(row.at("device"))) continue;
    if (!vendor.empty() && row.at("vendor") != vendor) continue;
    const double bandwidth = 1e9 * row.at("bandwidth").get<double>();
    rows.push_back({1e6 * row.at("rate").get<double>() * bytes_of_cell / bandwidth, bandwidth,
                    row.value("cores", 1.)});
  }
  return rows;
}

std::vector<double> shares_of(const std::vector<Row>& rows) {
  std::vector<double> shares;
  for (const Row& row : rows) shares.push_back(row.share);
  std::sort(shares.begin(), shares.end());
  return shares;
}

constexpr double rounding = 0.0101;

/// Median, shortest interval of nine in ten and one more, and what the others miss of each.
TEST(DeviceClasses, OfGpusAreThePublishedRows) {
  for (const DeviceClass& known : device_classes().devices) {
    if (known.kind != "gpu") continue;
    const std::vector<double> shares = shares_of(rows_of("gpu", known.vendor));
    const std::size_t count = shares.size(), held = std::min(count, (9 * (count + 1) + 9) / 10);
    std::size_t first = 0;
    for (std::size_t at = 0; at + held <= count; ++at)
      if (shares[at + held - 1] / shares[at] < shares[first + held - 1] / shares[first]) first = at;
    std::vector<double> misses;
    for (std::size_t at = 0; at < count; ++at) {
      std::vector<double> others = shares;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
      misses.push_back(std::abs(median_of(others) / shares[at] - 1));
    }
    EXPECT_NEAR(known.memory_efficiency.value, median_of(shares), rounding) << known.vendor;
    EXPECT_NEAR(known.memory_efficiency.low, shares[first], rounding) << known.vendor;
    EXPECT_NEAR(known.memory_efficiency.high, shares[first + held - 1], rounding) << known.vendor;
    EXPECT_NEAR(known.leave_one_out_error, median_of(misses), rounding) << known.vendor;
  }
}

/// No share and limit of a core beside the class's miss the rows less.
TEST(DeviceClasses, OfCpusIsWhatMissesTheRowsLeast) {
  const DeviceClass& known = device_classes().devices.back();
  ASSERT_EQ(known.kind, "cpu");
  const std::vector<Row> rows = rows_of("cpu", "");
  const auto share = [](const Row& row, double memory, double core) {
    return 1 / (1 / memory + row.bandwidth / row.cores / core);
  };
  const auto missed = [&](double memory, double core) {
    double sum = 0;
    for (const Row& row : rows) sum += std::abs(std::log(share(row, memory, core) / row.share));
    return sum;
  };
  const double memory = known.memory_efficiency.value,
               core = known.core_bandwidth_bytes_per_s->value;
  for (const double of_memory : {0.9, 0.95, 1., 1.05, 1.1})
    for (const double of_core : {0.8, 0.9, 1., 1.1, 1.2})
      EXPECT_LE(missed(memory, core), 1.001 * missed(of_memory * memory, of_core * core));
  const auto held = std::count_if(rows.begin(), rows.end(), [&](const Row& row) {
    return share(row, known.memory_efficiency.low, known.core_bandwidth_bytes_per_s->low) <=
               row.share &&
           row.share <=
               share(row, known.memory_efficiency.high, known.core_bandwidth_bytes_per_s->high);
  });
  EXPECT_GE(held, 0.88 * static_cast<double>(rows.size()));
}

/// What the models are from the published rows today: a change of them is looked at.
TEST(ReproduceOutside, RecordedFigures) {
  const std::vector<ReproducedTrend> trends = reproduce_outside({}).trends;
  ASSERT_EQ(trends.size(), 7u);
  EXPECT_EQ(trends[0].computed,
            "9.6 %; 128 of 141 within intervals whose ends are 1.65 apart in the median");
  EXPECT_EQ(trends[1].computed,
            "15.8 %; 26 of 38 within intervals whose ends are 1.77 apart in the median");
  EXPECT_EQ(trends[5].computed, "2.38 times, measured 3.29");
  EXPECT_EQ(trends[6].computed,
            "9.8 %; 1 of 2 within intervals whose ends are 1.36 apart in the median");
  for (const std::size_t holding : {0, 1, 3, 4, 5, 6})
    EXPECT_TRUE(trends[holding].holds) << trends[holding].item << ": " << trends[holding].computed;
}

}  // namespace
}  // namespace bellwether
