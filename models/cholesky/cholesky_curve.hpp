// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/scaling/scaling_point.hpp"

namespace bellwether {

/// As scaling_curve, of an n x n matrix.
std::vector<ScalingPoint> cholesky_curve(const Machine& machine, int size,
                                         const std::string& precision,
                                         const PredictionRequest& request);

}  // namespace bellwether
