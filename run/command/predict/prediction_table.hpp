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

/// Writes the design's predict document as it goes, a point a line: app, machine, unit, step, asked
/// (the options of the problem), points, best_overlap and communication_bound_from of each form
/// (null: never in the sweep), left_out; "what_if" with changes and points where there is a changed
/// machine, and the members of `more`.
void write_prediction_json(PredictionSweep& sweep, ChangedSweep* changed,
                           const nlohmann::json& asked, const nlohmann::json& more,
                           const Sink& sink);

struct TableContents {
  bool terms = false;    ///< tables of all of them
  bool details = false;  ///< a line for each way out of the calibrated range
};

/// The scaling curve for people: a row for each rank count and overlap mode with both forms'
/// totals, interval, rate, efficiency, hidden share and the largest term; then tables of all terms,
/// where asked for; then the best overlap mode, where communication stops being hidden, the fastest
/// layout, and what left the calibrated range. With a changed machine both machines' totals beside
/// each other.
void write_prediction_table(PredictionSweep& sweep, ChangedSweep* changed,
                            const TableContents& contents, const Sink& sink);

/// What a sweep says, in words: the best overlap mode, where communication stops being hidden, the
/// fastest point with its layout, rank counts left out, and loudly what left the calibrated range:
/// the reasons in one line, or with `details` a line each, how far and how often.
/// Each line begins with `label`, which tells two machines apart.
void write_findings(const ScalingSummary& summary, const PredictionSweep& sweep,
                    const std::string& label, bool details, const Sink& sink);

}  // namespace bellwether
