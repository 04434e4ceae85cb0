// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/record.hpp"

namespace bellwether {

/// One term, predicted beside measured; absent where that side does not have it. Seconds.
struct ComparedTerm {
  std::string name;
  std::optional<double> paper;
  std::optional<double> refined;
  std::optional<Summary> measured;
  /// The term whose measurement holds this one; empty: it has its own, or none has it.
  std::string measured_in = {};
  /// Refined predictions of the terms that this one's measurement holds besides.
  double refined_within = 0;

  /// What its measurement is held against: the refined form, with what is measured in it.
  [[nodiscard]] std::optional<double> expected() const {
    return refined_within > 0 ? refined.value_or(0) + refined_within : refined;
  }
};

/// Predictions and measurement of a record joined by the names of their terms. Where an app does
/// not measure how long ranks wait for one another, its measured network holds it: the refined
/// network and wait together are held against that.
struct Comparison {
  std::vector<ComparedTerm> terms;  ///< the measurement's order, then terms only predicted
  ComparedTerm total;
  bool by_paper = false;  ///< its form is the only one

  /// (predicted - measured) / measured, by the refined form or the only one; absent where either is
  /// missing.
  [[nodiscard]] std::optional<double> error(const ComparedTerm& term) const;
};

Comparison compare(const Record& record);

/// A table's rows, the first one its head.
using Rows = std::vector<std::vector<std::string>>;
/// As lines of one length: the first column to the left, the others to the right, two spaces
/// between.
std::vector<std::string> aligned(const Rows& rows);
/// The same behind a space, without blanks at the lines' ends.
std::string table_text(const Rows& rows);

/// The table for people (results/README.md): verification, verdict, a row a term, total, setup,
/// rate, hidden communication, probe, what left the calibrated range. No rate of a wrong result.
std::string format_table(const Record& record, const std::string& title,
                         const std::string& step = "step");

/// (predicted - measured) / measured: negative where the model expects too little time. Not finite
/// where nothing was measured.
inline double relative_error(double predicted, double measured) {
  return (predicted - measured) / measured;
}

/// The prediction of that form ("paper", "refined"), or null.
const Prediction* find_prediction(const Record& record, const char* form);

/// The speed of the moment as a fraction of the calibrated one; absent without a probe, or where
/// the machine does not tell what it measures.
std::optional<double> probed_fraction(const Record& record);

/// The same of the core, where it was probed by itself.
std::optional<double> probed_core_fraction(const Record& record);

/// The rate's share of what its limit was at the moment of the run, as far as the probe tells: the
/// limit is taken to change as what is probed does.
std::optional<double> fraction_of_limit_at_probe(const Record& record);

/// What of a refined prediction follows the speed that is probed: its own, or all of its terms
/// "compute.…".
ComputeTime compute_time(const Prediction& refined);

/// The refined total at the speed probed beside each sample over that sample's time: the median
/// with its interval. Absent as refined_error_at_probe(); without samples one ratio.
std::optional<Summary> refined_at_probe(const Record& record);

/// Error of the refined total with its compute terms scaled to the speeds probed beside each
/// sample: the median over samples. Absent without probe or refined prediction.
std::optional<double> refined_error_at_probe(const Record& record);

}  // namespace bellwether
