// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/airfoil/airfoil_loops.hpp"

// A stage as a gather: a cell computes the fluxes through all its sides, so that nothing is added
// to memory and no two threads write to the same place.

namespace bellwether {

template <class T>
struct AirfoilGather {
  AirfoilSurroundings<T> round;
  const T* q;
  const T* adt;
  AirfoilConstants<T> c;

  /// What the cell needs of the one beyond a side; where there is none, the far field's state with
  /// its own adt. Without a branch round the loads.
  struct Beyond {
    Conserved<T> q;
    T adt;
  };
  [[nodiscard]] BELLWETHER_HOST_DEVICE Beyond load(const AirfoilSide& side) const {
    const Conserved<T> there = load_cell(q, static_cast<std::ptrdiff_t>(side.cell));
    return {side.kind == AirfoilSide::inner ? there : c.free_stream, adt[side.cell]};
  }

  /// What leaves the cell through a side.
  [[nodiscard]] BELLWETHER_HOST_DEVICE Conserved<T> flux(const AirfoilSide& side,
                                                         const PlaneVector<T>& vector,
                                                         const FluxState<T>& own, const T& own_adt,
                                                         const Beyond& beyond) const {
    const Conserved<T> f =
        flux_between(vector, own, flux_state(beyond.q, c), own_adt, beyond.adt, c);
    if (side.kind == AirfoilSide::wall) return wall_flux(own, vector, c);
    if (side.kind == AirfoilSide::nothing) return {c.zero, c.zero, c.zero, c.zero};
    return f;
  }

  /// The sum over the sides, from 0 on: a sum that began so is never -0, and a flux of 0 leaves it
  /// as it is. All loads come first, so that they are under way together: a compiler moves none
  /// past a division.
  [[nodiscard]] BELLWETHER_HOST_DEVICE Conserved<T> res(std::ptrdiff_t cell,
                                                        const CellSides<T>& sides,
                                                        const T& own_adt) const {
    const auto code = launch::load_record<4>(round.sides, cell);
    const AirfoilSide side[4] = {AirfoilSide::of(code.at[0]), AirfoilSide::of(code.at[1]),
                                 AirfoilSide::of(code.at[2]), AirfoilSide::of(code.at[3])};
    const Beyond beyond[4] = {load(side[0]), load(side[1]), load(side[2]), load(side[3])};
    const FluxState<T> own = flux_state(load_cell(q, cell), c);
    Conserved<T> sum{c.zero, c.zero, c.zero, c.zero};
    for (int k = 0; k < 4; ++k) {
      const Conserved<T> f = flux(side[k], sides.at[k], own, own_adt, beyond[k]);
      sum.density += f.density;
      sum.momentum_x += f.momentum_x;
      sum.momentum_y += f.momentum_y;
      sum.energy += f.energy;
    }
    return sum;
  }
};

template <class T>
struct AirfoilGatherRes {
  AirfoilGather<T> from;
  T* res;

  BELLWETHER_HOST_DEVICE void operator()(std::ptrdiff_t cell) const {
    store_cell(res, cell, from.res(cell, sides_of(from.round.where, cell), from.adt[cell]));
  }
};

template <class T>
struct AirfoilStage {
  AirfoilGather<T> from;
  const T* q_old;
  T* q_new;
  T* adt_new;

  BELLWETHER_HOST_DEVICE void operator()(std::ptrdiff_t cell) const {
    const CellSides<T> sides = sides_of(from.round.where, cell);
    const T adt = from.adt[cell];
    const Conserved<T> old = load_cell(q_old, cell);
    const AirfoilStep<T> step = stepped(old, from.res(cell, sides, adt), adt, from.c);
    store_cell(q_new, cell, step.q);
    adt_new[cell] = area_over_step(sides.at, from.round.where.perimeters[cell], step.q, from.c);
  }
};

}  // namespace bellwether
