// SPDX-License-Identifier: MIT
#include "miniapps/lbm/vortex_decay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "miniapps/lbm/taylor_green.hpp"

namespace bellwether {

MeasuredViscosity viscosity_of(double amplitude, double linear_amplitude,
                               double wave_number_squared, long steps) {
  const double scale = wave_number_squared * static_cast<double>(steps);
  return {-std::log(amplitude) / scale, -std::log(linear_amplitude) / scale};
}

Verification viscosity_check(const MeasuredViscosity& viscosity, double nominal, double mach,
                             double wave_number_squared, long steps, double unit) {
  const auto taken = static_cast<double>(steps);
  const double error = std::abs(viscosity.measured - viscosity.linear) / nominal;
  const double rounding = 16 * unit * (taken + 1) / (wave_number_squared * taken);
  const double compressible = mach * mach * (nominal + 1 / (2 * taken));
  const double tolerance = (compressible + rounding) / nominal;
  return {error <= tolerance, "viscosity", error, tolerance};  // a NaN fails
}

VortexDecay::VortexDecay(const LbmProblem& problem, double unit)
    : unit_(unit),
      nominal_(problem.viscosity()),
      mach_(problem.mach_at_rest()),
      square_(0),
      longest_(std::numeric_limits<double>::infinity()) {
  const TaylorGreen vortices(problem.grid());
  if (!problem.starts_as_taylor_green() || vortices.is_still()) return;
  square_ = vortices.wave_number_squared();
  constexpr double shows = 1e-3;
  longest_ = std::min(std::log(10.0) / (nominal_ * square_),
                      std::log(shows / unit) / (problem.speed * std::sqrt(square_)));
  if (!problem.is_driven() && !problem.les)
    linear_.emplace(vortices.wave_vector(), problem.tau, problem.drift);
}

bool VortexDecay::shows_after(long steps) const {
  constexpr double fewest = 4;  // of a run that decays faster
  return linear_ && steps > 0 && static_cast<double>(steps) <= std::max(fewest, longest_);
}

MeasuredViscosity VortexDecay::viscosity(const GlobalLbmSums& start, const GlobalLbmSums& now,
                                         long steps) {
  const double amplitude = now.projection / now.reference * start.reference / start.projection;
  return viscosity_of(amplitude, linear_->amplitude(steps), square_, steps);
}

Verification VortexDecay::check(const GlobalLbmSums& start, const GlobalLbmSums& now, long steps) {
  return viscosity_check(viscosity(start, now, steps), nominal_, mach_, square_, steps, unit_);
}

}  // namespace bellwether
