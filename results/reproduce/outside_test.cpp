// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "models/amg/amg_curve.hpp"
#include "models/amg/amg_run.hpp"
#include "models/machine/device_classes.hpp"
#include "models/machine/machine_file.hpp"
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

/// Nine in ten devices' rates lie within what `transfer` makes of another's: the quotient of their
/// classes' shares, and both intervals' logarithms added as squares.
TEST(DeviceClasses, IntervalsHoldBetweenPublishedDevices) {
  struct Device {
    double share, low, value, high;
    std::string vendor;
  };
  for (const char* kind : {"gpu", "cpu"}) {
    std::vector<Device> devices;
    for (const DeviceClass& known : device_classes().devices) {
      if (known.kind != kind || (known.vendor.empty() && kind == std::string("gpu"))) continue;
      for (const Row& row : rows_of(kind, known.vendor)) {
        const auto share = [&](double Quantity::*end) {
          const double memory = known.memory_efficiency.*end;
          const std::optional<Quantity>& core = known.core_bandwidth_bytes_per_s;
          return core ? 1 / (1 / memory + row.bandwidth / row.cores / ((*core).*end)) : memory;
        };
        devices.push_back({row.share, share(&Quantity::low), share(&Quantity::value),
                           share(&Quantity::high), known.vendor});
      }
    }
    std::vector<double> within, across;
    int held = 0, pairs = 0;
    for (const Device& from : devices)
      for (const Device& to : devices) {
        if (&from == &to) continue;
        const double miss = std::log(to.share / to.value * from.value / from.share);
        const double down =
                         std::hypot(std::log(to.value / to.low), std::log(from.high / from.value)),
                     up = std::hypot(std::log(to.high / to.value), std::log(from.value / from.low));
        held += -down <= miss && miss <= up ? 1 : 0;
        ++pairs;
        (from.vendor == to.vendor ? within : across).push_back(std::abs(std::exp(-miss) - 1));
      }
    EXPECT_NEAR(1. * held / pairs, 0.89, 0.02) << kind;
    if (kind == std::string("cpu")) continue;
    EXPECT_NEAR(median_of(within), 0.12, 0.01);
    EXPECT_NEAR(median_of(across), 0.13, 0.01);
  }
}

struct MeasuredOnNodes {
  double seconds = 0;
  Prediction predicted;
  int nodes = 0;
};

/// By which power of e, for one doubling of the nodes, what passes between ranks must take longer
/// or shorter so that more nodes are missed as fewer are.
double widening_between(const MeasuredOnNodes& fewer, const MeasuredOnNodes& more) {
  const double wanted =
      more.seconds / more.predicted.total_s * fewer.predicted.total_s / fewer.seconds;
  double between = 0;
  for (const Term& term : more.predicted.terms)
    if (term.name.starts_with("network") || term.name == "reduce") between += term.seconds;
  return std::abs(std::log(1 + (wanted - 1) * more.predicted.total_s / between)) /
         std::sqrt(std::log2(1. * more.nodes / fewer.nodes));
}

std::vector<std::vector<MeasuredOnNodes>> published_growths() {
  std::map<std::pair<int, int>, std::vector<MeasuredOnNodes>> mixes;
  const AmgFamily family(published_hierarchies());
  const Machine grotius = find_machine("grotius"), crossroads = find_machine("crossroads");
  const nlohmann::json& paper = published("gahvari2012");
  const auto sides = paper.at("points_per_core").get<std::vector<double>>();
  const double points = std::accumulate(sides.begin(), sides.end(), 1., std::multiplies<>());
  for (const nlohmann::json& table : paper.at("cycle_times"))
    for (const nlohmann::json& row : table.at("rows"))
      for (int column = 0; column < 4; ++column) {
        const nlohmann::json& actual = row.at("actual_ms").at(column);
        if (actual.is_null()) continue;
        const int nodes = table.at("nodes"), ranks = row.at("ranks_per_node");
        const AmgPlacement placement{.nodes = nodes,
                                     .processes = nodes * ranks,
                                     .ranks_per_node = ranks,
                                     .threads_per_rank = 16 * (column + 1) / ranks};
        const AmgHierarchy hierarchy = family.at(points * 16 * nodes, nodes * ranks);
        mixes[{ranks, column}].push_back(
            {actual.get<double>() / 1e3,
             predict_amg_run(grotius, hierarchy, placement, {}, "refined", false), nodes});
      }
  std::vector<std::vector<MeasuredOnNodes>> growths;
  for (const auto& [mix, tables] : mixes) growths.push_back(tables);
  growths.emplace_back();
  const nlohmann::json& weak = published("outside").at("amg_weak");
  for (const nlohmann::json& row : weak.at("rows")) {
    const int on_node = weak.at("ranks_per_node"), nodes = row.at("nodes");
    const int ranks = nodes * on_node;
    AmgStudy study{weak.at("unknowns_of_rank").get<double>() * ranks, AmgMix{on_node, 1}, {}};
    study.variant.solver = "pcg";
    PredictionRequest request;
    request.ranks = {ranks};
    request.ranks_per_node = on_node;
    request.overlap = {false};
    request.forms = {"refined"};
    growths.back().push_back({row.at("milliseconds").get<double>() / 1e3,
                              amg_curve(crossroads, family, study, request).front().prediction,
                              nodes});
  }
  return growths;
}

TEST(DeviceClasses, WideningIsTheLeastThatHoldsNineInTenPublishedGrowths) {
  std::vector<double> needed;
  for (const auto& series : published_growths())
    for (std::size_t more = 1; more < series.size(); ++more)
      needed.push_back(widening_between(series.front(), series[more]));
  ASSERT_EQ(needed.size(), 48u);
  const auto held_by = [&](double width) {
    return 1. / 48 *
           static_cast<double>(std::count_if(needed.begin(), needed.end(),
                                             [&](double one) { return one <= width; }));
  };
  const double width = device_classes().widening_per_doubling.value;
  EXPECT_GE(held_by(width), 0.9);
  EXPECT_LT(held_by(width - 0.011), 0.9);
}

/// What the models are from the published rows today: a change of them is looked at.
TEST(ReproduceOutside, RecordedFigures) {
  const std::vector<ReproducedTrend> trends = reproduce_outside({}).trends;
  ASSERT_EQ(trends.size(), 7u);
  EXPECT_EQ(trends[0].computed,
            "9.6 %; 128 of 141 within intervals whose ends are 1.65 apart in the median");
  EXPECT_EQ(trends[1].computed,
            "15.8 %; 26 of 38 within intervals whose ends are 1.77 apart in the median");
  EXPECT_EQ(trends[5].computed, "2.37 times, measured 3.29");
  EXPECT_EQ(trends[6].computed,
            "9.8 %; 1 of 2 within intervals whose ends are 1.36 apart in the median");
  for (const std::size_t holding : {0, 1, 3, 4, 5, 6})
    EXPECT_TRUE(trends[holding].holds) << trends[holding].item << ": " << trends[holding].computed;
}

}  // namespace
}  // namespace bellwether
