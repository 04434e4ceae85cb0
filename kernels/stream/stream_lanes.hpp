// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/launch/cpu/lanes.hpp"
#include "kernels/launch/cpu/store_row.hpp"
#include "kernels/stream/stream_body.hpp"

namespace bellwether {

/// A STREAM kernel on a CPU, a register of elements at a time (launch::store_row).
template <StreamKernel kernel, class T>
class StreamLanes {
 public:
  using value_type = T;
  static constexpr int planes = 1;
  static constexpr bool has_more_rows = false;

  explicit StreamLanes(const StreamRow<kernel, T>& row) : row_(row) {}

  void start(std::ptrdiff_t /*at*/) {}
  [[nodiscard]] std::ptrdiff_t inner_end(std::ptrdiff_t end) const { return end; }
  template <bool at_end>
  [[gnu::always_inline]] launch::LanesOfRows<T, 1> lanes(std::ptrdiff_t at,
                                                         launch::LaneBits bits) const {
    // Behind an array's last element nothing need be.
    const auto load = [&](const T* from) __attribute__((always_inline)) {
      if constexpr (at_end) return launch::load_lanes(from + at, bits);
      return launch::load_all_lanes(from + at);
    };
    if constexpr (kernel == StreamKernel::copy) return {{load(row_.a)}};
    if constexpr (kernel == StreamKernel::scale) return {{row_.scalar * load(row_.a)}};
    if constexpr (kernel == StreamKernel::add) return {{load(row_.a) + load(row_.b)}};
    if constexpr (kernel == StreamKernel::triad)
      return {{load(row_.a) + row_.scalar * load(row_.b)}};
  }
  template <class Visit>
  [[gnu::always_inline]] void first_touched(Visit&& visit) const {
    visit(row_.a);
    if constexpr (values_moved(kernel) == 3) visit(row_.b);
  }

 private:
  StreamRow<kernel, T> row_;
};

/// Rows j of the planes [k, k + count) of a NeighbourBody. What two planes read is loaded once.
template <int rereads, class T, int count>
class NeighbourLanes {
 public:
  using value_type = T;
  static constexpr int planes = count;
  static constexpr bool has_more_rows = true;

  NeighbourLanes(const NeighbourBody<rereads, T>& body, int j, int k)
      : centre_(body.field + j * body.row_pitch + k * body.plane_pitch),
        row_pitch_(body.row_pitch),
        plane_pitch_(body.plane_pitch),
        weight_(body.weight) {}

  void start(std::ptrdiff_t /*at*/) {}
  [[nodiscard]] std::ptrdiff_t inner_end(std::ptrdiff_t end) const { return end; }
  template <bool at_end>
  [[gnu::always_inline]] launch::LanesOfRows<T, count> lanes(std::ptrdiff_t at,
                                                             launch::LaneBits /*bits*/) const {
    const auto load = [ this, at ](int row, int plane) __attribute__((always_inline)) {
      return launch::load_all_lanes(centre_ + row * row_pitch_ + plane * plane_pitch_ + at);
    };
    launch::LanesOfRows<T, count> result, centre;
    launch::for_each_index<count>([&](auto p) __attribute__((always_inline)) {
      centre.of[p] = load(0, p);
    });
    launch::for_each_index<count>([&](auto p) __attribute__((always_inline)) {
      launch::Lanes<T> sum = centre.of[p];
      if constexpr (rereads > 0) sum += load(-1, p);
      if constexpr (rereads > 1) sum += load(1, p);
      if constexpr (rereads > 2 && p > 0) sum += centre.of[p - 1];
      if constexpr (rereads > 2 && p == 0) sum += load(0, -1);
      if constexpr (rereads > 3 && p < count - 1) sum += centre.of[p + 1];
      if constexpr (rereads > 3 && p == count - 1) sum += load(0, count);
      if constexpr (rereads > 0) sum *= weight_;
      result.of[p] = sum;
    });
    return result;
  }
  template <class Visit>
  [[gnu::always_inline]] void first_touched(Visit&& visit) const {
    constexpr int first = rereads < 4 ? 0 : 1;
    launch::for_each_index<count>([&](auto p) __attribute__((always_inline)) {
      visit(centre_ + (first + p) * plane_pitch_);
    });
  }

 private:
  const T* centre_;
  std::ptrdiff_t row_pitch_, plane_pitch_;
  T weight_;
};

template <int count, int rereads, class T>
[[gnu::always_inline]] inline NeighbourLanes<rereads, T, count> lanes_of_planes(
    const NeighbourBody<rereads, T>& body, int j, int k) {
  return {body, j, k};
}

}  // namespace bellwether
