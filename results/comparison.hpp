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

/// A table's rows as lines: the first column to the left, the others to the right, two spaces
/// between.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows);

/// The table for people (results/README.md): verification, verdict, a row a term, total, setup,
/// rate, hidden communication, probe, what left the calibrated range. No rate of a wrong result.
std::string format_table(const Record& record, const std::string& title,
                         const std::string& step = "step");

}  // namespace bellwether
