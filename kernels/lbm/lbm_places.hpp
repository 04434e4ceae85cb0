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
};

/// 16 bytes of a population of neighbouring cells, which a GPU's thread moves with one instruction.
template <class T>
struct alignas(16) LbmLanes {
  static constexpr int size = 16 / sizeof(T);
  T at[size];
};

template <class T>
BELLWETHER_HOST_DEVICE LbmCell<T> lane_of(const LbmCell<LbmLanes<T>>& vector, int lane) {
  LbmCell<T> cell;
  cell.rest = vector.rest.at[lane];
  each_pair([&](auto p) {
    constexpr int pair = decltype(p)::value;
    cell.pair[pair] = {vector.pair[pair].plus.at[lane], vector.pair[pair].minus.at[lane]};
  });
  return cell;
}
template <class T>
BELLWETHER_HOST_DEVICE void put(LbmCell<LbmLanes<T>>& vector, int lane, const LbmCell<T>& cell) {
  vector.rest.at[lane] = cell.rest;
  each_pair([&](auto p) {
    constexpr int pair = decltype(p)::value;
    vector.pair[pair].plus.at[lane] = cell.pair[pair].plus;
    vector.pair[pair].minus.at[lane] = cell.pair[pair].minus;
  });
}

/// Where the populations stand in a step of a parity: the slots' starts by name, so that a device's
/// threads find them ready, and offsets from them, which are the same in all. Index holds those:
/// std::ptrdiff_t, or std::uint32_t where fits_32_bits().
template <class T, class Index = std::ptrdiff_t>
struct LbmPlaces {
  T* rest;
  T* own[d3q19::pairs];
  T* other[d3q19::pairs];
  const unsigned char* solid;            ///< or null
  Index origin, row_pitch, plane_pitch;  ///< of each slot, and of the mask
  int wrap_x, wrap_y, wrap_z;            ///< cells of the direction where it wraps, else 0

  /// The places of one cell.
  struct Cell {
    const LbmPlaces& in;
    Index at, other[d3q19::pairs];

    [[nodiscard]] BELLWETHER_HOST_DEVICE bool is_solid() const {
      return in.solid != nullptr && in.solid[at] != 0;
    }
    BELLWETHER_HOST_DEVICE LbmCell<std::remove_const_t<T>> load() const {
      LbmCell<std::remove_const_t<T>> cell;
      cell.rest = in.rest[at];
      each_pair([&](auto p) {
        constexpr int pair = decltype(p)::value;
        cell.pair[pair] = {in.own[pair][at], in.other[pair][other[pair]]};
      });
      return cell;
    }
    /// The addresses for it are found again: kept since load() they take 38 registers of a GPU's
    /// thread, the offsets ten.
    BELLWETHER_HOST_DEVICE void store(const LbmCell<T>& cell) const {
      const Index here = computed_anew(at);
      in.rest[here] = cell.rest;
      each_pair([&](auto p) {
        constexpr int pair = decltype(p)::value;
        in.own[pair][here] = cell.pair[pair].minus;
        in.other[pair][computed_anew(other[pair])] = cell.pair[pair].plus;
      });
    }
  };

  /// The places of neighbouring cells, as many as LbmLanes hold. Each slot's rows begin at
  /// multiples of 16 bytes (GridLayout), so that all are whole but those at x + 1, of which the
  /// last may lie beyond the end of the row that wraps.
  struct VectorOfCells {
    Cell first;
    Index end[d3q19::pairs];  ///< the last one's `other`

    [[nodiscard]] BELLWETHER_HOST_DEVICE LbmCell<LbmLanes<T>> load() const {
      LbmCell<LbmLanes<T>> vector;
      vector.rest = whole(first.in.rest + first.at);
      each_pair([&](auto p) {
        constexpr int pair = decltype(p)::value;
        T* const from = first.in.other[pair];
        LbmLanes<T>& minus = vector.pair[pair].minus;
        vector.pair[pair].plus = whole(first.in.own[pair] + first.at);
        if constexpr (d3q19::velocity[pair][0] == 0) {
          minus = whole(from + first.other[pair]);
        } else {
          for (int lane = 0; lane + 1 < minus.size; ++lane)
            minus.at[lane] = from[first.other[pair] + static_cast<Index>(lane)];
          minus.at[minus.size - 1] = from[end[pair]];
        }
      });
      return vector;
    }
    /// As Cell's.
    BELLWETHER_HOST_DEVICE void store(const LbmCell<LbmLanes<T>>& vector) const {
      const Index here = computed_anew(first.at);
      whole(first.in.rest + here) = vector.rest;
      each_pair([&](auto p) {
        constexpr int pair = decltype(p)::value;
        const Index there = computed_anew(first.other[pair]);
        T* const to = first.in.other[pair];
        const LbmLanes<T>& plus = vector.pair[pair].plus;
        whole(first.in.own[pair] + here) = vector.pair[pair].minus;
        if constexpr (d3q19::velocity[pair][0] == 0) {
          whole(to + there) = plus;
        } else {
          for (int lane = 0; lane + 1 < plus.size; ++lane)
            to[there + static_cast<Index>(lane)] = plus.at[lane];
          to[computed_anew(end[pair])] = plus.at[plus.size - 1];
        }
      });
    }

