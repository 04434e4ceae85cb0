// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "miniapps/prediction_entry.hpp"

namespace bellwether {

/// The design's predict document: app, machine, points, and per form the rank count from which
/// communication cannot be hidden (null: never in the range).
nlohmann::json prediction_json(const Machine& machine, const std::vector<ScalingPoint>& points,
                               const PredictionEntry& entry);

/// The scaling curve for people: a row for each rank count and overlap mode, both forms beside each
/// other, then where communication stops being hidden and what left the calibrated range.
std::string prediction_table(const Machine& machine, const std::vector<ScalingPoint>& points,
                             const PredictionEntry& entry);

}  // namespace bellwether
