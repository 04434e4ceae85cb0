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
/// and east neighbours are lanes of two such registers. So an update of two planes takes 8 loads
/// for 14, none of which crosses a cache line. That of neighbouring planes is what the other loads.
template <class T, SweepOrder order, int count>
class DiffusionLanes {
 public:
  using value_type = T;
  static constexpr int planes = count;

  DiffusionLanes(const DiffusionBody<T, order>& body, int j, int k)
      : row_(body.row(j, k)),
        above_(body.row(j, k + count - 1).above),
        plane_pitch_(body.plane_pitch) {}

  [[gnu::always_inline]] void start(std::ptrdiff_t at) {
    for (int p = 0; p < count; ++p) {
      const T* const centre = row_.centre + p * plane_pitch_;
      west_[p] = at == 0 && row_.wrap != 0 ? launch::Lanes<T>{} + centre[row_.wrap - 1]
                                           : launch::load_all_lanes(centre + at - size);
      west_[p] *= row_.c.x;
      centre_[p] = launch::load_all_lanes(centre + at);
      x_[p] = centre_[p] * row_.c.x;
    }
  }
  [[nodiscard]] std::ptrdiff_t inner_end(std::ptrdiff_t end) const {
    return row_.wrap != 0 ? std::min<std::ptrdiff_t>(end, row_.wrap - 1) : end;
  }
  template <bool at_end>
  [[gnu::always_inline]] launch::LanesOfRows<T, count> lanes(std::ptrdiff_t at,
                                                             launch::LaneBits /*bits*/) {
    launch::LanesOfRows<T, count> result;
    launch::Lanes<T> next[count];
    for (int p = 0; p < count; ++p)
      next[p] = launch::load_all_lanes(row_.centre + p * plane_pitch_ + at + size);
    for (int p = 0; p < count; ++p) {
      const auto load =
          [ p, at, pitch = plane_pitch_ ](const T* row) __attribute__((always_inline)) {
        return launch::load_all_lanes(row + p * pitch + at);
      };
      const launch::Lanes<T> next_x = next[p] * row_.c.x;
      launch::Lanes<T> east_x = x_[p], east_next_x = next_x;
      if (const std::ptrdiff_t seam = row_.wrap - at; at_end && row_.wrap != 0) {
        // Behind the last cell comes the first.
        const T* const first = row_.centre + p * plane_pitch_;
        if (seam < size)
          east_x = launch::load_lanes_into(centre_[p], first - seam, 1u << seam) * row_.c.x;
        else if (seam == size)
          east_next_x = launch::load_lanes_into(next[p], first, 1u) * row_.c.x;
      }
      const launch::Lanes<T> below = p == 0 ? load(row_.below) : centre_[p - 1];
      const launch::Lanes<T> above =
          p == count - 1 ? launch::load_all_lanes(above_ + at) : centre_[p + 1];
      result.of[p] =
          row_.c.centre * centre_[p] + launch::shuffles::later<size - 1, T>(west_[p], x_[p]) +
          launch::shuffles::later<1, T>(east_x, east_next_x) + row_.c.y * load(row_.south) +
          row_.c.y * load(row_.north) + row_.c.z * below + row_.c.z * above;
      west_[p] = x_[p];
      x_[p] = next_x;
    }
    for (int p = 0; p < count; ++p) centre_[p] = next[p];
    return result;
  }
  template <class Visit>
  [[gnu::always_inline]] void first_touched(Visit&& visit) const {
    // Of several planes all but one are centres of others.
    visit(order == SweepOrder::rising ? above_ : row_.below);
    for (int p = 1; p < count; ++p)
      visit(row_.centre + (order == SweepOrder::rising ? p : p - 1) * plane_pitch_);
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
