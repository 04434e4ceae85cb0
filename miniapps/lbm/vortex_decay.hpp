// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <complex>
#include <optional>
#include <vector>

#include "kernels/lbm/lattice.hpp"
#include "miniapps/lbm/lbm_checks.hpp"
#include "miniapps/lbm/lbm_problem.hpp"
#include "results/record.hpp"

namespace bellwether {

/// What the scheme makes of a Taylor-Green flow too weak to act on itself: its equations linearized
/// about a uniform flow, for each of the plane waves that the flow is a sum of (von Neumann's
/// analysis: Sterling and Chen 1996). Exact for any wave number and relaxation time, the passage
/// from the initial equilibrium included; what a real flow decays by differs from it by O(Ma^2).
class LinearDecay {
 public:
  /// `wave` with two components that are not 0 at most, and not none.
  LinearDecay(std::array<double, 3> wave, double tau, std::array<double, 3> drift);

  /// Amplitude after `steps` steps over that at the start, in a frame that moves with the drift.
  /// Steps in rising order are cheap.
  [[nodiscard]] double amplitude(long steps);

 private:
  using Number = std::complex<double>;
  /// One plane wave, transverse at the start.
  struct Wave {
    std::array<double, 3> k{}, along{};
    std::array<Number, d3q19::populations> f{};
  };
  void start();
  void collide(Wave& wave) const;
  void stream(Wave& wave) const;
  [[nodiscard]] double projection() const;

  std::array<double, 3> vector_;
  double tau_;
  std::array<double, 3> drift_;
  std::vector<Wave> waves_;
  long steps_ = 0;
  double first_ = 1;
};

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
