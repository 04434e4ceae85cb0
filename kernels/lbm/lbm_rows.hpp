// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernels/launch/lanes.hpp"
#include "kernels/launch/store_row.hpp"
#include "kernels/lbm/lbm_update.hpp"

namespace bellwether {

/// Neighbouring cells of a row, as many as a register has lanes, of which all are meant and none is
/// an end that wraps.
template <class T>
struct WholeLanes {
  using Lanes = launch::Lanes<T>;
  std::ptrdiff_t at;  ///< the first cell

  [[nodiscard]] Lanes load(const T* row) const { return launch::load_lanes<T>(row + at); }
  void store(T* row, const Lanes& lanes) const { launch::store_lanes<T>(row + at, lanes); }
  [[nodiscard]] Lanes load_east(const T* row) const { return load(row); }
  void store_east(T* row, const Lanes& lanes) const { store(row, lanes); }
};

/// The lanes [begin, end) of them, at a row's or a box's ends; the others touch nothing. Where the
/// last is the end that wraps, its neighbour in x stands before cell 0's, at row[-1].
template <class T>
struct SomeLanes {
  using Lanes = launch::Lanes<T>;
  std::ptrdiff_t at;
  int begin, end;
  bool wraps;

  [[nodiscard]] Lanes load(const T* row) const {
    return launch::load_lanes<T>(row + at, begin, end);
  }
  void store(T* row, const Lanes& lanes) const {
    launch::store_lanes<T>(row + at, lanes, begin, end);
  }
  [[nodiscard]] Lanes load_east(const T* row) const {
    if (!wraps) return load(row);
    Lanes lanes = launch::load_lanes<T>(row + at, begin, end - 1);
    lanes[end - 1] = row[-1];
    return lanes;
  }
  void store_east(T* row, const Lanes& lanes) const {
    if (!wraps) return store(row, lanes);
    launch::store_lanes<T>(row + at, lanes, begin, end - 1);
    row[-1] = lanes[end - 1];
  }
};

/// A row of LbmUpdate on a CPU: a register of cells at a time, all with the same arithmetic.
template <bool with_force, bool with_eddies, class T>
class LbmRowUpdate {
 public:
  LbmRowUpdate(const LbmRow<T>& row, const LbmCoefficients<T>& coefficients)
      : row_(row), c_(coefficients) {}

  /// The cells [begin, end) of the row.
  void operator()(std::ptrdiff_t begin, std::ptrdiff_t end) const {
    constexpr std::ptrdiff_t size = launch::lane_count<T>;
    const std::ptrdiff_t inner_end = row_.wrap != 0 ? row_.wrap - 1 : end;
    for (std::ptrdiff_t at = begin / size * size; at < end; at += size) {
      prefetch(at);
      if (begin <= at && at + size <= std::min(end, inner_end)) {
        step(WholeLanes<T>{at});
      } else {
        const auto first = static_cast<int>(std::max(begin - at, std::ptrdiff_t{0}));
        const auto last = static_cast<int>(std::min(end - at, size));
        step(SomeLanes<T>{at, first, last, row_.wrap != 0 && at + last == row_.wrap});
      }
    }
  }

 private:
  using Cell = LbmCell<launch::Lanes<T>>;

  /// Each array is read and written in the order of its memory, but there are 19 of them, more than
  /// hardware prefetchers follow.
  void prefetch(std::ptrdiff_t at) const {
    constexpr std::ptrdiff_t line = cache_line_bytes / sizeof(T);
    constexpr std::ptrdiff_t ahead = launch::prefetch_bytes / sizeof(T);
    if (launch::lane_count<T> < line && at % line != 0) return;
    __builtin_prefetch(row_.rest + at + ahead, 1, 2);
    each_pair([&](auto p) {
      __builtin_prefetch(row_.own[decltype(p)::value] + at + ahead, 1, 2);
      __builtin_prefetch(row_.other[decltype(p)::value] + at + ahead, 1, 2);
    });
  }

  template <class Place>
  void step(const Place& place) const {
    const bool all_fluid = row_.solid == nullptr || !any_solid(row_.solid + place.at);
    const Cell in = load(place);
    const Cell out = collide<with_force, with_eddies>(in, c_);
    if (all_fluid)
      store(place, out);
    else
      store(place, kept_where_solid(in, out, row_.solid + place.at));
  }
  static bool any_solid(const unsigned char* mask) {
    constexpr unsigned char none[launch::lane_count<T>] = {};
    return std::memcmp(mask, none, sizeof none) != 0;
  }
  /// `in`, turned round so that storing leaves it where it stood, for solid cells.
  static Cell kept_where_solid(const Cell& in, const Cell& out, const unsigned char* mask) {
    const launch::LaneMask<T> solid = launch::lanes_where<T>(mask);
    Cell kept;
    kept.rest = solid ? in.rest : out.rest;
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      kept.pair[pair].plus = solid ? in.pair[pair].minus : out.pair[pair].plus;
      kept.pair[pair].minus = solid ? in.pair[pair].plus : out.pair[pair].minus;
    });
    return kept;
  }

  template <class Place>
  [[nodiscard]] Cell load(const Place& place) const {
    Cell cell;
    cell.rest = place.load(row_.rest);
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      cell.pair[pair].plus = place.load(row_.own[pair]);
      if constexpr (d3q19::velocity[pair][0] != 0)
        cell.pair[pair].minus = place.load_east(row_.other[pair]);
      else
        cell.pair[pair].minus = place.load(row_.other[pair]);
    });
    return cell;
  }
  template <class Place>
  void store(const Place& place, const Cell& cell) const {
    place.store(row_.rest, cell.rest);
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      place.store(row_.own[pair], cell.pair[pair].minus);
      if constexpr (d3q19::velocity[pair][0] != 0)
        place.store_east(row_.other[pair], cell.pair[pair].plus);
      else
        place.store(row_.other[pair], cell.pair[pair].plus);
    });
  }

  LbmRow<T> row_;
  LbmCoefficients<T> c_;
};

}  // namespace bellwether
