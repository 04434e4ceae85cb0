// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/driver/options.hpp"
#include "models/fit/scaling_fit.hpp"

namespace bellwether {

/// A measured time of the whole program, of its phases where they are known, and the size as it is
/// shown: "2500", "64x64x32", "-" where a table has none.
struct TimedPoint {
  ScalingSample whole;
  std::string size;
  std::vector<std::pair<std::string, ScalingSample>> phases;
};

/// Times that differ in size and rank count alone.
struct TimedSeries {
  std::string app;                                  ///< empty: a program that is not ours
  nlohmann::json fixed = nlohmann::json::object();  ///< what all have in common: problem, variant
  std::string work_unit = "work";                   ///< "flop", "cells"
  std::optional<double> peak_per_s;                 ///< work that one rank could do at its limit
  std::vector<TimedPoint> points;                   ///< in the files' order
  std::map<std::string, int> passed_over;           ///< records that were not used, by the reason
};

/// Which records to use.
struct SeriesChoice {
  std::string app;                                         ///< empty: the only one there is
  std::vector<std::pair<std::string, std::string>> where;  ///< key of problem or variant, its value
};

/// Reads results files, or tables with columns ranks, seconds and perhaps n (or size), phase and
/// work. Records that are not whole or not verified are passed over. Throws BadInput.
TimedSeries read_series(const std::vector<std::string>& files, const SeriesChoice& choice);

/// The files and which of their records, as `fit` and `export` are told.
class SeriesOptions {
 public:
  void add_to(Options& options);
  /// read_series, whose BadInput speaks as `verb` does. Throws it also for a --where that is no
  /// KEY=VALUE.
  [[nodiscard]] TimedSeries read(const char* verb) const;
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

 private:
  std::vector<std::string> files_, where_;
  std::string app_;
};

}  // namespace bellwether
