// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/airfoil/airfoil_gas.hpp"
#include "kernels/launch/host_device.hpp"

// The bodies of the loops: T is a number, V the same or a register of them. Additions associate in
// one fixed order, so every backend and vector width rounds alike.

namespace bellwether {

/// A point, or the side of a cell: x1 - x2 of its two nodes.
template <class V>
struct PlaneVector {
  V x, y;
};

/// |u dy - v dx|: how fast the flow crosses a side of the cell, times its length.
template <class V>
BELLWETHER_HOST_DEVICE V flow_through(const PlaneVector<V>& side, const V& u, const V& v) {
  return absolute(u * side.y - v * side.x);
}

/// The way from one corner of a cell to the next.
template <class V>
BELLWETHER_HOST_DEVICE PlaneVector<V> side_between(const PlaneVector<V>& to,
                                                   const PlaneVector<V>& from) {
  return {to.x - from.x, to.y - from.y};
}

/// The lengths of a cell's four sides together.
template <class V>
BELLWETHER_HOST_DEVICE V perimeter_of(const PlaneVector<V> (&side)[4]) {
  const auto length = [](const PlaneVector<V>& of) {
    return square_root(of.x * of.x + of.y * of.y);
  };
  return (length(side[0]) + length(side[1])) + (length(side[2]) + length(side[3]));
}

/// adt of a cell, its area over the time step: the sum over its four sides, in their order round
/// it, of |u dy - v dx| + c |side|, over CFL.
template <class V, class T>
BELLWETHER_HOST_DEVICE V area_over_step(const PlaneVector<V> (&side)[4], const V& perimeter,
                                        const Conserved<V>& q, const AirfoilConstants<T>& c) {
  const V inverse = c.one / q.density;
  const V u = inverse * q.momentum_x, v = inverse * q.momentum_y;
  const V sound = square_root(c.sound * (inverse * q.energy - c.half * (u * u + v * v)));
  return c.inverse_cfl * (((flow_through(side[0], u, v) + flow_through(side[1], u, v)) +
                           (flow_through(side[2], u, v) + flow_through(side[3], u, v))) +
                          sound * perimeter);
}

/// A cell's state with what every flux out of it is made of.
template <class V>
struct FluxState {
  Conserved<V> q;
  V half_inverse;  ///< 1 / (2 rho)
  V pressure;      ///< (gamma - 1) (E - rho |u|^2 / 2)
};
template <class V, class T>
BELLWETHER_HOST_DEVICE FluxState<V> flux_state(const Conserved<V>& q,
                                               const AirfoilConstants<T>& c) {
  const V half_inverse = c.half / q.density;
  const V squares = q.momentum_x * q.momentum_x + q.momentum_y * q.momentum_y;
  return {q, half_inverse, c.gamma_less_one * (q.energy - half_inverse * squares)};
}

/// Half of how fast the flow crosses a side, w / 2 with w = u dy - v dx.
template <class V>
BELLWETHER_HOST_DEVICE V half_crossing(const FluxState<V>& of, const PlaneVector<V>& side) {
  return of.half_inverse * (of.q.momentum_x * side.y - of.q.momentum_y * side.x);
}

/// The flux through a side from cell 1 into cell 2: the mean of what both cells' states carry
/// through it, (w rho, w rho u + p dy, w rho v - p dx, w (E + p)), and a smoothing part,
/// mu (q1 - q2) with mu = eps (adt1 + adt2) / 2. A cell's q is multiplied by w / 2 and mu together,
/// which takes 48 operations where each part by itself takes 62. Seen from the other cell (cells
/// exchanged, the side turned round) the flux is the same with the other sign, to the bit (but for
/// the sign of a zero).
template <class V, class T>
BELLWETHER_HOST_DEVICE Conserved<V> flux_between(const PlaneVector<V>& side,
                                                 const FluxState<V>& cell1,
                                                 const FluxState<V>& cell2, const V& adt1,
                                                 const V& adt2, const AirfoilConstants<T>& c) {
  const Conserved<V>&q1 = cell1.q, &q2 = cell2.q;
  const V mu = c.half_dissipation * (adt1 + adt2);
  const V w1 = half_crossing(cell1, side), w2 = half_crossing(cell2, side);
  const V from1 = w1 + mu, from2 = w2 - mu;
  const V pressure = c.half * (cell1.pressure + cell2.pressure);
  return {from1 * q1.density + from2 * q2.density,
          (from1 * q1.momentum_x + from2 * q2.momentum_x) + pressure * side.y,
          (from1 * q1.momentum_y + from2 * q2.momentum_y) - pressure * side.x,
          (from1 * q1.energy + from2 * q2.energy) + (w1 * cell1.pressure + w2 * cell2.pressure)};
}
template <class V, class T>
BELLWETHER_HOST_DEVICE Conserved<V> flux_between(const PlaneVector<V>& side, const Conserved<V>& q1,
                                                 const Conserved<V>& q2, const V& adt1,
                                                 const V& adt2, const AirfoilConstants<T>& c) {
  return flux_between(side, flux_state(q1, c), flux_state(q2, c), adt1, adt2, c);
}

/// What a wall does to a cell: (0, p dy, -p dx, 0).
template <class V, class T>
BELLWETHER_HOST_DEVICE Conserved<V> wall_flux(const FluxState<V>& cell, const PlaneVector<V>& side,
                                              const AirfoilConstants<T>& c) {
  return {c.zero, cell.pressure * side.y, c.zero - cell.pressure * side.x, c.zero};
}

/// A cell after a stage, and what was taken off it: delta = res / adt.
template <class V>
struct AirfoilStep {
  Conserved<V> q, delta;
};
template <class V, class T>
BELLWETHER_HOST_DEVICE AirfoilStep<V> stepped(const Conserved<V>& q_old, const Conserved<V>& res,
                                              const V& adt, const AirfoilConstants<T>& c) {
  const V inverse = c.one / adt;
  const Conserved<V> delta{inverse * res.density, inverse * res.momentum_x,
                           inverse * res.momentum_y, inverse * res.energy};
  return {{q_old.density - delta.density, q_old.momentum_x - delta.momentum_x,
           q_old.momentum_y - delta.momentum_y, q_old.energy - delta.energy},
          {delta.density, delta.momentum_x, delta.momentum_y, delta.energy}};
}

/// |delta|^2, of which rms is made.
template <class V>
BELLWETHER_HOST_DEVICE V square_of(const Conserved<V>& delta) {
  return (delta.density * delta.density + delta.momentum_x * delta.momentum_x) +
         (delta.momentum_y * delta.momentum_y + delta.energy * delta.energy);
}

}  // namespace bellwether
