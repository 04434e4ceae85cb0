// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "kernels/launch/grid.hpp"
#include "kernels/launch/host_device.hpp"
#include "kernels/stream/stream.hpp"

namespace bellwether {

/// One element of a STREAM kernel; the kernel is a template argument, so that no branch is left.
template <StreamKernel kernel, class T>
struct StreamRow {
  const T* a;
  const T* b;
  T scalar;

  BELLWETHER_HOST_DEVICE T operator()(std::ptrdiff_t i) const {
    if constexpr (kernel == StreamKernel::copy) return a[i];
    if constexpr (kernel == StreamKernel::scale) return scalar * a[i];
    if constexpr (kernel == StreamKernel::add) return a[i] + b[i];
    if constexpr (kernel == StreamKernel::triad) return a[i] + scalar * b[i];
  }
};

/// The length of `arrays` stretches of n values, whole lines: as long as fits and, from 67 lines
/// on, 3 lines more than whole pages, so that lines of the stretches that are updated together
/// share no cache set. What is left over stands at the end.
template <class T>
std::size_t stretch_length(std::size_t n, int arrays) {
  constexpr std::size_t line = cache_line_bytes / sizeof(T), lines_of_page = 64, apart = 3;
  const std::size_t lines = n / static_cast<std::size_t>(arrays) / line;
  const std::size_t fitting = lines < lines_of_page + apart
                                  ? lines
                                  : (lines - apart) / lines_of_page * lines_of_page + apart;
  return fitting * line;
}

/// The mean of a cell and its first `rereads` neighbours south, north, below and above.
template <int rereads, class T>
struct NeighbourRow {
  const T* rows[5];
  T weight;  ///< 1 / (rereads + 1)

  BELLWETHER_HOST_DEVICE T operator()(std::ptrdiff_t i) const {
    T sum = rows[0][i];
    if constexpr (rereads > 0) sum += rows[1][i];
    if constexpr (rereads > 1) sum += rows[2][i];
    if constexpr (rereads > 2) sum += rows[3][i];
    if constexpr (rereads > 3) sum += rows[4][i];
    if constexpr (rereads > 0) return sum * weight;
    return sum;
  }
  BELLWETHER_HOST_DEVICE T inner(std::ptrdiff_t i) const { return (*this)(i); }
};

template <int rereads, class T>
struct NeighbourBody {
  using value_type = T;
  const T* field;  ///< cell (0, 0, 0)
  std::ptrdiff_t row_pitch, plane_pitch;
  T weight;  ///< 1 / (rereads + 1)

  BELLWETHER_HOST_DEVICE NeighbourRow<rereads, T> row(int j, int k) const {
    const T* at = field + j * row_pitch + k * plane_pitch;
    return {{at, at - row_pitch, at + row_pitch, at - plane_pitch, at + plane_pitch}, weight};
  }
};

/// Calls visit(row) with the kernel's StreamRow.
template <class T, class Visit>
void with_stream_row(StreamKernel kernel, const T* a, const T* b, T scalar, const Visit& visit) {
  switch (kernel) {
    case StreamKernel::copy:
      return visit(StreamRow<StreamKernel::copy, T>{a, b, scalar});
    case StreamKernel::scale:
      return visit(StreamRow<StreamKernel::scale, T>{a, b, scalar});
    case StreamKernel::add:
      return visit(StreamRow<StreamKernel::add, T>{a, b, scalar});
    case StreamKernel::triad:
      return visit(StreamRow<StreamKernel::triad, T>{a, b, scalar});
  }
}

/// Calls visit(body) with the NeighbourBody of so many rereads of a field, given by the start of
/// its storage.
template <class T, class Visit>
void with_neighbours(int rereads, const T* storage, const GridLayout& layout, const Visit& visit) {
  const T* const field = storage + layout.origin();
  const std::ptrdiff_t row = layout.row_pitch(), plane = layout.plane_pitch();
  switch (rereads) {
    case 0:
      return visit(NeighbourBody<0, T>{field, row, plane, T(1)});
    case 1:
      return visit(NeighbourBody<1, T>{field, row, plane, T(1) / T(2)});
    case 2:
      return visit(NeighbourBody<2, T>{field, row, plane, T(1) / T(3)});
    case 3:
      return visit(NeighbourBody<3, T>{field, row, plane, T(1) / T(4)});
    case 4:
      return visit(NeighbourBody<4, T>{field, row, plane, T(1) / T(5)});
    default:
      throw std::invalid_argument("neighbours: 0 to 4 rereads");
  }
}

/// A value in [1, 2) from the index and the seed: neither zeros nor constants, which change clock
/// speeds and hide errors.
template <class T>
BELLWETHER_HOST_DEVICE T scattered_value(std::uint64_t index, unsigned seed) {
  const std::uint64_t bits = mixed_bits(index ^ (static_cast<std::uint64_t>(seed) << 40));
  return static_cast<T>(1) + static_cast<T>(bits >> 44) / static_cast<T>(1u << 20);
}

}  // namespace bellwether
