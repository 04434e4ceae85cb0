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

/// (gamma - 1) (E - rho |u|^2 / 2), from 1 / rho.
template <class V, class T>
BELLWETHER_HOST_DEVICE V pressure_of(const Conserved<V>& q, const V& inverse,
                                     const AirfoilConstants<T>& c) {
  const V squares = q.momentum_x * q.momentum_x + q.momentum_y * q.momentum_y;
  return c.gamma_less_one * (q.energy - c.half * inverse * squares);
}

/// A cell's state with what every flux out of it is made of.
template <class V>
struct FluxState {
  Conserved<V> q;
  V inverse, pressure;  ///< 1 / rho, p
};
template <class V, class T>
BELLWETHER_HOST_DEVICE FluxState<V> flux_state(const Conserved<V>& q,
                                               const AirfoilConstants<T>& c) {
  const V inverse = c.one / q.density;
  return {q, inverse, pressure_of(q, inverse, c)};
}

/// What a cell's state carries through a side, w = u dy - v dx: (w rho, w rho u + p dy,
/// w rho v - p dx, w (E + p)).
template <class V>
BELLWETHER_HOST_DEVICE Conserved<V> carried(const FluxState<V>& of, const PlaneVector<V>& side) {
  const Conserved<V>& q = of.q;
  const V& p = of.pressure;
  const V mass = q.momentum_x * side.y - q.momentum_y * side.x;
  const V w = of.inverse * mass;
  return {mass, w * q.momentum_x + p * side.y, w * q.momentum_y - p * side.x, w * (q.energy + p)};
}

/// The flux through a side from cell 1 into cell 2: the mean of both sides' and a smoothing part,
/// mu (q1 - q2) with mu = eps (adt1 + adt2) / 2. Seen from the other cell (cells exchanged, the
/// side turned round) it is the same with the other sign, to the bit (but for the sign of a zero).
template <class V, class T>
BELLWETHER_HOST_DEVICE Conserved<V> flux_between(const PlaneVector<V>& side,
                                                 const FluxState<V>& cell1,
                                                 const FluxState<V>& cell2, const V& adt1,
                                                 const V& adt2, const AirfoilConstants<T>& c) {
  const Conserved<V> f1 = carried(cell1, side), f2 = carried(cell2, side);
  const Conserved<V>&q1 = cell1.q, &q2 = cell2.q;
  const V mu = c.half_dissipation * (adt1 + adt2);
  return {c.half * (f1.density + f2.density) + mu * (q1.density - q2.density),
          c.half * (f1.momentum_x + f2.momentum_x) + mu * (q1.momentum_x - q2.momentum_x),
          c.half * (f1.momentum_y + f2.momentum_y) + mu * (q1.momentum_y - q2.momentum_y),
          c.half * (f1.energy + f2.energy) + mu * (q1.energy - q2.energy)};
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
