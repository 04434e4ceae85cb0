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

  explicit StreamLanes(const StreamRow<kernel, T>& row) : row_(row) {}

  void start(std::ptrdiff_t /*at*/) {}
  [[nodiscard]] std::ptrdiff_t inner_end(std::ptrdiff_t end) const { return end; }
  template <bool at_end>
  [[gnu::always_inline]] launch::LanesOfRows<T, 1> lanes(std::ptrdiff_t at,
                                                         launch::LaneBits bits) const {
    // Behind an array's last element nothing need be.
    const auto load = [ at, bits ](const T* from) __attribute__((always_inline)) {
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
template <int rereads, class T, SweepOrder order, int count>
class NeighbourLanes {
 public:
  using value_type = T;
  static constexpr int planes = count;

  NeighbourLanes(const NeighbourBody<rereads, T, order>& body, int j, int k)
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
    launch::LanesOfRows<T, count> result;
    launch::Lanes<T> centre[count];
    for (int p = 0; p < count; ++p) centre[p] = load(0, p);
    for (int p = 0; p < count; ++p) {
      launch::Lanes<T> sum = centre[p];
      if constexpr (rereads > 0) sum += load(-1, p);
      if constexpr (rereads > 1) sum += load(1, p);
      if constexpr (rereads > 2) sum += p > 0 ? centre[p - 1] : load(0, -1);
      if constexpr (rereads > 3) sum += p < count - 1 ? centre[p + 1] : load(0, count);
      if constexpr (rereads > 0) sum *= weight_;
      result.of[p] = sum;
    }
    return result;
  }
  template <class Visit>
  [[gnu::always_inline]] void first_touched(Visit&& visit) const {
    const int first = rereads < 4 ? 0 : order == SweepOrder::rising ? 1 : -1;
    for (int p = first; p < first + count; ++p) visit(centre_ + p * plane_pitch_);
  }

 private:
  const T* centre_;
  std::ptrdiff_t row_pitch_, plane_pitch_;
  T weight_;
};

template <int count, int rereads, class T, SweepOrder order>
[[gnu::always_inline]] inline NeighbourLanes<rereads, T, order, count> lanes_of_planes(
    const NeighbourBody<rereads, T, order>& body, int j, int k) {
  return {body, j, k};
}

}  // namespace bellwether
