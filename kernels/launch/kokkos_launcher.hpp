// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/launch/grid.hpp"
#include "kernels/launch/store_row.hpp"

namespace bellwether::launch {

using Exec = Kokkos::DefaultExecutionSpace;
/// Kernels run on the host's cores: rows are vectorized and streamed there, points elsewhere.
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, Exec::memory_space>::accessible &&
    std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>;

/// Cell `item` of a box, x fastest.
struct Cell {
  int i, j, k;
  KOKKOS_INLINE_FUNCTION Cell(std::int64_t item, const Box& box) : i(0), j(0), k(0) {
    const std::int64_t nx = box.high[0] - box.low[0];
    const std::int64_t ny = box.high[1] - box.low[1];
    i = box.low[0] + static_cast<int>(item % nx);
    j = box.low[1] + static_cast<int>(item / nx % ny);
    k = box.low[2] + static_cast<int>(item / nx / ny);
  }
};

using Items = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// Calls function(i, j, k) for every cell of the box.
template <class Function>
void for_each(const Exec& exec, const Box& box, const Function& function) {
  Kokkos::parallel_for(
      Items(exec, 0, static_cast<std::int64_t>(box.cells())), KOKKOS_LAMBDA(std::int64_t item) {
        const Cell cell(item, box);
        function(cell.i, cell.j, cell.k);
      });
}

/// The largest, or the sum (mod 2^64), of function(i, j, k) over the box. Blocks.
template <class Function>
double largest(const Exec& exec, const Box& box, const Function& function) {
  double result = 0;
  Kokkos::parallel_reduce(
      Items(exec, 0, static_cast<std::int64_t>(box.cells())),
      KOKKOS_LAMBDA(std::int64_t item, double& most) {
        const Cell cell(item, box);
        const double value = function(cell.i, cell.j, cell.k);
        if (value > most) most = value;
      },
      Kokkos::Max<double>(result));
  return result > 0 ? result : 0;
}
template <class Function>
std::uint64_t sum(const Exec& exec, const Box& box, const Function& function) {
  std::uint64_t result = 0;
  Kokkos::parallel_reduce(
      Items(exec, 0, static_cast<std::int64_t>(box.cells())),
      KOKKOS_LAMBDA(std::int64_t item, std::uint64_t & total) {
        const Cell cell(item, box);
        total += function(cell.i, cell.j, cell.k);
      },
      Kokkos::Sum<std::uint64_t>(result));
  return result;
}

/// Bytes of a core's own cache that a sweep may fill with the rows it will read again.
inline std::size_t reuse_bytes() {
  const long level_2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return static_cast<std::size_t>(level_2 > 0 ? level_2 : 1 << 20) / 2;
}

/// The order in which a CPU sweeps the rows of a box: tiles in y so that the rows of a tile's
/// planes are still in a core's cache when their neighbours need them, and within a tile a few
/// planes at once, so that a row is fetched from L2 once for several of its uses.
struct RowSweep {
  static constexpr int planes = 4;
  Box box;
  int tile_rows;
  int tiles, plane_blocks;

  RowSweep(const Box& cells, std::size_t row_bytes) : box(cells) {
    const auto fitting = static_cast<int>(
        std::min<std::size_t>(reuse_bytes() / ((planes + 2) * row_bytes), 1 << 20));
    const int rows = std::max(1, box.extent(1));
    tiles = (rows + std::max(8, fitting) - 1) / std::max(8, fitting);
    tile_rows = (rows + tiles - 1) / tiles;
    plane_blocks = (box.extent(2) + planes - 1) / planes;
  }
  /// Work items; each is one j of one block of planes of one tile.
  [[nodiscard]] std::int64_t items() const {
    return static_cast<std::int64_t>(tiles) * plane_blocks * tile_rows;
  }
  /// Calls visit(j, k) for the rows of an item.
  template <class Visit>
  void rows_of(std::int64_t item, Visit&& visit) const {
    const int j = box.low[1] + static_cast<int>(item % tile_rows) +
                  tile_rows * static_cast<int>(item / tile_rows / plane_blocks);
    const int first = box.low[2] + planes * static_cast<int>(item / tile_rows % plane_blocks);
    if (j >= box.high[1]) return;
    for (int k = first; k < std::min(first + planes, box.high[2]); ++k) visit(j, k);
  }
};

template <Stores stores, class Body>
void store_rows(const Exec& exec, const GridLayout& layout, const Box& box,
                typename Body::value_type* out, const Body& body) {
  const RowSweep sweep(
      box, static_cast<std::size_t>(layout.row_pitch()) * sizeof(typename Body::value_type));
  const int inner_begin = body.inner_begin();
  const int inner_end = body.inner_end(layout.cells()[0]);
  const auto row_pitch = layout.row_pitch();
  const auto plane_pitch = layout.plane_pitch();
  Kokkos::parallel_for(Items(exec, 0, sweep.items()), [=](std::int64_t item) {
    sweep.rows_of(item, [&](int j, int k) {
      store_row<stores>(out + j * row_pitch + k * plane_pitch, body.row(j, k), box.low[0],
                        box.high[0], inner_begin, inner_end);
    });
    if (stores == Stores::streaming && !std::is_same_v<Exec, Kokkos::Serial>)
      drain_streamed_lines();
  });
  if (stores == Stores::streaming) drain_streamed_lines();
}

/// out(i, j, k) = body.row(j, k)(i) for the cells of `box`; `out` points to cell (0, 0, 0).
template <class Body>
void store_each(const Exec& exec, const GridLayout& layout, const Box& box,
                typename Body::value_type* out, const Body& body, Stores stores) {
  if (box.empty()) return;
  if constexpr (on_host) {
    if (stores == Stores::streaming)
      store_rows<Stores::streaming>(exec, layout, box, out, body);
    else
      store_rows<Stores::cached>(exec, layout, box, out, body);
  } else {
    const auto row_pitch = layout.row_pitch();
    const auto plane_pitch = layout.plane_pitch();
    for_each(
        exec, box, KOKKOS_LAMBDA(int i, int j, int k) {
          out[i + j * row_pitch + k * plane_pitch] = body.row(j, k)(i);
        });
  }
}

}  // namespace bellwether::launch
