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

/// Memory bandwidth of the moment as a fraction of the calibrated one; absent without a probe or
/// machine.
std::optional<double> probed_bandwidth_fraction(const Record& record);

/// Error of the refined total once its compute terms ("compute.…") are scaled from the calibrated
/// memory bandwidth to that of the moment; absent without a probe, machine or refined prediction.
std::optional<double> refined_error_at_probe(const Record& record);

}  // namespace bellwether
