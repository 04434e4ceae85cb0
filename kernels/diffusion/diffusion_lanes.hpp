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
/// (launch::store_row). A row's own cells are loaded once and multiplied by c.x once; their west
/// and east neighbours are lanes of two such registers, and each of two planes is what the other
/// reads below or above. So a register of both takes 8 loads, none across a cache line, for 14.
template <class T, SweepOrder order, int count>
class DiffusionLanes {
 public:
  using value_type = T;
  static constexpr int planes = count;
  static constexpr bool has_more_rows = true;

  DiffusionLanes(const DiffusionBody<T, order>& body, int j, int k)
      : row_(body.row(j, k)),
        above_(body.row(j, k + count - 1).above),
        plane_pitch_(body.plane_pitch) {}

  [[gnu::always_inline]] void start(std::ptrdiff_t at) {
    launch::for_each_index<count>([ this, at ](auto p) __attribute__((always_inline)) {
      const T* const centre = row_.centre + p * plane_pitch_;
      west_[p] =
          row_.c.x * (at == 0 && row_.wrap != 0 ? launch::Lanes<T>{} + centre[row_.wrap - 1]
                                                : launch::load_all_lanes(centre + at - size));
      centre_[p] = launch::load_all_lanes(centre + at);
      x_[p] = row_.c.x * centre_[p];
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
      const launch::Lanes<T> next_x = row_.c.x * next.of[p];
      launch::Lanes<T> east_x = x_[p], east_next_x = next_x;
      if (const std::ptrdiff_t seam = row_.wrap - at; at_end && row_.wrap != 0) {
        // Behind the last cell comes the first.
        const T* const first = row_.centre + plane;
        if (seam < size)
          east_x = row_.c.x * launch::load_lanes_into(centre_[p], first - seam, 1u << seam);
        else if (seam == size)
          east_next_x = row_.c.x * launch::load_lanes_into(next.of[p], first, 1u);
      }
      launch::Lanes<T> below, above;
      if constexpr (p > 0)
        below = centre_[p - 1];
      else
        below = load(row_.below);
      if constexpr (p < count - 1)
        above = centre_[p + 1];
      else
        above = load(above_);
      result.of[p] =
          row_.c.centre * centre_[p] + launch::shuffles::later<size - 1, T>(west_[p], x_[p]) +
          launch::shuffles::later<1, T>(east_x, east_next_x) + row_.c.y * load(row_.south + plane) +
          row_.c.y * load(row_.north + plane) + row_.c.z * below + row_.c.z * above;
      west_[p] = x_[p];
      x_[p] = next_x;
    });
    launch::for_each_index<count>([&](auto p)
                                      __attribute__((always_inline)) { centre_[p] = next.of[p]; });
    return result;
  }
  template <class Visit>
  [[gnu::always_inline]] void first_touched(Visit&& visit) const {
    static_assert(count <= 2);  // one of two planes is read as the centre of the other first
    visit(order == SweepOrder::rising ? above_ : row_.below);
    if constexpr (count > 1) visit(row_.centre + (order == SweepOrder::rising ? plane_pitch_ : 0));
  }

 private:
  static constexpr int size = launch::lane_count<T>;

  DiffusionRow<T> row_;
  const T* above_;
  std::ptrdiff_t plane_pitch_;
  launch::Lanes<T> west_[count], x_[count];  ///< the cells before, and these, times c.x
  launch::Lanes<T> centre_[count];
};

template <int count, class T, SweepOrder order>
[[gnu::always_inline]] inline DiffusionLanes<T, order, count> lanes_of_planes(
    const DiffusionBody<T, order>& body, int j, int k) {
  return {body, j, k};
}

}  // namespace bellwether
