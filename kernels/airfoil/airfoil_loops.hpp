// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/airfoil/airfoil.hpp"
#include "kernels/airfoil/airfoil_body.hpp"
#include "kernels/launch/record.hpp"

// The loops' bodies with the arrays they work on: one element, by its number.

namespace bellwether {

template <class T>
BELLWETHER_HOST_DEVICE Conserved<T> load_cell(const T* values, std::ptrdiff_t cell) {
  const auto q = launch::load_record<4>(values, cell);
  return {q.at[0], q.at[1], q.at[2], q.at[3]};
}
template <class T>
BELLWETHER_HOST_DEVICE void store_cell(T* values, std::ptrdiff_t cell, const Conserved<T>& q) {
  launch::store_record<4, T>(values, cell, {{q.density, q.momentum_x, q.momentum_y, q.energy}});
}
template <class T>
BELLWETHER_HOST_DEVICE PlaneVector<T> load_vector(const T* values, std::ptrdiff_t at) {
  const auto vector = launch::load_record<2>(values, at);
  return {vector.at[0], vector.at[1]};
}

template <class T>
struct AirfoilSetCells {
  T* values;
  Conserved<T> value;
  BELLWETHER_HOST_DEVICE void operator()(std::ptrdiff_t cell) const {
    store_cell(values, cell, value);
  }
};
template <class T>
struct AirfoilCopyCells {
  const T* from;
  T* to;
  BELLWETHER_HOST_DEVICE void operator()(std::ptrdiff_t cell) const {
    store_cell(to, cell, load_cell(from, cell));
  }
};

template <class T>
struct AirfoilSides {
  const std::int32_t* nodes;
  const T* x;
  T* sides;

  BELLWETHER_HOST_DEVICE void operator()(std::ptrdiff_t edge) const {
    const auto node = launch::load_record<2>(nodes, edge);
    const PlaneVector<T> first = load_vector(x, node.at[0]), second = load_vector(x, node.at[1]);
    launch::store_record<2, T>(sides, edge, {{first.x - second.x, first.y - second.y}});
  }
};

/// A cell's sides: at[k] from its corner k to the next.
template <class T>
struct CellSides {
  PlaneVector<T> at[4];
};
template <class T>
BELLWETHER_HOST_DEVICE CellSides<T> sides_of(const AirfoilCells<T>& where, std::ptrdiff_t cell) {
  const auto node = launch::load_record<4>(where.nodes, cell);
  const PlaneVector<T> a = load_vector(where.x, node.at[0]), b = load_vector(where.x, node.at[1]),
                       c = load_vector(where.x, node.at[2]), d = load_vector(where.x, node.at[3]);
  return {{side_between(b, a), side_between(c, b), side_between(d, c), side_between(a, d)}};
}

template <class T>
struct AirfoilPerimeters {
  AirfoilCells<T> where;
  T* perimeters;

  BELLWETHER_HOST_DEVICE void operator()(std::ptrdiff_t cell) const {
    perimeters[cell] = perimeter_of(sides_of(where, cell).at);
  }
};

template <class T>
struct AirfoilAdtCalc {
  AirfoilCells<T> where;
  AirfoilConstants<T> c;
  const T* q;
  T* adt;

  BELLWETHER_HOST_DEVICE T of(std::ptrdiff_t cell) const {
    const CellSides<T> sides = sides_of(where, cell);
    return area_over_step(sides.at, perimeter_of(sides.at), load_cell(q, cell), c);
  }
  BELLWETHER_HOST_DEVICE void operator()(std::ptrdiff_t cell) const { adt[cell] = of(cell); }
};

/// A cell's four increments, the way that Increment::add(T* to, Record<4, T>) does them: plainly,
/// or with atomics.
template <class Increment, class T>
BELLWETHER_HOST_DEVICE void increment_cell(T* values, std::ptrdiff_t cell, const Conserved<T>& by) {
  const launch::Record<4, T> record{{by.density, by.momentum_x, by.momentum_y, by.energy}};
  Increment::add(values + 4 * cell, record);
}

template <class T>
struct AirfoilResCalc {
  AirfoilEdges<T> edges;
  const T* q;
  const T* adt;
  T* res;
  AirfoilConstants<T> c;

  BELLWETHER_HOST_DEVICE Conserved<T> flux(std::ptrdiff_t edge, std::ptrdiff_t first,
                                           std::ptrdiff_t second) const {
    return flux_between(load_vector(edges.sides, edge), load_cell(q, first), load_cell(q, second),
                        adt[first], adt[second], c);
  }
  template <class Increment>
  BELLWETHER_HOST_DEVICE void increment(std::ptrdiff_t edge) const {
    const auto cell = launch::load_record<2>(edges.cells, edge);
    const Conserved<T> f = flux(edge, cell.at[0], cell.at[1]);
    increment_cell<Increment>(res, cell.at[0], f);
    increment_cell<Increment>(res, cell.at[1],
                              {-f.density, -f.momentum_x, -f.momentum_y, -f.energy});
  }
};

template <class T>
struct AirfoilBresCalc {
  AirfoilBoundary<T> edges;
  const T* q;
  const T* adt;
  T* res;
  AirfoilConstants<T> c;

  BELLWETHER_HOST_DEVICE T wall_pressure(std::ptrdiff_t edge) const {
    return flux_state(load_cell(q, edges.cells[edge]), c).pressure;
  }
  BELLWETHER_HOST_DEVICE Conserved<T> far_flux(std::ptrdiff_t edge) const {
    const std::ptrdiff_t cell = edges.cells[edge];
    return flux_between(load_vector(edges.sides, edge), load_cell(q, cell), c.free_stream,
                        adt[cell], adt[cell], c);
  }
  template <class Increment>
  BELLWETHER_HOST_DEVICE void increment(std::ptrdiff_t edge) const {
    if (edges.flags[edge] == airfoil_wall) {
      const PlaneVector<T> side = load_vector(edges.sides, edge);
      const T pressure = wall_pressure(edge);
      T* const to = res + 4 * std::ptrdiff_t{edges.cells[edge]};
      Increment::add(to + 1, pressure * side.y);
      Increment::add(to + 2, -(pressure * side.x));
    } else {
      increment_cell<Increment>(res, edges.cells[edge], far_flux(edge));
    }
  }
};

struct PlainIncrement {
  template <class T>
  BELLWETHER_HOST_DEVICE static void add(T* to, T value) {
    *to += value;
  }
  template <class T>
  BELLWETHER_HOST_DEVICE static void add(T* to, const launch::Record<4, T>& values) {
    launch::add_record(to, 0, values);
  }
};

/// update(), and where with_adt is true adt_calc after it.
template <bool with_adt, class T>
struct AirfoilUpdate {
  AirfoilCells<T> where;
  AirfoilConstants<T> c;
  const T* q_old;
  T* adt;  ///< not written without with_adt
  T* q;
  T* res;
  T* change;  ///< or null

  BELLWETHER_HOST_DEVICE void operator()(std::ptrdiff_t cell) const {
    const AirfoilStep<T> step =
        stepped(load_cell<T>(q_old, cell), load_cell<T>(res, cell), adt[cell], c);
    store_cell(q, cell, step.q);
    store_cell(res, cell, {0, 0, 0, 0});
    if (change != nullptr) change[cell] = square_of(step.delta);
    if constexpr (with_adt)
      adt[cell] = area_over_step(sides_of(where, cell).at, where.perimeters[cell], step.q, c);
  }
};

}  // namespace bellwether
