// SPDX-License-Identifier: MIT
#pragma once

#include "microbench/airfoil/airfoil_cases.hpp"

namespace bellwether {

/// What an element of each loop costs over the meshes that were measured, without a launch for each
/// call on a GPU; nothing where none was measured.
void airfoil_from_samples(const AirfoilCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
