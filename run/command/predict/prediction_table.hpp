// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/machine/what_if.hpp"
#include "models/scaling/scaling_summary.hpp"
#include "run/command/predict/prediction_sweep.hpp"
#include "run/command/predict/prediction_text.hpp"

namespace bellwether {

/// A machine with changes, as `--what-if` asks.
struct ChangedSweep {
  std::vector<WhatIfChange> changes;
  PredictionSweep sweep;
};

/// The predict document, a point a line, with the findings of each form, "what_if" where there is a
/// changed machine, and the members of `more`.
std::string prediction_json(const PredictionSweep& sweep, const ChangedSweep* changed,
                            const nlohmann::json& asked, const nlohmann::json& more);

struct TableContents {
  bool terms = false;    ///< tables of all of them
  bool details = false;  ///< a line for each way out of the calibrated range
};

/// The scaling curve for people: a row for each rank count and overlap mode, tables of terms where
/// asked for, and the findings. With a changed machine both machines' totals.
std::string prediction_table(const PredictionSweep& sweep, const ChangedSweep* changed,
                             const TableContents& contents);

/// What a sweep says, in words, each line after `label`: best overlap mode, fastest point, counts
/// left out, and add_ways_out().
void add_findings(const PredictionSweep& sweep, const std::string& label, bool details, Text& text);

/// What of it left the machine or its calibrated range, loudly (with `details` a line a reason).
void add_ways_out(const ScalingSummary& summary, const std::string& label, bool details,
                  Text& text);

}  // namespace bellwether
