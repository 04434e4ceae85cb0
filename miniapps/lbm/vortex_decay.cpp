// SPDX-License-Identifier: MIT
#include "miniapps/lbm/vortex_decay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "miniapps/lbm/taylor_green.hpp"

namespace bellwether {
namespace {

using Vector = std::array<double, 3>;

/// Velocity of a population, and its weight.
Vector velocity_of(int population) {
  if (population == 0) return {};
  const auto& c = d3q19::velocity[(population - 1) / 2];
  const double sign = population % 2 == 1 ? 1 : -1;
  return {sign * c[0], sign * c[1], sign * c[2]};
}
double weight_of(int population) {
  return population == 0 ? d3q19::rest_weight : d3q19::weight((population - 1) / 2);
}
template <class A, class B>
auto dot(const A& a, const B& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace

LinearDecay::LinearDecay(Vector wave, double tau, Vector drift)
    : vector_(wave), tau_(tau), drift_(drift) {
  start();
}

/// Taylor-Green is four plane waves, k_a and k_b of either sign, of two of which the others are the
/// conjugates. What they sent out before the first step is in equilibrium.
void LinearDecay::start() {
  const int a = vector_[2] != 0 ? 2 : vector_[1] != 0 ? 1 : 0;
  int b = (a + 1) % 3;
  for (int d = 0; d < 3; ++d)
    if (d != a && vector_[d] != 0) b = d;
  waves_.clear();
  steps_ = 0;
  for (const double sign : {1.0, -1.0}) {
    Wave wave;
    wave.k[a] = vector_[a];
    wave.k[b] = sign * vector_[b];
    const double size = std::sqrt(dot(wave.k, wave.k));
    wave.along[a] = wave.k[b] / size;
    wave.along[b] = -wave.k[a] / size;
    for (int i = 0; i < d3q19::populations; ++i) {
      const Vector c = velocity_of(i);
      const double cu = dot(c, drift_), cv = dot(c, wave.along);
      wave.f[i] = weight_of(i) * (3 * cv + 9 * cu * cv - 3 * dot(drift_, wave.along));
    }
    stream(wave);
    waves_.push_back(wave);
  }
  first_ = projection();
}

/// BGK with the second-order equilibrium's derivatives at density 1 and the drift.
void LinearDecay::collide(Wave& wave) const {
  Number density = 0;
  std::array<Number, 3> momentum{};
  for (int i = 0; i < d3q19::populations; ++i) {
    density += wave.f[i];
    for (int d = 0; d < 3; ++d) momentum[d] += velocity_of(i)[d] * wave.f[i];
  }
  std::array<Number, 3> v{};
  for (int d = 0; d < 3; ++d) v[d] = momentum[d] - density * drift_[d];
  for (int i = 0; i < d3q19::populations; ++i) {
    const Vector c = velocity_of(i);
    const double cu = dot(c, drift_);
    const double base = 1 + 3 * cu + 4.5 * cu * cu - 1.5 * dot(drift_, drift_);
    const Number cv = dot(c, v);
    const Number equilibrium =
        weight_of(i) * (density * base + 3.0 * cv + 9 * cu * cv - 3.0 * dot(drift_, v));
    wave.f[i] -= (wave.f[i] - equilibrium) / tau_;
  }
}

void LinearDecay::stream(Wave& wave) const {
  for (int i = 0; i < d3q19::populations; ++i)
    wave.f[i] *= std::polar(1.0, -dot(wave.k, velocity_of(i)));
}

/// On the initial flow, carried along with the drift since the first step.
double LinearDecay::projection() const {
  double sum = 0;
  for (const Wave& wave : waves_) {
    Number density = 0, along = 0;
    for (int i = 0; i < d3q19::populations; ++i) {
      density += wave.f[i];
      along += dot(velocity_of(i), wave.along) * wave.f[i];
    }
    const double moved = dot(wave.k, drift_) * static_cast<double>(steps_ + 1);
    sum += std::real((along - density * dot(drift_, wave.along)) * std::polar(1.0, moved));
  }
  return sum / static_cast<double>(waves_.size());
}

double LinearDecay::amplitude(long steps) {
  if (steps < steps_) start();
  for (; steps_ < steps; ++steps_) {
    for (Wave& wave : waves_) {
      collide(wave);
      stream(wave);
    }
  }
  return projection() / first_;
}

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
