// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/lbm/lbm.hpp"

namespace bellwether {

/// What a collision multiplies with, in lattice units.
template <class T>
struct LbmCoefficients {
  T omega;                          ///< 1 / tau
  T keep;                           ///< 1 - omega
  T half_tau, quarter_tau_squared;  ///< for Smagorinsky's model
  T quarter_eddy;                   ///< 18 sqrt(2) C^2 / 4
  T force[3], half_force[3];
  T source[3];  ///< (1 - omega / 2) force
  T half, one, one_and_half, two, third;
  T axis[3], diagonal[3];  ///< of a population with such a velocity: w, 9/2 w, 3 w
};

/// Computed in double precision and rounded once.
template <class T>
LbmCoefficients<T> lbm_coefficients(const LbmCollision<T>& collision) {
  const auto tau = static_cast<double>(collision.tau);
  const auto smagorinsky = static_cast<double>(collision.smagorinsky);
  LbmCoefficients<T> c{};
  c.omega = static_cast<T>(1 / tau);
  c.keep = static_cast<T>(1 - 1 / tau);
  c.half_tau = collision.tau / 2;
  c.quarter_tau_squared = static_cast<T>(tau * tau) / 4;
  c.quarter_eddy = static_cast<T>(18 * std::sqrt(2.0) * smagorinsky * smagorinsky) / 4;
  for (int d = 0; d < 3; ++d) {
    const auto force = static_cast<double>(collision.force[d]);
    c.force[d] = collision.force[d];
    c.half_force[d] = static_cast<T>(force / 2);
    c.source[d] = static_cast<T>((1 - 1 / (2 * tau)) * force);
  }
  c.half = T(0.5);
  c.one = 1;
  c.one_and_half = T(1.5);
  c.two = 2;
  c.third = static_cast<T>(1.0 / 3);
  const double factors[3] = {1, 4.5, 3};
  for (int n = 0; n < 3; ++n) {
    c.axis[n] = static_cast<T>(factors[n] * d3q19::axis_weight);
    c.diagonal[n] = static_cast<T>(factors[n] * d3q19::diagonal_weight);
  }
  return c;
}

/// Calls launch(with_force, with_eddies) with constants that say what the collision has, so that a
/// kernel without it is compiled without it.
template <class T, class Launch>
void with_collision(const LbmCollision<T>& collision, const Launch& launch) {
  const auto and_eddies = [&](auto with_force) {
    if (collision.smagorinsky > 0)
      launch(with_force, std::true_type{});
    else
      launch(with_force, std::false_type{});
  };
  const auto& f = collision.force;
  if (f[0] != 0 || f[1] != 0 || f[2] != 0)
    and_eddies(std::true_type{});
  else
    and_eddies(std::false_type{});
}

}  // namespace bellwether
