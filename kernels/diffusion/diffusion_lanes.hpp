// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/diffusion/diffusion_body.hpp"
#include "kernels/launch/cpu/lane_shuffles.hpp"
#include "kernels/launch/cpu/lanes.hpp"
#include "kernels/launch/cpu/store_row.hpp"

namespace bellwether {

/// Rows j of the planes [k, k + count) on a CPU, each value rounded as DiffusionRow's
/// (launch::store_row). Each of two planes is what the other reads below or above, and the cells to
/// the west are lanes of the registers before and now. Those to the east are lanes of two registers
/// as well where a register is a cache line, so that no load crosses one; of shorter registers they
/// are loaded: shuffles and arithmetic would share too few units.
template <class T, int count>
class DiffusionLanes {
 public:
  using value_type = T;
  static constexpr int planes = count;
  static constexpr bool has_more_rows = true;

  DiffusionLanes(const DiffusionBody<T>& body, int j, int k)
      : row_(body.row(j, k)),
        above_(body.row(j, k + count - 1).above),
        plane_pitch_(body.plane_pitch) {}

  [[gnu::always_inline]] void start(std::ptrdiff_t at) {
    launch::for_each_index<count>([ this, at ](auto p) __attribute__((always_inline)) {
      const T* const centre = row_.centre + p * plane_pitch_;
      west_[p] = at == 0 && row_.wrap != 0 ? launch::Lanes<T>{} + centre[row_.wrap - 1]
                                           : launch::load_all_lanes(centre + at - size);
      centre_[p] = launch::load_all_lanes(centre + at);
    });
  }
  [[nodiscard]] std::ptrdiff_t inner_end(std::ptrdiff_t end) const {
    return row_.wrap != 0 ? std::min<std::ptrdiff_t>(end, row_.wrap - 1) : end;
  }
  template <bool at_end>
  [[gnu::always_inline]] launch::LanesOfRows<T, count> lanes(std::ptrdiff_t at,
                                                             launch::LaneBits /*bits*/) {
    launch::LanesOfRows<T, count> result, next;
    launch::for_each_index<count>([&](auto p) __attribute__((always_inline)) {
      next.of[p] = launch::load_all_lanes(row_.centre + p * plane_pitch_ + at + size);
    });
    launch::for_each_index<count>([&](auto p) __attribute__((always_inline)) {
      const auto load = [&](const T* row) __attribute__((always_inline)) {
        return launch::load_all_lanes(row + at);
      };
      const std::ptrdiff_t plane = p * plane_pitch_;
      const launch::Lanes<T> west = launch::shuffles::later<size - 1, T>(west_[p], centre_[p]);
      launch::Lanes<T> east;
      if constexpr (sizeof(east) < cache_line_bytes)
        east = load(row_.centre + plane + 1);
      else
        east = launch::shuffles::later<1, T>(centre_[p], next.of[p]);
      if (const std::ptrdiff_t last = row_.wrap - 1 - at; at_end && row_.wrap != 0 && last < size)
        // Behind the last cell comes the first.
        east = launch::load_lanes_into(east, row_.centre + plane - last, 1u << last);
      launch::Lanes<T> below, above;
      if constexpr (p > 0)
        below = centre_[p - 1];
      else
        below = load(row_.below);
      if constexpr (p < count - 1)
        above = centre_[p + 1];
      else
        above = load(above_);
      result.of[p] = row_.c.centre * centre_[p] + row_.c.x * (west + east) +
                     row_.c.y * (load(row_.south + plane) + load(row_.north + plane)) +
                     row_.c.z * (below + above);
      west_[p] = centre_[p];
    });
    launch::for_each_index<count>([&](auto p)
                                      __attribute__((always_inline)) { centre_[p] = next.of[p]; });
    return result;
  }
  template <class Visit>
  [[gnu::always_inline]] void first_touched(Visit&& visit) const {
    static_assert(count <= 2);  // one of two planes is read as the centre of the other first
    visit(above_);
    if constexpr (count > 1) visit(row_.centre + plane_pitch_);
  }

 private:
  static constexpr int size = launch::lane_count<T>;

  DiffusionRow<T> row_;
  const T* above_;
  std::ptrdiff_t plane_pitch_;
  launch::Lanes<T> west_[count], centre_[count];  ///< the cells before, and these
};

template <int count, class T>
[[gnu::always_inline]] inline DiffusionLanes<T, count> lanes_of_planes(const DiffusionBody<T>& body,
                                                                       int j, int k) {
  return {body, j, k};
}

}  // namespace bellwether
