// SPDX-License-Identifier: MIT
#pragma once

#include "run/command/prediction_json.hpp"

namespace bellwether {

/// A machine as it is beside the same with changes: what was changed and what scaled along, each
/// rank count's and overlap mode's totals before and after, and the findings for both, with or
/// without details.
void write_what_if_table(PredictionSweep& sweep, ChangedSweep& changed, bool details,
                         const Sink& sink);

}  // namespace bellwether
