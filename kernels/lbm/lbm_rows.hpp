// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/launch/cpu/lanes.hpp"
#include "kernels/launch/cpu/store_row.hpp"
#include "kernels/lbm/lbm_update.hpp"

namespace bellwether {

/// Neighbouring cells, as many as a register has lanes: all are updated, and none is an end that
/// wraps.
template <class T>
struct WholeLanes {
  std::ptrdiff_t at;  ///< the first cell

  [[nodiscard]] launch::Lanes<T> load(const T* cells) const {
    return launch::load_all_lanes<T>(cells + at);
  }
  [[nodiscard]] launch::Lanes<T> load_east(const T* cells) const { return load(cells); }
  void store(T* cells, const launch::Lanes<T>& lanes) const {
    launch::store_all_lanes<T>(cells + at, lanes);
  }
  void store_east(T* cells, const launch::Lanes<T>& lanes) const { store(cells, lanes); }
};

/// The same, but one of them is the last cell of a row that wraps: its place in the neighbour to
/// the east is `back` cells before the one that follows.
template <class T>
struct LanesAcrossEnd {
  std::ptrdiff_t at;
  launch::LaneBits end;  ///< that lane's bit
  std::ptrdiff_t back;

  [[nodiscard]] launch::Lanes<T> load(const T* cells) const {
    return launch::load_all_lanes<T>(cells + at);
  }
  [[nodiscard]] launch::Lanes<T> load_east(const T* cells) const {
    return launch::load_lanes_into(launch::load_lanes(cells + at, launch::all_lanes<T> & ~end),
                                   cells + at - back, end);
  }
  void store(T* cells, const launch::Lanes<T>& lanes) const {
    launch::store_all_lanes<T>(cells + at, lanes);
  }
  void store_east(T* cells, const launch::Lanes<T>& lanes) const {
    launch::store_lanes(cells + at, lanes, launch::all_lanes<T> & ~end);
    launch::store_lanes(cells + at - back, lanes, end);
  }
};

/// All of them are within a box, none ends a row that wraps, and some are solid, which keep what
/// they have: their places are no other cell's, so that they may be read and written with the rest.
template <class T>
struct LanesBesideSolid {
  std::ptrdiff_t at;
  launch::LaneMask<T> fluid;

  [[nodiscard]] launch::Lanes<T> load(const T* cells) const {
    return launch::load_all_lanes<T>(cells + at);
  }
  [[nodiscard]] launch::Lanes<T> load_east(const T* cells) const { return load(cells); }
  void store(T* cells, const launch::Lanes<T>& lanes) const {
    launch::store_all_lanes<T>(cells + at, fluid ? lanes : load(cells));
  }
  void store_east(T* cells, const launch::Lanes<T>& lanes) const { store(cells, lanes); }
};

/// Some of them: at the ends of rows or a box. The others touch nothing.
template <class T>
struct SomeLanes {
  std::ptrdiff_t at;
  launch::LaneBits lanes;
  launch::LaneBits end;  ///< that of a row's last cell where x wraps, if it is among them; else 0
  std::ptrdiff_t back;

  [[nodiscard]] launch::Lanes<T> load(const T* cells) const {
    return launch::load_lanes(cells + at, lanes);
  }
  [[nodiscard]] launch::Lanes<T> load_east(const T* cells) const {
    return launch::load_lanes_into(launch::load_lanes(cells + at, lanes & ~end), cells + at - back,
                                   end);
  }
  void store(T* cells, const launch::Lanes<T>& values) const {
    launch::store_lanes(cells + at, values, lanes);
  }
  void store_east(T* cells, const launch::Lanes<T>& values) const {
    launch::store_lanes(cells + at, values, lanes & ~end);
    launch::store_lanes(cells + at - back, values, end);
  }
};

/// LbmUpdate for cells that follow one another in memory on a CPU: a register of them at a time,
/// all with the same arithmetic. They are a row, or several whole rows that wrap and are dense,
/// among which none wraps in y: the places of all are then as far from one another as the cells.
template <bool with_force, bool with_eddies, class T>
class LbmRowUpdate {
 public:
  LbmRowUpdate(const LbmRow<T>& row, const LbmCoefficients<T>& coefficients, Prefetch prefetch)
      : row_(row),
        c_(coefficients),
        ahead_(launch::prefetch_bytes_of_many(prefetch) / static_cast<std::ptrdiff_t>(sizeof(T))) {}

