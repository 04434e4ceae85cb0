// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "miniapps/lbm/lbm_sums.hpp"
#include "results/record.hpp"

namespace bellwether {

// What a state of the lattice is held against. All in lattice units, sums divided by the fluid
// cells.

/// Values that are not finite, with step, rank and global cell; passed if there are none.
Verification finite_values(const GlobalLbmSums& now, long step);

/// Mass against that at the start. `unit`: of rounding.
Verification mass_balance(const GlobalLbmSums& start, const GlobalLbmSums& now, long steps,
                          double unit);

/// The momentum that came in `steps` steps against `gained`: the force's of all fluid cells, less
/// what solids took.
Verification momentum_balance(const GlobalLbmSums& before, const GlobalLbmSums& after, long steps,
                              const std::array<double, 3>& gained, double unit);

/// The viscosity that Taylor-Green vortices decayed with, and the one that the linearized scheme
/// decays with, by the amplitudes left of 1 after `steps` steps.
struct MeasuredViscosity {
  double measured = 0;
  double linear = 0;
};
MeasuredViscosity viscosity_of(double amplitude, double linear_amplitude,
                               double wave_number_squared, long steps);
/// The one against the other, relative to `nominal` = (tau - 1/2) / 3. What the linearized scheme
/// lacks is of second order in the Mach number of the vortices: in each step, and once more, at the
/// viscosity of a step's free flight (1/2), in the passage from the initial equilibrium.
Verification viscosity_check(const MeasuredViscosity& viscosity, double nominal, double mach,
                             double wave_number_squared, long steps, double unit);

/// Of several the one that fails, or comes nearest to its tolerance. Not empty.
Verification worst_of(const std::vector<Verification>& all);

}  // namespace bellwether
