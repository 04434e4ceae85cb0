// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernels/launch/lanes.hpp"
#include "kernels/lbm/lbm_update.hpp"

namespace bellwether {

/// Neighbouring cells of a row, as many as a register has lanes: all are updated, and none is an
/// end that wraps.
template <class T>
struct WholeLanes {
  std::ptrdiff_t at;  ///< the first cell

  [[nodiscard]] launch::Lanes<T> load(const T* row) const {
    return launch::load_all_lanes<T>(row + at);
  }
  [[nodiscard]] launch::Lanes<T> load_east(const T* row) const { return load(row); }
  void store(T* row, const launch::Lanes<T>& lanes) const {
    launch::store_all_lanes<T>(row + at, lanes);
  }
  void store_east(T* row, const launch::Lanes<T>& lanes) const { store(row, lanes); }
};

/// Some of them: at the ends of a row or a box, and beside solid cells. The others touch nothing.
template <class T>
struct SomeLanes {
  std::ptrdiff_t at;
  launch::LaneBits lanes;
  int end;  ///< the lane of the row's last cell where x wraps, if it is among them; else -1

  /// Without that lane, whose place in the neighbour is before cell 0's.
  [[nodiscard]] launch::LaneBits east() const { return end < 0 ? lanes : lanes & ~(1u << end); }

  [[nodiscard]] launch::Lanes<T> load(const T* row) const {
    return launch::load_lanes(row + at, lanes);
  }
  [[nodiscard]] launch::Lanes<T> load_east(const T* row) const {
    launch::Lanes<T> values = launch::load_lanes(row + at, east());
    if (end >= 0) values[end] = row[-1];
    return values;
  }
  void store(T* row, const launch::Lanes<T>& values) const {
    launch::store_lanes(row + at, values, lanes);
  }
  void store_east(T* row, const launch::Lanes<T>& values) const {
    launch::store_lanes(row + at, values, east());
    if (end >= 0) row[-1] = values[end];
  }
};

/// LbmUpdate for a row on a CPU: a register of cells at a time, all with the same arithmetic.
template <bool with_force, bool with_eddies, class T>
class LbmRowUpdate {
 public:
  LbmRowUpdate(const LbmRow<T>& row, const LbmCoefficients<T>& coefficients)
      : row_(row), c_(coefficients) {}

  /// The cells [begin, end) of the row. Flattened: a call in between would take 19 registers
  /// through memory.
  [[gnu::flatten]] void operator()(std::ptrdiff_t begin, std::ptrdiff_t end) const {
    for (std::ptrdiff_t at = begin / size * size; at < end; at += size) {
      prefetch(at);
      const int wrapped = row_.wrap > at && row_.wrap <= at + size && row_.wrap <= end
                              ? static_cast<int>(row_.wrap - 1 - at)
                              : -1;
      const launch::LaneBits lanes = fluid_lanes(at, begin, end);
      if (lanes == launch::all_lanes<T> && wrapped < 0)
        step(WholeLanes<T>{at});
      else if (lanes != 0)
        step(SomeLanes<T>{at, lanes, wrapped >= 0 && (lanes >> wrapped & 1) != 0 ? wrapped : -1});
    }
  }

 private:
  static constexpr std::ptrdiff_t size = launch::lane_count<T>;

  /// The lanes of the cells from `at` that are within [begin, end) and not solid.
  [[nodiscard]] launch::LaneBits fluid_lanes(std::ptrdiff_t at, std::ptrdiff_t begin,
                                             std::ptrdiff_t end) const {
    launch::LaneBits lanes = launch::all_lanes<T>;
    if (begin > at) lanes &= ~0u << (begin - at);
    if (end < at + size) lanes &= ~(~0u << (end - at));
    constexpr unsigned char none[size] = {};
    if (row_.solid == nullptr || std::memcmp(row_.solid + at, none, sizeof none) == 0) return lanes;
    for (int l = 0; l < size; ++l)
      if (row_.solid[at + l] != 0) lanes &= ~(1u << l);
    return lanes;
  }

  /// Each of the 19 arrays is read and written in the order of its memory, but a core's own
  /// prefetchers follow some 16 at once. Left to them an update ran at 0.75 to 0.82 of the best
  /// update in place; with all arrays but one asked for here, 10 lines ahead, at 0.88 to 0.90. 20
  /// lines ahead it is 0.82 to 0.90, and better without two more of them (2 cores of an EPYC 9005).
  void prefetch(std::ptrdiff_t at) const {
    constexpr std::ptrdiff_t line = cache_line_bytes / sizeof(T);
    constexpr std::ptrdiff_t ahead = 10 * line;
    if (size < line && at % line != 0) return;
    each_pair([&](auto p) {
      constexpr int pair = decltype(p)::value;
      launch::fetch_line(row_.own[pair] + at + ahead);
      launch::fetch_line(row_.other[pair] + at + ahead);
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
};

}  // namespace bellwether