  /// The cells [begin, end), counted from the row's cell 0. Flattened: a call in between would take
  /// 19 registers through memory.
  [[gnu::flatten]] void operator()(std::ptrdiff_t begin, std::ptrdiff_t end) const {
    // Registers begin at multiples of their size in memory, where rows need not begin.
    const std::ptrdiff_t before = launch::lanes_before<T>(row_.rest + begin);
    std::ptrdiff_t row_end = row_.wrap;  // the first one after `at`
    for (std::ptrdiff_t at = begin - before; at < end; at += size) {
      if (ahead_ != 0) ask_ahead(at);
      const launch::LaneBits inside = lanes_inside(at, begin, end);
      const launch::LaneBits lanes = inside & ~solid_lanes(at);
      launch::LaneBits last = 0;
      const bool has_end = row_.wrap != 0 && row_end <= at + size;
      if (has_end) {
        last = lanes & (launch::LaneBits{1} << (row_end - 1 - at));
        row_end += row_.wrap;
      }
      if (lanes == launch::all_lanes<T> && last == 0)
        step(WholeLanes<T>{at});
      else if (lanes == launch::all_lanes<T>)
        step(LanesAcrossEnd<T>{at, last, row_.wrap});
      else if (lanes != 0 && inside == launch::all_lanes<T> && !has_end)
        step(LanesBesideSolid<T>{at, launch::mask_of_zeros<T>(row_.solid + at)});
      else if (lanes != 0)
        step(SomeLanes<T>{at, lanes, last, row_.wrap});
    }
  }

 private:
  static constexpr std::ptrdiff_t size = launch::lane_count<T>;

  /// The lanes of the cells from `at` that are within [begin, end).
  static launch::LaneBits lanes_inside(std::ptrdiff_t at, std::ptrdiff_t begin,
                                       std::ptrdiff_t end) {
    launch::LaneBits lanes = launch::all_lanes<T>;
    if (begin > at) lanes &= ~0u << (begin - at);
    if (end < at + size) lanes &= ~(~0u << (end - at));
    return lanes;
  }
  [[nodiscard]] launch::LaneBits solid_lanes(std::ptrdiff_t at) const {
    constexpr unsigned char none[size] = {};
    if (row_.solid == nullptr || std::memcmp(row_.solid + at, none, sizeof none) == 0) return 0;
    launch::LaneBits lanes = 0;
    for (int l = 0; l < size; ++l) lanes |= (row_.solid[at + l] != 0 ? 1u : 0u) << l;
    return lanes;
  }

  /// Each of the 19 arrays is read and written in the order of its memory, but a core's own
  /// prefetchers follow some 16 at once. All arrays but one are asked for here; within the caches
  /// that costs more than it gains.
  void ask_ahead(std::ptrdiff_t at) const {
    constexpr std::ptrdiff_t line = cache_line_bytes / sizeof(T);
    if (size < line && reinterpret_cast<std::uintptr_t>(row_.rest + at) % cache_line_bytes != 0)
      return;
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      launch::fetch_line(row_.own[pair] + at + ahead_);
      launch::fetch_line(row_.other[pair] + at + ahead_);
    });
  }

  template <class Place>
  void step(const Place& place) const {
    LbmCell<launch::Lanes<T>> in;
    in.rest = place.load(row_.rest);
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      in.pair[pair].plus = place.load(row_.own[pair]);
      in.pair[pair].minus =
          is_east<pair> ? place.load_east(row_.other[pair]) : place.load(row_.other[pair]);
    });
    const auto out = collide<with_force, with_eddies>(in, c_);
    place.store(row_.rest, out.rest);
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      place.store(row_.own[pair], out.pair[pair].minus);
      if constexpr (is_east<pair>)
        place.store_east(row_.other[pair], out.pair[pair].plus);
      else
        place.store(row_.other[pair], out.pair[pair].plus);
    });
  }
  template <int pair>
  static constexpr bool is_east = d3q19::velocity[pair][0] != 0;

  LbmRow<T> row_;
  LbmCoefficients<T> c_;
  std::ptrdiff_t ahead_;  ///< values; 0: asks for nothing
};

/// Updates the rows [first, last) of plane k that are in the box: as many at once as LbmRowUpdate
/// takes.
template <bool with_force, bool with_eddies, class T>
void update_rows(const LbmUpdate<with_force, with_eddies, T, std::ptrdiff_t>& update,
                 const Box& box, int first, int last, int k, Prefetch prefetch) {
  const LbmPlaces<T>& places = update.places;
  const auto run = [&](int from, int to) {
    const LbmRowUpdate<with_force, with_eddies, T> cells(places.row(from, k), update.coefficients,
                                                         prefetch);
    cells(box.low[0], box.high[0] + (to - from - 1) * places.row_pitch);
  };
  const bool dense = places.wrap_x == places.row_pitch && places.wrap_x >= launch::lane_count<T> &&
                     box.extent(0) == places.wrap_x;
  for (int from = first; from < last;) {
    const bool wraps = places.wrap_y != 0 && (from == 0 || from == places.wrap_y - 1);
    const int to =
        !dense || wraps ? from + 1 : std::min(last, places.wrap_y == 0 ? last : places.wrap_y - 1);
    run(from, to);
    from = to;
  }
}

}  // namespace bellwether
