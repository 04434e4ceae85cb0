// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "results/record.hpp"

namespace bellwether {

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
