// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/hpl/hpl_parameters.hpp"
#include "models/machine/machine_file.hpp"
#include "results/reproduce/hu2021_fit.hpp"
#include "results/reproduce/papers.hpp"

namespace bellwether {
namespace {

TEST(Hu2021, EveryNumberWithAToleranceIsMet) {
  const Reproduction reproduction = reproduce_hu2021();
  int rates = 0, judged = 0, missing = 0;
  for (const ReproducedNumber& number : reproduction.numbers) {
    EXPECT_TRUE(number.passed().value_or(true)) << number.item;
    rates += number.item.ends_with("Est per.");
    judged += number.passed().has_value();
    missing += !number.computed;
    if (number.item.ends_with("Est per.")) {
      EXPECT_EQ(number.tolerance, 0.06);
    }
    EXPECT_TRUE(number.computed || !number.note.empty()) << number.item;
  }
  EXPECT_EQ(rates, 8);
  EXPECT_EQ(judged, 8 + 6 + 8);  // rates, the times that fit their rates, Section 4
  EXPECT_EQ(missing, 7);
}

TEST(Hu2021, TheRefinedFormStandsBesideThePapers) {
  const Reproduction all = reproduce_hu2021();
  double sum = 0;
  int rows = 0;
  for (const ReproducedNumber& number : all.numbers)
    if (number.item.ends_with("Real per., refined form")) {
      ++rows;
      sum += std::abs(number.error().value());
      EXPECT_FALSE(number.tolerance);
    }
  EXPECT_EQ(rows, 8);
  const std::string wanted = fmt::format("refined form {:.1f} %", 100 * sum / rows);
  EXPECT_TRUE(std::any_of(all.statements.begin(), all.statements.end(), [&](const auto& one) {
    return one.find("measured rates of Table 2") != one.npos && one.find(wanted) != one.npos;
  })) << wanted;
}

TEST(Hu2021, TimesOfRows1And5AreErrata) {
  int errata = 0;
  for (const ReproducedNumber& number : reproduce_hu2021().numbers)
    if (number.note.starts_with("erratum")) {
      ++errata;
      EXPECT_FALSE(number.tolerance);
      EXPECT_TRUE(number.published == 55.21 || number.published == 56.10);
    }
  EXPECT_EQ(errata, 2);
}

TEST(Hu2021, PublishedRatesAndDifferencesAreThePapers) {
  const std::vector<HuRow> rows = hu_table_2();
  ASSERT_EQ(rows.size(), 8u);
  for (std::size_t i = 0; i < 7; ++i)  // the eighth is printed wrong
    EXPECT_NEAR(100 * (rows[i].est_gflops / rows[i].real_gflops - 1), rows[i].difference_percent,
                0.006);
}

TEST(Hu2021, FitFindsEfficienciesThatMadeItsRows) {
  const Machine shipped = find_machine("mi50-cluster");
  const Machine made = with_efficiencies(shipped, {0.75, 0.4, 0.6});
  std::vector<HuRow> rows = hu_table_2();
  for (HuRow& row : rows) row.est_gflops = hu_gflops(made, row);
  const HuEfficiencies found = fit_efficiencies(shipped, {rows[0], rows[2], rows[4], rows[6]});
  EXPECT_NEAR(found.device, 0.75, 0.005);
  EXPECT_NEAR(found.host, 0.4, 0.02);
  EXPECT_NEAR(found.network, 0.6, 0.01);
}

TEST(Hu2021, ShippedMachineHasTheFittedEfficiencies) {
  const Machine shipped = find_machine("mi50-cluster");
  const std::vector<HuRow> rows = hu_table_2();
  const HuEfficiencies fit = fit_efficiencies(shipped, {rows[0], rows[2], rows[4], rows[5]});
  const HplSimulationParameters& simulation = *section<HplParameters>(shipped)->simulation;
  EXPECT_NEAR(simulation.device_efficiency.value, fit.device, 5e-4);
  EXPECT_NEAR(simulation.host_efficiency.value, fit.host, 5e-4);
  EXPECT_NEAR(simulation.network_efficiency.value, fit.network, 5e-4);
}

}  // namespace
}  // namespace bellwether
