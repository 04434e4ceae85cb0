// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "models/machine/what_if.hpp"
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

}  // namespace bellwether