   private:
    BELLWETHER_HOST_DEVICE static LbmLanes<T>& whole(T* at) {
      return *reinterpret_cast<LbmLanes<T>*>(at);
    }
  };

  BELLWETHER_HOST_DEVICE VectorOfCells vector(int i, int j, int k) const {
    VectorOfCells vector{cell(i, j, k), {}};
    const Cell last = cell(i + LbmLanes<T>::size - 1, j, k);
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      vector.end[pair] = last.other[pair];
    });
    return vector;
  }
  BELLWETHER_HOST_DEVICE Cell cell(int i, int j, int k) const {
    Cell cell{*this, offset(i, j, k), {}};
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      constexpr int cx = d3q19::velocity[pair][0];
      constexpr int cy = d3q19::velocity[pair][1];
      constexpr int cz = d3q19::velocity[pair][2];
      cell.other[pair] =
          offset(neighbour<cx>(i, wrap_x), neighbour<cy>(j, wrap_y), neighbour<cz>(k, wrap_z));
    });
    return cell;
  }
  BELLWETHER_HOST_DEVICE LbmRow<T> row(int j, int k) const {
    LbmRow<T> row;
    row.rest = rest + offset(0, j, k);
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      constexpr int cx = d3q19::velocity[pair][0];
      constexpr int cy = d3q19::velocity[pair][1];
      constexpr int cz = d3q19::velocity[pair][2];
      row.own[pair] = own[pair] + offset(0, j, k);
      row.other[pair] =
          other[pair] + offset(cx, neighbour<cy>(j, wrap_y), neighbour<cz>(k, wrap_z));
    });
    row.solid = solid == nullptr ? nullptr : solid + offset(0, j, k);
    row.wrap = wrap_x;
    return row;
  }

 private:
  BELLWETHER_HOST_DEVICE Index offset(int i, int j, int k) const {
    return origin + static_cast<Index>(i) + static_cast<Index>(j) * row_pitch +
           static_cast<Index>(k) * plane_pitch;
  }
  /// The cell `step` further. Where nothing wraps, `wrap` 0, both are right too.
  template <int step>
  BELLWETHER_HOST_DEVICE static int neighbour(int cell, int wrap) {
    if constexpr (step == 0) return cell;
    if constexpr (step > 0) return cell + 1 == wrap ? 0 : cell + 1;
    return (cell == 0 ? wrap : cell) - 1;
  }
};

/// Whether a slot's offsets fit 32 bits: always, but in some 300 GB of memory.
constexpr bool fits_32_bits(const LbmLayout& layout) {
  return layout.field().elements() <= 0xffffffffu;
}

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
template <class Index = std::ptrdiff_t, class T>
LbmPlaces<T, Index> lbm_places(const LbmGrid& grid, T* f, int parity) {
  const GridLayout& field = grid.layout.field();
  const auto slot_pitch = static_cast<std::ptrdiff_t>(grid.layout.slot_pitch());
  const auto wrap = [&grid](int direction) {
    return grid.wraps[direction] ? grid.layout.cells()[direction] : 0;
  };
  LbmPlaces<T, Index> places{};
  places.rest = f;
  for (int pair = 0; pair < d3q19::pairs; ++pair) {
    places.own[pair] = f + own_slot(pair, parity) * slot_pitch;
    places.other[pair] = f + other_slot(pair, parity) * slot_pitch;
  }
  places.solid = grid.solid;
  places.origin = static_cast<Index>(field.origin());
  places.row_pitch = static_cast<Index>(field.row_pitch());
  places.plane_pitch = static_cast<Index>(field.plane_pitch());
  places.wrap_x = wrap(0);
  places.wrap_y = wrap(1);
  places.wrap_z = wrap(2);
  return places;
}

}  // namespace bellwether
