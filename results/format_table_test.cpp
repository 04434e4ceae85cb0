// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

#include "results/comparison.hpp"
#include "results/example_record_test.hpp"

namespace bellwether {
namespace {

constexpr const char* title = "diffusion 64x64x64 f32, 2 ranks (1x1x2), kokkos/Serial, overlap on";

/// A raw string from its second line on.
std::string lines(std::string_view text) { return std::string(text.substr(1)); }

TEST(FormatTable, PredictedBesideMeasured) {
  EXPECT_EQ(format_table(example_record(), title), lines(R"(
diffusion 64x64x64 f32, 2 ranks (1x1x2), kokkos/Serial, overlap on           verified: mode decay, error 3.1e-07 <= 8.0e-07
SLOWER THAN NORMAL by the machine's intervals alone: refined total [9.100, 9.700] ms
The refined total is 8.7 % too low, and its interval and the measured one do not overlap; network explains 67 % of the difference (predicted 0.300 ms, measured 0.900 ms).
per step          predicted             measured                      error
                      paper   refined     median            [95 %]  refined
compute.boundary          -  1.100 ms   1.000 ms    [0.900, 1.100]  +10.0 %
pack                      -  0.200 ms   0.200 ms    [0.190, 0.210]   +0.0 %
compute.interior   7.000 ms  7.600 ms   8.000 ms    [7.800, 8.200]   -5.0 %
network            0.200 ms  0.300 ms   0.900 ms    [0.700, 1.300]  -66.7 %
unpack                    -  0.200 ms   0.200 ms    [0.190, 0.210]   +0.0 %
copy               0.600 ms         -          -                 -        -
total              7.800 ms  9.400 ms  10.300 ms  [10.100, 10.500]   -8.7 %
rate 1.98 Gcells/s = 93 % of memory bandwidth, more than the probe makes of it now      communication hidden: 88 %
memory now: 0.90 of calibrated; refined error against it: +0.6 %
OUTSIDE CALIBRATED RANGE: 2 ranks on one node, calibrated with 1
OUTSIDE CALIBRATED RANGE: messages of 16384 B, calibrated to 8192 B
)"));
}

TEST(FormatTable, OfAFormThatIsNotShownNothingIsSaid) {
  Record record = example_record();
  record.predicted[0].outside_range = {"not calibrated: the paper's form"};
  EXPECT_NE(format_table(record, title).find("the paper's form"), std::string::npos);
  record.predicted.erase(record.predicted.begin());
  const std::string table = format_table(record, title);
  EXPECT_EQ(table.find("paper"), std::string::npos) << table;
  EXPECT_NE(table.find("\ncompute.interior   7.600 ms   8.000 ms    [7.800, 8.200]   -5.0 %\n"),
            std::string::npos)
      << table;
}

TEST(FormatTable, AShareAboveAllOfItSaysWhy) {
  Record record = example_record();
  record.rate.fraction_of_limit = 1.18;
  record.rate.above_limit = "from a cache: 57 % of what that gives";
  record.rate.terms = {{"compute.stage", 83e9, 1.24, "the limit was calibrated slower than now"}};
  const std::string table = format_table(record, title);
  EXPECT_NE(table.find("= 118 % of memory bandwidth (from a cache: 57 % of what that gives), "),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("(124 %, the limit was calibrated slower than now)"), std::string::npos);
  EXPECT_EQ(to_json(record).at("rate").at("above_limit"), record.rate.above_limit);
  record.rate.fraction_of_limit = 0.8;
  record.rate.above_limit.clear();
  EXPECT_NE(format_table(record, title).find("= 80 % of memory bandwidth, 89 % of what it is now"),
            std::string::npos);
}

TEST(FormatTable, AGpusShareIsOfColdClocksAndOfWhatItSustains) {
  Record record = example_record();
  record.rate.limit = "matrix product";
  record.rate.fraction_of_limit = 0.73;
  record.rate.fraction_of_sustained = 0.89;
  record.probe.reset();
  const std::string table = format_table(record, title);
  EXPECT_NE(table.find("= 73 % of matrix product with cold clocks, 89 % of what it sustains"),
            std::string::npos)
      << table;
  EXPECT_EQ(to_json(record).at("rate").at("fraction_of_sustained_limit"), 0.89);
}

TEST(FormatTable, WhatThePaperAloneHasIsOneRow) {
  Record record = example_record();
  record.predicted[0].terms.push_back(expected_milliseconds("reduce", 0.25));
  record.predicted[0].terms.push_back(expected_milliseconds("fill", 0.05));
  const std::string table = format_table(record, title);
  EXPECT_NE(
      table.find(
          "\npaper's 3 others   0.900 ms         -          -                 -        -\ntotal"),
      std::string::npos)
      << table;
  EXPECT_EQ(table.find("\ncopy "), std::string::npos);
  EXPECT_EQ(table.find("\nreduce "), std::string::npos);
}

TEST(FormatTable, TrafficOfTerms) {
  Record record = example_record();
  record.rate.terms = {{"compute.interior", 24.6e9, 0.823}, {"pack", 950e6, 0}};
  EXPECT_NE(format_table(record, title).find(R"(communication hidden: 88 %
moves compute.interior 24.6 GB/s (82 %), pack 950 MB/s
memory now)"),
            std::string::npos);
  record.verification.passed = false;
  EXPECT_EQ(format_table(record, title).find("moves "), std::string::npos);
}

TEST(FormatTable, EnergyStandsBelowTheRateWhereItWasCounted) {
  Record record = example_record();
  EXPECT_EQ(format_table(record, title).find("energy"), std::string::npos);
  record.energy = {12.34, {{"packages", 85}, {"memory", 9.876}, {"gpus", 410.4}}, 3.45e8};
  EXPECT_NE(format_table(record, title)
                .find("hidden: 88 %\nenergy 12.3 J per step (packages 85 W, "
                      "memory 9.88 W, GPUs 410 W): 345 Mcells/J\nmemory now"),
            std::string::npos)
      << format_table(record, title);
  record.energy->units_per_joule = 0;
  record.verification.passed = false;
  EXPECT_NE(format_table(record, title).find("GPUs 410 W)\nmemory now"), std::string::npos);
}

TEST(FormatTable, SetupStandsByItself) {
  Record record = example_record();
  record.setup = {{"coarsening", 0.0125}, {"products", 2.5}};
  EXPECT_NE(format_table(record, title).find(R"(
setup, once: 2.513 s (coarsening 12.50 ms, products 2.500 s)
rate 1.98)"),
            std::string::npos);
}

TEST(FormatTable, SharedCoresAreSaidLoudly) {
  Record record = example_record();
  EXPECT_EQ(format_table(record, title).find("OVERSUBSCRIBED"), std::string::npos);
  record.oversubscribed = true;
  EXPECT_NE(format_table(record, title).find("\nOVERSUBSCRIBED: ranks share cores"),
            std::string::npos);
}

TEST(FormatTable, AQuotaIsSaidBeforeTheNetworkIsBlamed) {
  Record record = example_record();
  EXPECT_EQ(format_table(record, title).find("THROTTLED"), std::string::npos);
  record.throttled = {1, 1.5, 73, 10, 0.19};
  record.oversubscribed = true;
  const std::string table = format_table(record, title);
  const std::size_t said = table.find(
      "\nTHROTTLED: a CPU quota of 1.5 stopped rank 1 and its control group in 10 of 73 periods, "
      "for "
      "0.19 s;");
  EXPECT_NE(said, std::string::npos) << table;
  EXPECT_LT(table.find("\nOVERSUBSCRIBED"), said) << table;
  EXPECT_LT(said, table.find("refined total")) << table;
}

TEST(FormatTable, RanksThatShareAGpuAreSaidLoudly) {
  Record record = example_record();
  for (const int alone : {0, 1}) {
    record.ranks_per_device = alone;
    EXPECT_EQ(format_table(record, title).find("SHARED DEVICE"), std::string::npos);
  }
  record.ranks_per_device = 3;
  EXPECT_NE(format_table(record, title).find("\nSHARED DEVICE: 3 ranks share a GPU"),
            std::string::npos);
}

TEST(FormatTable, WorkWithoutALimitIsHeldAgainstNone) {
  Record record = example_record();
  record.rate.limit.clear();
  record.rate.fraction_of_limit = 0;
  EXPECT_NE(format_table(record, title).find("\nrate 1.98 Gcells/s      communication hidden"),
            std::string::npos);
}

TEST(FormatTable, WithoutAMachine) {
  Record record = example_record();
  record.predicted.clear();
  record.machine.clear();
  record.probe.reset();
  record.rate.fraction_of_limit = 0;
  record.measured.hidden_fraction.reset();
  EXPECT_EQ(format_table(record, "diffusion"), lines(R"(
diffusion                                      verified: mode decay, error 3.1e-07 <= 8.0e-07
no machine: not predicted (bellwether calibrate -o machine.json)
per step           measured
                     median            [95 %]
compute.boundary   1.000 ms    [0.900, 1.100]
pack               0.200 ms    [0.190, 0.210]
compute.interior   8.000 ms    [7.800, 8.200]
network            0.900 ms    [0.700, 1.300]
unpack             0.200 ms    [0.190, 0.210]
total             10.300 ms  [10.100, 10.500]
rate 1.98 Gcells/s
)"));
}

TEST(FormatTable, OneSampleHasNoInterval) {
  Record record = example_record();
  record.predicted.clear();
  record.machine.clear();
  record.measured.terms.clear();
  record.measured.total_s.count = 1;
  EXPECT_NE(format_table(record, "hpl", "factorization").find(R"(
per factorization   measured
                      median  [95 %]
total              10.300 ms       -
)"),
            std::string::npos);
}

TEST(FormatTable, SaysHowFastTheCoreIsWhereItWasProbed) {
  Record record = example_record();
  EXPECT_NE(format_table(record, "lbm").find("memory now: 0.90 of calibrated; refined"),
            std::string::npos);
  record.probe->core_rate = summarize({3e8});
  record.probe->calibrated_core_rate = 4e8;
  EXPECT_NE(format_table(record, "lbm").find("memory now: 0.90 of calibrated, the core 0.75; "),
            std::string::npos);
}

TEST(FormatTable, AWrongResultHasNoRate) {
  Record record = example_record();
  record.predicted.clear();
  record.measured.terms.clear();
  record.probe->calibrated_rate = 0;
  record.verification.passed = false;
  record.verification.value = 0.25;
  EXPECT_EQ(format_table(record, "diffusion"), lines(R"(
diffusion                              WRONG RESULT: mode decay, error 2.5e-01, more than 8.0e-07 allowed
machine machine.json: not predicted
per step   measured
             median            [95 %]
total     10.300 ms  [10.100, 10.500]
no rate: the result is wrong
memory now: 27.0 GB/s per rank
)"));
  record.verification.value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(format_table(record, "diffusion").find("WRONG RESULT: mode decay, error nan"),
            std::string::npos);
}

TEST(FormatTable, ThePaperFormAloneIsHeldAgainstTheMeasurement) {
  Record record = example_record();
  record.predicted.pop_back();
  record.measured.terms.clear();
  record.predicted[0].terms.clear();
  EXPECT_EQ(format_table(record, "diffusion"), lines(R"(
diffusion                                                  verified: mode decay, error 3.1e-07 <= 8.0e-07
per step  predicted   measured                      error
              paper     median            [95 %]    paper
total      7.800 ms  10.300 ms  [10.100, 10.500]  -24.3 %
rate 1.98 Gcells/s = 93 % of memory bandwidth, more than the probe makes of it now      communication hidden: 88 %
memory now: 0.90 of calibrated
OUTSIDE CALIBRATED RANGE: 2 ranks on one node, calibrated with 1
)"));
}

TEST(FormatTable, OneUnitFitsTheTotal) {
  Record record = example_record();
  record.predicted.clear();
  record.measured.terms.clear();
  const auto total_row = [&](double seconds) {
    record.measured.total_s = {.median = seconds, .low = seconds, .high = seconds, .count = 9};
    const std::string table = format_table(record, "diffusion");
    const std::size_t begin = table.find("\ntotal") + 1;
    return table.substr(begin, table.find('\n', begin) - begin);
  };
  EXPECT_EQ(total_row(1.0), "total      1.000 s  [1.000, 1.000]");
  EXPECT_EQ(total_row(0.25), "total     250.000 ms  [250.000, 250.000]");
  EXPECT_EQ(total_row(0.0009), "total     900.000 us  [900.000, 900.000]");
}

TEST(FormatTable, ATermThatTookNoTimeHasNoError) {
  Record record = example_record();
  record.measured.terms = {{"network", milliseconds(0, 0, 0)}};
  const std::string table = format_table(record, "diffusion");
  EXPECT_NE(table.find("0.000 ms    [0.000, 0.000]        -\n"), std::string::npos) << table;
}

TEST(FormatTable, ImbalanceWhereItIsPredictedToMatter) {
  Record record = example_record();
  record.predicted[1].imbalance_s = 0.094e-3;  // 1 %
  EXPECT_EQ(format_table(record, title).find("imbalance"), std::string::npos);
  record.predicted[1].imbalance_s = 0.47e-3;
  EXPECT_NE(
      format_table(record, title).find("\nimbalance: 5.0 % of the step predicted, not measured\n"),
      std::string::npos);
  record.measured.imbalance_s = 0.412e-3;
  EXPECT_NE(format_table(record, title)
                .find("\nimbalance: 5.0 % of the step predicted, 4.0 % measured\n"),
            std::string::npos);
}

}  // namespace
}  // namespace bellwether
