// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/scaling/scaling_summary.hpp"
#include "run/command/prediction_sweep.hpp"
#include "run/command/text_sink.hpp"

namespace bellwether {

/// What a sweep says, in words: the best overlap mode, where communication stops being hidden, the
/// fastest point with its layout, rank counts left out, and loudly what left the calibrated range:
/// the reasons in one line, or with `details` a line each, how far and how often.
/// Each line begins with `label`, which tells two machines apart.
void write_findings(const ScalingSummary& summary, const PredictionSweep& sweep,
                    const std::string& label, bool details, const Sink& sink);

}  // namespace bellwether
