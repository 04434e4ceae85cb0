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
[[gnu::always_inline]] inline launch::RecordRows<T> rows_of(const ConservedLanes<T>& q) {
  return launch::rows_of<T>({{q.density, q.momentum_x, q.momentum_y, q.energy}});
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

/// The kinds of sides k of a register of cells, as numbers of a lane's size: at[k].
template <class T>
struct SideKinds {
  launch::LaneMask<T> at[4];
};
template <class T>
[[gnu::always_inline]] inline SideKinds<T> kinds_of(const std::uint32_t* codes) {
  using Numbers = launch::LaneMask<T>;
  static_assert(AirfoilSide::most_cells == 1u << 30);
  const T* const from = reinterpret_cast<const T*>(codes);
  if constexpr (sizeof(T) == 4) {
    const auto code = launch::load_records<4, T>(from);
    return {{Numbers(code.at[0]) >> 30 & 3, Numbers(code.at[1]) >> 30 & 3,
             Numbers(code.at[2]) >> 30 & 3, Numbers(code.at[3]) >> 30 & 3}};
  } else {
    const auto two_codes = launch::load_records<2, T>(from);
    const Numbers first = Numbers(two_codes.at[0]), second = Numbers(two_codes.at[1]);
    return {{first >> 30 & 3, first >> 62 & 3, second >> 30 & 3, second >> 62 & 3}};
  }
}

/// What leaves a register of cells through all their sides, as AirfoilGather::res. Where one of the
/// sides has no cell beyond it, fluxes are chosen by their kinds.
template <class T>
[[gnu::always_inline]] inline ConservedLanes<T> res_lanes(const AirfoilGather<T>& from,
                                                          std::ptrdiff_t cell,
                                                          const CellSides<launch::Lanes<T>>& sides,
                                                          const FluxState<launch::Lanes<T>>& own,
                                                          const launch::Lanes<T>& own_adt) {
  using Lanes = launch::Lanes<T>;
  using Numbers = launch::LaneMask<T>;
  constexpr int values = 4 * launch::lane_count<T>;
  const std::uint32_t* const codes = from.round.sides + 4 * cell;
  std::uint32_t all = 0;
  for (int n = 0; n < values; ++n) all |= codes[n];
  const bool at_rim = all >= AirfoilSide::most_cells;

  std::int32_t cells[values];
  const std::int32_t* other = reinterpret_cast<const std::int32_t*>(codes);
  SideKinds<T> kinds{};
  if (at_rim) [[unlikely]] {
    for (int n = 0; n < values; ++n)
      cells[n] = static_cast<std::int32_t>(AirfoilSide::of(codes[n]).cell);
    other = cells;
    kinds = kinds_of<T>(codes);
  }
  const auto chosen = [&](AirfoilSide::Kind kind, int k, const ConservedLanes<T>& a,
                          const ConservedLanes<T>& b) -> ConservedLanes<T> {
    const Numbers mask = kinds.at[k] == Numbers{} + static_cast<int>(kind);
    return {mask ? a.density : b.density, mask ? a.momentum_x : b.momentum_x,
            mask ? a.momentum_y : b.momentum_y, mask ? a.energy : b.energy};
  };
  const Lanes none{};
  const ConservedLanes<T> no_flux{none, none, none, none};
  ConservedLanes<T> sum = no_flux;
  const auto add = [&](int k) {
    auto q = conserved<T>(launch::load_records<4, T>(from.q, other + k, 4));
    if (at_rim) [[unlikely]] {
      const Conserved<T>& far = from.c.free_stream;
      q = chosen(
          AirfoilSide::inner, k, q,
          {none + far.density, none + far.momentum_x, none + far.momentum_y, none + far.energy});
    }
    const Lanes adt = launch::load_each<T>(from.adt, other + k, 4);
    auto f = flux_between<Lanes, T>(sides.at[k], own, flux_state<Lanes, T>(q, from.c), own_adt, adt,
                                    from.c);
    if (at_rim) [[unlikely]] {
      const Lanes dx = sides.at[k].x, dy = sides.at[k].y;
      f = chosen(AirfoilSide::wall, k, {none, own.pressure * dy, none - own.pressure * dx, none},
                 f);
      f = chosen(AirfoilSide::nothing, k, no_flux, f);
    }
    sum = {sum.density + f.density, sum.momentum_x + f.momentum_x, sum.momentum_y + f.momentum_y,
           sum.energy + f.energy};
  };
  add(0), add(1), add(2), add(3);
  return sum;
}

template <class T>
[[gnu::flatten]] inline void run(const AirfoilGatherRes<T>& loop, ElementRange cells) {
  constexpr std::ptrdiff_t lanes = launch::lane_count<T>;
  const AirfoilGather<T> from = loop.from;
  std::ptrdiff_t cell = cells.begin;
  for (; cell + lanes <= cells.end; cell += lanes) {
    const auto own = flux_state<launch::Lanes<T>, T>(
        conserved<T>(launch::load_records<4, T>(from.q + 4 * cell)), from.c);
    launch::store_rows(loop.res + 4 * cell,
                       rows_of<T>(res_lanes(from, cell, side_lanes(from.round.where, cell), own,
                                            launch::load_all_lanes<T>(from.adt + cell))));
  }
  for (; cell < cells.end; ++cell) loop(cell);
}
template <class T>
[[gnu::flatten]] inline void run(const AirfoilStage<T>& given, ElementRange cells) {
  using Lanes = launch::Lanes<T>;
  constexpr std::ptrdiff_t lanes = launch::lane_count<T>;
  const AirfoilStage<T> loop = given;  // what is written might be in `given` for the compiler
  const AirfoilGather<T>& from = loop.from;
  std::ptrdiff_t cell = cells.begin;
  for (; cell + lanes <= cells.end; cell += lanes) {
    const auto sides = side_lanes(from.round.where, cell);
    const Lanes adt = launch::load_all_lanes<T>(from.adt + cell);
    const auto own =
        flux_state<Lanes, T>(conserved<T>(launch::load_records<4, T>(from.q + 4 * cell)), from.c);
    const auto step =
        stepped<Lanes, T>(conserved<T>(launch::load_records<4, T>(loop.q_old + 4 * cell)),
                          res_lanes(from, cell, sides, own, adt), adt, from.c);
    launch::store_rows(loop.q_new + 4 * cell, rows_of<T>(step.q));
    launch::store_all_lanes<T>(
        loop.adt_new + cell,
        area_over_step(sides.at, launch::load_all_lanes<T>(from.round.where.perimeters + cell),
                       step.q, from.c));
  }
  for (; cell < cells.end; ++cell) loop(cell);
}

/// Edges in their order: the fluxes of a register of them, which are then added one by one, so that
/// edges with a cell in common are no matter. The additions to a cell wait for one another in
/// memory: they stand between the parts of the next register's fluxes, which wait for none of them.
template <class T>
[[gnu::flatten]] inline void run_in_order(const AirfoilResCalc<T>& loop, ElementRange edges) {
  using Lanes = launch::Lanes<T>;
  using Rows = launch::RecordRows<T>;
  constexpr std::ptrdiff_t lanes = launch::lane_count<T>;
  // Copies, since what is added to res might be in `loop` for all that the compiler knows.
  const AirfoilConstants<T> c = loop.c;
  const std::int32_t* const cells = loop.edges.cells;
  const T *const sides = loop.edges.sides, *const q = loop.q, *const adt = loop.adt;
  T* const res = loop.res;

  const auto fluxes = [&](std::ptrdiff_t edge, const auto& between) {
    const std::int32_t* const cell = cells + 2 * edge;
    between(0);
    const auto first =
        flux_state<Lanes, T>(conserved<T>(launch::load_records<4, T>(q, cell, 2)), c);
    between(1);
    const auto second =
        flux_state<Lanes, T>(conserved<T>(launch::load_records<4, T>(q, cell + 1, 2)), c);
    between(2);
    const auto side = launch::load_records<2, T>(sides + 2 * edge);
    const Lanes adt1 = launch::load_each<T>(adt, cell, 2);
    const Lanes adt2 = launch::load_each<T>(adt, cell + 1, 2);
    between(3);
    return rows_of<T>(
        flux_between<Lanes, T>({side.at[0], side.at[1]}, first, second, adt1, adt2, c));
  };
  const auto increment = [](T* to, const auto& values) {
    auto sum = values;
    std::memcpy(&sum, to, sizeof sum);
    sum += values;
    std::memcpy(to, &sum, sizeof sum);
  };
  // The edges of one quarter of a register's 4 * lanes values.
  const auto add = [&](const std::int32_t* cell, const Rows& flux, int quarter) {
    launch::visit_records(flux, [&](auto n, auto offset, const auto& values) {
      if ((4 * static_cast<int>(n) + static_cast<int>(offset)) / lanes != quarter) return;
      increment(res + 4 * std::ptrdiff_t{cell[2 * n]} + offset, values);
      increment(res + 4 * std::ptrdiff_t{cell[2 * n + 1]} + offset, -values);
    });
  };

  std::ptrdiff_t edge = edges.begin;
  if (edge + lanes <= edges.end) {
    Rows flux = fluxes(edge, [](int) {});
    const auto add_last = [&](int quarter) { add(cells + 2 * (edge - lanes), flux, quarter); };
    for (edge += lanes; edge + lanes <= edges.end; edge += lanes) flux = fluxes(edge, add_last);
    for (const int quarter : {0, 1, 2, 3}) add_last(quarter);
  }
  for (; edge < edges.end; ++edge) loop.template increment<PlainIncrement>(edge);
}

/// Few, in no regular order, and with a branch.
template <class T>
void run_in_order(const AirfoilBresCalc<T>& loop, ElementRange edges) {
  for (std::ptrdiff_t edge = edges.begin; edge < edges.end; ++edge)
    loop.template increment<PlainIncrement>(edge);
}

/// What `stepped` does, a value of a record in each lane: only for what it computes of the new q is
/// that transposed.
template <bool with_adt, class T>
[[gnu::flatten]] inline void run(const AirfoilUpdate<with_adt, T>& loop, ElementRange cells) {
  using Rows = launch::RecordRows<T>;
  constexpr std::ptrdiff_t lanes = launch::lane_count<T>;
  const AirfoilConstants<T> c = loop.c;
  std::ptrdiff_t cell = cells.begin;
  for (; cell + lanes <= cells.end; cell += lanes) {
    const Rows inverse = launch::in_rows<T>(c.one / launch::load_all_lanes<T>(loop.adt + cell));
    const Rows res = launch::load_rows(loop.res + 4 * cell);
    Rows q = launch::load_rows(loop.q_old + 4 * cell), delta;
    for (int r = 0; r < 4; ++r) {
      delta.at[r] = inverse.at[r] * res.at[r];
      q.at[r] = q.at[r] - delta.at[r];
    }
    launch::store_rows(loop.q + 4 * cell, q);
    launch::store_rows(loop.res + 4 * cell, Rows{});
    if (loop.change != nullptr)
      launch::store_all_lanes<T>(loop.change + cell,
                                 square_of(conserved<T>(launch::transposed(delta))));
    if constexpr (with_adt)
      launch::store_all_lanes<T>(
          loop.adt + cell, area_over_step(side_lanes(loop.where, cell).at,
                                          launch::load_all_lanes<T>(loop.where.perimeters + cell),
                                          conserved<T>(launch::transposed(q)), c));
  }
  for (; cell < cells.end; ++cell) loop(cell);
}

}  // namespace bellwether
