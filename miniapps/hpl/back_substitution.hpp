// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/hpl/local_matrix.hpp"

namespace bellwether {

/// Collective over the grid's processes. x of U x = y, U the upper triangle that a factorization
/// left and y what it made of the right-hand side; all of x on every process. Phases:
/// compute.solve, network.solve.
std::vector<double> back_substitution(const HplGrid& grid, const LocalMatrix& matrix,
                                      PhaseClock& clock);

/// HPL's measure of an error, of what any backward stable solver has a few units:
/// ||Ax - b|| / (eps (||A|| ||x|| + ||b||) N), infinity norms, eps = 2^-53.
/// Collective over the grid's processes; `x` whole. Not finite where x is not.
double scaled_residual(const HplGrid& grid, const LocalMatrix& matrix,
                       const std::vector<double>& x);

}  // namespace bellwether
