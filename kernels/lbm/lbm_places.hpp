// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "kernels/launch/host_device.hpp"
#include "kernels/lbm/lbm.hpp"
#include "kernels/lbm/lbm_moments.hpp"

namespace bellwether {

/// Calls visit with std::integral_constant<int, p> for each pair p.
template <class Visit, int... pair>
BELLWETHER_HOST_DEVICE void visit_pairs(const Visit& visit, std::integer_sequence<int, pair...>) {
  (visit(std::integral_constant<int, pair>{}), ...);
}
template <class Visit>
BELLWETHER_HOST_DEVICE void each_pair(const Visit& visit) {
  visit_pairs(visit, std::make_integer_sequence<int, d3q19::pairs>{});
}

/// The places of the cells of one row: pointers to those of its cell 0.
template <class T>
struct LbmRow {
  T* rest;
  T* own[d3q19::pairs];        ///< holds what moves with +c, and takes what leaves with -c
  T* other[d3q19::pairs];      ///< in the cell at x + c: holds -c, takes +c
  const unsigned char* solid;  ///< or null
  std::ptrdiff_t wrap;         ///< cells where x wraps, else 0

  /// From other[p] + i to the place of cell i: back to cell 0's where x wraps.
  template <int pair>
  BELLWETHER_HOST_DEVICE T* other_of(std::ptrdiff_t i) const {
    constexpr bool east = d3q19::velocity[pair][0] != 0;
    return other[pair] + (east && wrap != 0 && i == wrap - 1 ? i - wrap : i);
  }
  BELLWETHER_HOST_DEVICE LbmCell<std::remove_const_t<T>> load(std::ptrdiff_t i) const {
    LbmCell<std::remove_const_t<T>> cell;
    cell.rest = rest[i];
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      cell.pair[pair] = {own[pair][i], *other_of<pair>(i)};
    });
    return cell;
  }
  BELLWETHER_HOST_DEVICE void store(std::ptrdiff_t i, const LbmCell<T>& cell) const {
    rest[i] = cell.rest;
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      own[pair][i] = cell.pair[pair].minus;
      *other_of<pair>(i) = cell.pair[pair].plus;
    });
  }
};

/// Where the populations stand in a step of a parity.
template <class T>
struct LbmPlaces {
  T* f;  ///< slot 0, cell (0, 0, 0)
  const unsigned char* solid;
  std::ptrdiff_t slot_pitch, row_pitch, plane_pitch;
  int wrap_x, wrap_y, wrap_z;  ///< cells of the direction where it wraps, else 0
  int parity;

  BELLWETHER_HOST_DEVICE LbmRow<T> row(int j, int k) const {
    LbmRow<T> row;
    const std::ptrdiff_t at = j * row_pitch + k * plane_pitch;
    row.rest = f + at;
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      constexpr int cx = d3q19::velocity[pair][0];
      constexpr int cy = d3q19::velocity[pair][1];
      constexpr int cz = d3q19::velocity[pair][2];
      row.own[pair] = f + own_slot(pair, parity) * slot_pitch + at;
      row.other[pair] = f + other_slot(pair, parity) * slot_pitch + cx +
                        neighbour(j, cy, wrap_y) * row_pitch +
                        neighbour(k, cz, wrap_z) * plane_pitch;
    });
    row.solid = solid == nullptr ? nullptr : solid + at;
    row.wrap = wrap_x;
    return row;
  }

 private:
  BELLWETHER_HOST_DEVICE static std::ptrdiff_t neighbour(int cell, int step, int wrap) {
    const int next = cell + step;
    if (wrap == 0) return next;
    return next < 0 ? next + wrap : next == wrap ? 0 : next;
  }
};

/// What Guo's scheme adds to the momentum of the populations.
struct LbmHalfForce {
  double at[3];
};
template <class T>
LbmHalfForce half_force_of(const LbmCollision<T>& collision) {
  const auto half = [&](int d) { return static_cast<double>(collision.force[d]) / 2; };
  return {{half(0), half(1), half(2)}};
}

/// T is float or double, or one of them const: places that are only read.
template <class T>
LbmPlaces<T> lbm_places(const LbmGrid& grid, T* f, int parity) {
  const GridLayout& field = grid.layout.field();
  const auto wrap = [&grid](int direction) {
    return grid.wraps[direction] ? grid.layout.cells()[direction] : 0;
  };
  return {f + field.origin(),
          grid.solid == nullptr ? nullptr : grid.solid + field.origin(),
          static_cast<std::ptrdiff_t>(grid.layout.slot_pitch()),
          field.row_pitch(),
          field.plane_pitch(),
          wrap(0),
          wrap(1),
          wrap(2),
          parity};
}

}  // namespace bellwether
