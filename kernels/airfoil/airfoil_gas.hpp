// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>

namespace bellwether {

/// The flow round the airfoil; q = (rho, rho u, rho v, E), dimensionless. Constants are those that
/// OP2's Airfoil computes with: single precision numbers, also where q is double (Giles, Mudalige,
/// Sharif, Markall, Kelly 2011).
namespace airfoil {
inline constexpr double gamma = 1.4f;         ///< ratio of specific heats
inline constexpr double cfl = 0.9f;           ///< Courant number of the time step
inline constexpr double dissipation = 0.05f;  ///< eps, of the smoothing flux
inline constexpr double mach = 0.4f;          ///< of the free stream
inline constexpr double pressure = 1;         ///< of the free stream
inline constexpr double density = 1;          ///< of the free stream

/// q of the free stream, which flows in the direction of x.
inline std::array<double, 4> free_stream() {
  const double u = std::sqrt(gamma * pressure / density) * mach;
  return {density, density * u, 0, pressure / (gamma - 1) + 0.5 * density * u * u};
}
}  // namespace airfoil

/// q of one cell; of as many cells as V has lanes.
template <class V>
struct Conserved {
  V density, momentum_x, momentum_y, energy;
};

/// What the loops multiply with.
template <class T>
struct AirfoilConstants {
  T zero, one, half;
  T gamma_less_one;
  T sound;             ///< gamma (gamma - 1)
  T inverse_cfl;       ///< 1 / CFL
  T half_dissipation;  ///< eps / 2
  Conserved<T> free_stream;
};

/// Computed in double precision and rounded once.
template <class T>
AirfoilConstants<T> airfoil_constants() {
  const auto rounded = [](double value) { return static_cast<T>(value); };
  const auto q = airfoil::free_stream();
  return {rounded(0),
          rounded(1),
          rounded(0.5),
          rounded(airfoil::gamma - 1),
          rounded(airfoil::gamma * (airfoil::gamma - 1)),
          rounded(1 / airfoil::cfl),
          rounded(airfoil::dissipation / 2),
          {rounded(q[0]), rounded(q[1]), rounded(q[2]), rounded(q[3])}};
}

}  // namespace bellwether
