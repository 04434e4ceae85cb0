// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/scaling/scaling_summary.hpp"
#include "run/command/predict/prediction_json.hpp"
#include "run/command/predict/prediction_sweep.hpp"
#include "run/command/predict/prediction_text.hpp"

namespace bellwether {

/// Whether the terms follow the totals: where both fit a screen, always or never.
enum class TermTables { automatic, always, never };

struct TableContents {
  TermTables terms = TermTables::automatic;
  bool details = false;  ///< a line for each way out of the calibrated range
};

/// The scaling curve for people: a row for each rank count and overlap mode with both forms'
/// totals, interval, rate, efficiency, hidden share and the largest term; then tables of all terms;
/// then the best overlap mode, where communication stops being hidden, the fastest layout, and what
/// left the calibrated range. With a changed machine both machines' totals beside each other.
void write_prediction_table(PredictionSweep& sweep, ChangedSweep* changed,
                            const TableContents& contents, const Sink& sink);

/// What a sweep says, in words: the best overlap mode, where communication stops being hidden, the
/// fastest point with its layout, rank counts left out, and loudly what left the calibrated range:
/// the reasons in one line, or with `details` a line each, how far and how often.
/// Each line begins with `label`, which tells two machines apart.
void write_findings(const ScalingSummary& summary, const PredictionSweep& sweep,
                    const std::string& label, bool details, const Sink& sink);

}  // namespace bellwether
