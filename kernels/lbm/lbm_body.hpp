// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/launch/host_device.hpp"
#include "kernels/lbm/lbm.hpp"
#include "kernels/lbm/lbm_moments.hpp"

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

/// Flops of one cell's update, a reciprocal and a square root one each.
constexpr int lbm_flops(bool with_force, bool with_eddies) {
  return 159 + (with_force ? 15 : 0) + (with_eddies ? 45 : 0) + (with_force && with_eddies ? 5 : 0);
}

/// A relaxation rate, 1 / tau, and 1 - it: one for all cells (R = T), or each cell its own (R = V).
template <class R>
struct LbmRates {
  R omega, keep;
};

/// 1 / tau_total of Smagorinsky's model, from the local stress Q = sum c c (f - f_eq). What a force
/// adds to Q is of the order of its product with a velocity, and left out.
template <class V, class T>
BELLWETHER_HOST_DEVICE V eddy_rate(const LbmMoments<V>& m, const V (&j)[3], const V (&u)[3],
                                   const V& inverse_density, const LbmCoefficients<T>& c) {
  const V pressure = c.third * m.excess;
  const V xx = m.sum[0] + (m.xy + m.xz) - (pressure + j[0] * u[0]);
  const V yy = m.sum[1] + (m.xy + m.yz) - (pressure + j[1] * u[1]);
  const V zz = m.sum[2] + (m.xz + m.yz) - (pressure + j[2] * u[2]);
  const V xy = m.sum[3] - m.sum[4] - j[0] * u[1];
  const V xz = m.sum[5] - m.sum[6] - j[0] * u[2];
  const V yz = m.sum[7] - m.sum[8] - j[1] * u[2];
  const V squares = (xx * xx + yy * yy + zz * zz) + c.two * (xy * xy + xz * xz + yz * yz);
  const V stress = square_root(squares) * inverse_density;
  // 2 / (tau + sqrt(tau^2 + ...)), halved above and below: the same bits without a division.
  return reciprocal(c.half_tau + square_root(c.quarter_tau_squared + c.quarter_eddy * stress));
}

template <bool with_eddies, class V, class T>
BELLWETHER_HOST_DEVICE auto rates_of(const LbmMoments<V>& m, const V (&j)[3], const V (&u)[3],
                                     const V& inverse_density, const LbmCoefficients<T>& c) {
  if constexpr (with_eddies) {
    const V omega = eddy_rate(m, j, u, inverse_density, c);
    return LbmRates<V>{omega, c.one - omega};
  } else {
    return LbmRates<T>{c.omega, c.keep};
  }
}

/// omega j with the parts of Guo's source: what is odd in the velocities goes with
/// omega j + s, what is even with omega j + 2 s, where s = (1 - omega / 2) F.
template <class V>
struct LbmDrive {
  V odd[3], even[3];
};
template <bool with_force, bool with_eddies, class V, class R, class T>
BELLWETHER_HOST_DEVICE LbmDrive<V> drive_of(const V (&j)[3], const R& omega,
                                            const LbmCoefficients<T>& c) {
  const V x = omega * j[0], y = omega * j[1], z = omega * j[2];
  if constexpr (!with_force) {
    return {{x, y, z}, {x, y, z}};
  } else if constexpr (!with_eddies) {
    const V odd[3] = {x + c.source[0], y + c.source[1], z + c.source[2]};
    return {{odd[0], odd[1], odd[2]},
            {odd[0] + c.source[0], odd[1] + c.source[1], odd[2] + c.source[2]}};
  } else {
    const V guo = c.one - c.half * omega;
    const V source[3] = {guo * c.force[0], guo * c.force[1], guo * c.force[2]};
    const V odd[3] = {x + source[0], y + source[1], z + source[2]};
    return {{odd[0], odd[1], odd[2]}, {odd[0] + source[0], odd[1] + source[1], odd[2] + source[2]}};
  }
}

/// A pair after the collision; to it come `even` for both and `odd` with the velocity's sign.
template <class V, class R>
BELLWETHER_HOST_DEVICE LbmPair<V> relaxed(const LbmPair<V>& h, const R& keep, const V& even,
                                          const V& odd) {
  return {keep * h.plus + (even + odd), keep * h.minus + (even - odd)};
}

/// The populations that leave a cell, from those that reach it. With h = f - w, density 1 + excess,
/// j = rho u (a force's half included) and the drives d and e, odd and even, of LbmDrive:
/// h' = (1 - omega) h + w (omega excess - 3/2 u.e + 9/2 (c.u) (c.e) + 3 c.d),
/// which is BGK with Guo's source, and subtracts no large numbers.
template <bool with_force, bool with_eddies, class V, class T>
BELLWETHER_HOST_DEVICE LbmCell<V> collide(const LbmCell<V>& h, const LbmCoefficients<T>& c) {
  const LbmMoments<V> m = moments_of(h);
  const auto momentum = [&](int d) {
    if constexpr (with_force)
      return m.momentum[d] + c.half_force[d];
    else
      return m.momentum[d];
  };
  const V j[3] = {momentum(0), momentum(1), momentum(2)};
  const V inverse_density = reciprocal(c.one + m.excess);
  const V u[3] = {j[0] * inverse_density, j[1] * inverse_density, j[2] * inverse_density};
  const auto rates = rates_of<with_eddies>(m, j, u, inverse_density, c);
  const auto drive = drive_of<with_force, with_eddies>(j, rates.omega, c);
  const auto& odd = drive.odd;
  const auto& even = drive.even;

  const V x = u[0] * even[0], y = u[1] * even[1], z = u[2] * even[2];
  const V base = rates.omega * m.excess - c.one_and_half * (x + y + z);
  const V axis = c.axis[0] * base, diagonal = c.diagonal[0] * base;
  const auto along = [&](int p, const V& product) {
    return relaxed(h.pair[p], rates.keep, axis + c.axis[1] * product, c.axis[2] * odd[p]);
  };
  const auto across = [&](int p, const V& cu, const V& c_even, const V& c_odd) {
    return relaxed(h.pair[p], rates.keep, diagonal + c.diagonal[1] * (cu * c_even),
                   c.diagonal[2] * c_odd);
  };
  const auto same = [&](int p, int a, int b) {  // c has +1 in both
    const V c_even = even[a] + even[b];
    if constexpr (with_force)
      return across(p, u[a] + u[b], c_even, odd[a] + odd[b]);
    else
      return across(p, u[a] + u[b], c_even, c_even);
  };
  const auto opposite = [&](int p, int a, int b) {  // c has +1 and -1
    const V c_even = even[a] - even[b];
    if constexpr (with_force)
      return across(p, u[a] - u[b], c_even, odd[a] - odd[b]);
    else
      return across(p, u[a] - u[b], c_even, c_even);
  };
  return {rates.keep * h.rest + c.third * base,
          {along(0, x), along(1, y), along(2, z), same(3, 0, 1), opposite(4, 0, 1), same(5, 0, 2),
           opposite(6, 0, 2), same(7, 1, 2), opposite(8, 1, 2)}};
}

}  // namespace bellwether
