// SPDX-License-Identifier: MIT
#pragma once

#include "microbench/compute/compute_cases.hpp"

namespace bellwether {

/// Says of matrix products below 0.6 of the multiply-add peak how far below, and the likely cause
/// on a host; empty otherwise.
std::string gemm_warning(const DeviceParameters& device, const BlasFacts& blas);

/// A rank's arithmetic, its matrix products and what a kernel launch costs.
void compute_from_samples(const ComputeCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
