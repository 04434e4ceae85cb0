// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/diffusion/diffusion_body.hpp"
#include "kernels/launch/grid.hpp"

namespace bellwether {

/// What one writes by hand for one CPU: three loops over the cells of `box`, ghost cells read
/// everywhere, and results written past the cache with the widest vectors that this processor has
/// (AVX-512, or SSE2; plain stores on other processors). The measure of what the launchers cost.
/// Fields point to the start of storage laid out as `layout`; rows start at x = 0.
void hand_written_update(const GridLayout& layout, const Box& box, const float* from, float* to,
                         const DiffusionCoefficients<float>& coefficients);
void hand_written_update(const GridLayout& layout, const Box& box, const double* from, double* to,
                         const DiffusionCoefficients<double>& coefficients);

}  // namespace bellwether
