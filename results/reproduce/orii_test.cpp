// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/cholesky/start_up_parameters.hpp"
#include "models/machine/machine_file.hpp"
#include "results/reproduce/papers.hpp"

namespace bellwether {
namespace {

TEST(ReproduceOrii, FractionsPassAndTheBoundIsReported) {
  const std::vector<ReproducedNumber> numbers = reproduce_orii({}).numbers;
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_EQ(numbers[0].tolerance, 0.005);
  EXPECT_EQ(numbers[1].tolerance, 0.01);
  for (const int judged : {0, 1}) EXPECT_EQ(numbers[judged].met(), true) << numbers[judged].item;
  EXPECT_FALSE(numbers[2].tolerance);
  EXPECT_EQ(numbers[1].note, "rounds to 91, not to 90");
}

TEST(ReproduceOrii, TrendsOfTheFigures) {
  const std::vector<ReproducedTrend> trends = reproduce_orii({}).trends;
  ASSERT_EQ(trends.size(), 3u);
  for (const ReproducedTrend& trend : trends) EXPECT_TRUE(trend.holds) << trend.item;
  // A processor whose do 30 is as fast as do 20 is not kept below 10.
  PaperMachines machines;
  Machine paragon = machines.at("paragon");
  section<StartUpParameters>(paragon)->scaling.efficiency = Quantity::exact(0.338);
  machines.put(paragon);
  const Reproduction changed = reproduce_orii(machines);
  EXPECT_FALSE(changed.trends[1].holds) << changed.trends[1].computed;
  EXPECT_EQ(changed.numbers[1].met(), false);
}

TEST(ReproduceOrii, ComputesWhatTheTablesGive) {
  // P by hand: do 20 over do 20 and do 30, Eq. 7 and 9 with Tables 1 and 2.
  const double vpp20 = 5000 * (25e6 - 1) / 3 / 0.968e9;
  const double vpp30 = 5000 * 1.7e-6 + 25.005e6 / 0.736e9;
  const double paragon20 = 2500 * (2499 / 2. * 0.94e-6 + (6.25e6 - 1) / 3 / 33.8e6);
  const double paragon30 = 2500 * 0.0017e-6 + 6.2525e6 / 0.38e6;
  const std::vector<ReproducedNumber> numbers = reproduce_orii({}).numbers;
  EXPECT_NEAR(*numbers.at(0).computed, 100 * vpp20 / (vpp20 + vpp30), 1e-9);
  EXPECT_NEAR(*numbers.at(1).computed, 100 * paragon20 / (paragon20 + paragon30), 1e-9);
  EXPECT_NEAR(*numbers.at(2).computed, (paragon20 + paragon30) / paragon30, 1e-9);
}

TEST(ReproduceOrii, SaysWhereTheFiguresCurvesSaturate) {
  std::string said;
  for (const std::string& statement : reproduce_orii({}).statements) said += statement + "\n";
  // By hand: Paragon 173.5 s over (157.0/(32 x 0.983) + 16.45 + 15.63) s; VPP500 43.08 s over
  // (43.04/(62 x 0.999) + 0.24 + 1.68) s.
  EXPECT_NE(said.find("saturates at 16.46 with 62 processors"), std::string::npos) << said;
  EXPECT_NE(said.find("saturates at 4.679 with 32 processors"), std::string::npos) << said;
}

TEST(ReproduceOrii, MachinesHoldThePublishedTables) {
  for (const char* name : {"vpp500", "paragon"}) {
    const nlohmann::json& table = published("orii").at(name);
    const StartUpParameters machine = *section<StartUpParameters>(find_machine(name));
    const auto same = [&](const Quantity& quantity, const char* kernel, const char* key,
                          double scale) {
      EXPECT_DOUBLE_EQ(quantity.value, scale * table.at(kernel).at(key).get<double>())
          << name << " " << kernel << " " << key;
    };
    same(machine.update.efficiency, "update", "efficiency", 1);
    same(machine.update.start_up_s, "update", "start_up_us", 1e-6);
    same(machine.parallel_update.efficiency, "update", "parallel_efficiency", 1);
    same(machine.parallel_update.start_up_s, "update", "parallel_start_up_us", 1e-6);
    same(machine.scaling.efficiency, "scaling", "efficiency", 1);
    same(machine.scaling.start_up_s, "scaling", "start_up_us", 1e-6);
    same(machine.transfer.efficiency, "summation", "efficiency", 1);
    same(machine.transfer.start_up_s, "summation", "start_up_us", 1e-6);
    EXPECT_EQ(machine.peak_flops_per_s.value, table.at("peak_flops_per_s"));
    EXPECT_EQ(machine.peak_bytes_per_s.value, table.at("peak_bytes_per_s"));
    EXPECT_EQ(machine.fitted_sizes->at(1), table.at("size"));
    EXPECT_EQ(machine.fitted_ranks->at(1), table.at("processors_measured").at(1));
  }
}

}  // namespace
}  // namespace bellwether
