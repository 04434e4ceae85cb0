// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>

// First: the bodies below call the functions of lanes, which they find only if declared before.
#include "kernels/launch/cpu/lane_records.hpp"

#include "kernels/airfoil/airfoil_gather.hpp"

// The loops on a CPU: a register of neighbouring elements at a time, whose cells and nodes are
// loaded as records, and the last few of a range one by one. The arithmetic is the same for both.

namespace bellwether {

template <class T>
using ConservedLanes = Conserved<launch::Lanes<T>>;

template <class T>
[[gnu::always_inline]] inline ConservedLanes<T> conserved(const launch::LaneRecords<4, T>& values) {
  return {values.at[0], values.at[1], values.at[2], values.at[3]};
}
template <class T>
[[gnu::always_inline]] inline launch::LaneRecords<4, T> records_of(const ConservedLanes<T>& q) {
  return {{q.density, q.momentum_x, q.momentum_y, q.energy}};
}

/// sides_of a register of cells from `cell` on.
template <class T>
[[gnu::always_inline]] inline CellSides<launch::Lanes<T>> side_lanes(const AirfoilCells<T>& where,
                                                                     std::ptrdiff_t cell) {
  const std::int32_t* const node = where.nodes + 4 * cell;
  const auto corner = [&](int k) -> PlaneVector<launch::Lanes<T>> {
    const auto x = launch::load_records<2, T>(where.x, node + k, 4);
    return {x.at[0], x.at[1]};
  };
  const PlaneVector<launch::Lanes<T>> a = corner(0), b = corner(1), c = corner(2), d = corner(3);
  return {{side_between(b, a), side_between(c, b), side_between(d, c), side_between(a, d)}};
}

template <class T>
[[gnu::flatten]] inline void run(const AirfoilAdtCalc<T>& loop, ElementRange cells) {
  constexpr std::ptrdiff_t lanes = launch::lane_count<T>;
  std::ptrdiff_t cell = cells.begin;
  for (; cell + lanes <= cells.end; cell += lanes) {
    const auto q = conserved<T>(launch::load_records<4, T>(loop.q + 4 * cell));
    const auto sides = side_lanes(loop.where, cell);
    launch::store_all_lanes<T>(loop.adt + cell,
                               area_over_step(sides.at, perimeter_of(sides.at), q, loop.c));
  }
  for (; cell < cells.end; ++cell) loop(cell);
}

/// Cells one by one, where loops have no form for registers: a gather, which is for GPUs.
template <class Loop>
[[gnu::flatten]] void run(const Loop& loop, ElementRange cells) {
  for (std::ptrdiff_t cell = cells.begin; cell < cells.end; ++cell) loop(cell);
}

/// Edges in their order: the fluxes of a register of them, which are then added one by one, so that
/// edges with a cell in common are no matter.
template <class T>
[[gnu::flatten]] inline void run_in_order(const AirfoilResCalc<T>& loop, ElementRange edges) {
  constexpr std::ptrdiff_t lanes = launch::lane_count<T>;
  std::ptrdiff_t edge = edges.begin;
  for (; edge + lanes <= edges.end; edge += lanes) {
    const std::int32_t* const cell = loop.edges.cells + 2 * edge;
    const auto side = launch::load_records<2, T>(loop.edges.sides + 2 * edge);
    const auto flux = flux_between<launch::Lanes<T>, T>(
        {side.at[0], side.at[1]}, conserved<T>(launch::load_records<4, T>(loop.q, cell, 2)),
        conserved<T>(launch::load_records<4, T>(loop.q, cell + 1, 2)),
        launch::load_each<T>(loop.adt, cell, 2), launch::load_each<T>(loop.adt, cell + 1, 2),
        loop.c);
    launch::visit_records(records_of<T>(flux), [&](auto n, auto offset, const auto& values) {
      T* const first = loop.res + 4 * std::ptrdiff_t{cell[2 * n]} + offset;
      auto sum = values;
      std::memcpy(&sum, first, sizeof sum);
      sum += values;
      std::memcpy(first, &sum, sizeof sum);
      T* const second = loop.res + 4 * std::ptrdiff_t{cell[2 * n + 1]} + offset;
      std::memcpy(&sum, second, sizeof sum);
      sum -= values;
      std::memcpy(second, &sum, sizeof sum);
    });
  }
  for (; edge < edges.end; ++edge) loop.template increment<PlainIncrement>(edge);
}

/// Few, in no regular order, and with a branch.
template <class T>
void run_in_order(const AirfoilBresCalc<T>& loop, ElementRange edges) {
  for (std::ptrdiff_t edge = edges.begin; edge < edges.end; ++edge)
    loop.template increment<PlainIncrement>(edge);
}

template <bool with_adt, class T>
[[gnu::flatten]] inline void run(const AirfoilUpdate<with_adt, T>& loop, ElementRange cells) {
  using Lanes = launch::Lanes<T>;
  constexpr std::ptrdiff_t lanes = launch::lane_count<T>;
  const launch::LaneRecords<4, T> zeros{};
  std::ptrdiff_t cell = cells.begin;
  for (; cell + lanes <= cells.end; cell += lanes) {
    const auto step =
        stepped<Lanes, T>(conserved<T>(launch::load_records<4, T>(loop.q_old + 4 * cell)),
                          conserved<T>(launch::load_records<4, T>(loop.res + 4 * cell)),
                          launch::load_all_lanes<T>(loop.adt + cell), loop.c);
    launch::store_records(loop.q + 4 * cell, records_of<T>(step.q));
    launch::store_records(loop.res + 4 * cell, zeros);
    if (loop.change != nullptr)
      launch::store_all_lanes<T>(loop.change + cell, square_of<Lanes>(step.delta));
    if constexpr (with_adt)
      launch::store_all_lanes<T>(
          loop.adt + cell,
          area_over_step(side_lanes(loop.where, cell).at,
                         launch::load_all_lanes<T>(loop.where.perimeters + cell), step.q, loop.c));
  }
  for (; cell < cells.end; ++cell) loop(cell);
}

}  // namespace bellwether
