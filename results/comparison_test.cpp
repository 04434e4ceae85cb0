// SPDX-License-Identifier: MIT
#include "results/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "results/example_record_test.hpp"
#include "results/verdict.hpp"

namespace bellwether {
namespace {

const ComparedTerm& term(const Comparison& comparison, const std::string& name) {
  for (const ComparedTerm& one : comparison.terms) {
    if (one.name == name) return one;
  }
  throw std::out_of_range(name);
}

TEST(Compare, JoinsByNameInTheMeasurementsOrder) {
  const Comparison comparison = compare(example_record());
  std::vector<std::string> names;
  for (const ComparedTerm& one : comparison.terms) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"compute.boundary", "pack", "compute.interior",
                                             "network", "unpack", "copy"}));
  const ComparedTerm& network = term(comparison, "network");
  EXPECT_EQ(network.paper, 0.2e-3);
  EXPECT_EQ(network.refined, 0.3e-3);
  ASSERT_TRUE(network.measured);
  EXPECT_EQ(network.measured->median, 0.9e-3);
  EXPECT_FALSE(term(comparison, "pack").paper);
  const ComparedTerm& copy = term(comparison, "copy");
  EXPECT_EQ(copy.paper, 0.6e-3);
  EXPECT_FALSE(copy.refined);
  EXPECT_FALSE(copy.measured);
  EXPECT_EQ(comparison.total.paper, 7.8e-3);
  EXPECT_EQ(comparison.total.refined, 9.4e-3);
  EXPECT_EQ(comparison.total.measured->high, 10.5e-3);
}

TEST(Compare, AWaitThatIsNotMeasuredIsPartOfTheNetwork) {
  Record record = example_record();
  record.predicted[1].terms.push_back(expected_milliseconds("wait", 0.5));
  record.predicted[1].total_s += 0.5e-3;
  const Comparison comparison = compare(record);
  EXPECT_EQ(term(comparison, "wait").measured_in, "network");
  EXPECT_EQ(term(comparison, "wait").refined, 0.5e-3);
  const auto place = [&](const char* name) {
    return std::find_if(comparison.terms.begin(), comparison.terms.end(),
                        [&](const ComparedTerm& one) { return one.name == name; });
  };
  EXPECT_EQ(place("wait") - place("network"), 1) << "read together";
  EXPECT_EQ(term(comparison, "network").refined, 0.3e-3);
  EXPECT_EQ(term(comparison, "network").refined_within, 0.5e-3);
  const std::string table = format_table(record, "example");
  EXPECT_NE(table.find("0.500 ms  in network"), std::string::npos) << table;
  EXPECT_NE(table.find("-11.1 %"), std::string::npos) << "0.3 and 0.5 against 0.9\n" << table;
  const nlohmann::json document = to_json(record);
  EXPECT_NEAR(document.at("error").at("terms").at("network"), -0.111, 1e-3) << "as on the screen";
  EXPECT_EQ(document.at("measured").at("within"), (nlohmann::json{{"wait", "network"}}));

  record.measured.terms.emplace_back("wait", milliseconds(0.4, 0.4, 0.4));
  const Comparison apart = compare(record);
  EXPECT_EQ(term(apart, "wait").measured_in, "");
  EXPECT_EQ(term(apart, "network").refined_within, 0);
}

TEST(Compare, NothingPredictedNothingExplained) {
  Record record = example_record();
  record.predicted.clear();
  const Comparison comparison = compare(record);
  EXPECT_EQ(comparison.terms.size(), 5U);
  EXPECT_FALSE(comparison.total.refined);
  EXPECT_EQ(verdict_of(record).explanation, "");
}

}  // namespace
}  // namespace bellwether
