// SPDX-License-Identifier: MIT
#pragma once

#include "microbench/compute/compute_cases.hpp"

namespace bellwether {

/// A rank's arithmetic, its matrix products and what a kernel launch costs.
void compute_from_samples(const ComputeCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
