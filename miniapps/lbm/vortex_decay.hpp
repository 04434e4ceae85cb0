// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "miniapps/lbm/lbm_problem.hpp"
#include "miniapps/lbm/lbm_sums.hpp"
#include "miniapps/lbm/linear_decay.hpp"
#include "results/record.hpp"

namespace bellwether {

/// The viscosity that vortices decayed with, and the one that the linearized scheme decays with, by
/// the amplitudes left of 1 after `steps` steps.
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

/// What a problem's Taylor-Green vortices must do; of other problems it asks nothing.
class VortexDecay {
 public:
  /// `unit` of rounding.
  VortexDecay(const LbmProblem& problem, double unit);

  /// Steps until the vortices have lost nine tenths of their amplitude, or those that rounding
  /// brings with it could have grown to where they show (no faster than the flow strains, U k);
  /// without vortices infinity.
  [[nodiscard]] double longest() const { return longest_; }
  /// Whether the state after so many steps tells the viscosity: where nothing else slows vortices
  /// down or speeds them up, and no later than that.
  [[nodiscard]] bool shows_after(long steps) const;

  [[nodiscard]] MeasuredViscosity viscosity(const GlobalLbmSums& start, const GlobalLbmSums& now,
                                            long steps);
  [[nodiscard]] Verification check(const GlobalLbmSums& start, const GlobalLbmSums& now,
                                   long steps);

 private:
  double unit_, nominal_, mach_, square_;
  double longest_;
  std::optional<LinearDecay> linear_;  ///< none: nothing to measure
};

}  // namespace bellwether
