// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "microbench/driver/measurements.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

namespace bellwether {

/// What an element of each loop costs over the meshes that were measured, without a launch for each
/// call on a GPU; absent where none was.
std::optional<AirfoilParameters> airfoil_from_samples(const Bench& bench,
                                                      const MeasurementPlan& plan,
                                                      const SampleStore& store);

}  // namespace bellwether
