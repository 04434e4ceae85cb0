// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/launch/cpu/store_row.hpp"
#include "kernels/launch/kokkos/kokkos_stream.hpp"
#include "kernels/launch/part_sums.hpp"
#include "kernels/launch/tiling.hpp"

namespace bellwether::launch {

#if defined(KOKKOS_ENABLE_SERIAL)
inline constexpr bool one_thread = std::is_same_v<Exec, Kokkos::Serial>;
#else
inline constexpr bool one_thread = false;
#endif

/// Bytes of a core's own cache that a sweep may fill with the rows it will read again.
inline std::size_t reuse_bytes() {
  const long level_2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return static_cast<std::size_t>(level_2 > 0 ? level_2 : 1 << 20) / 2;
}

/// The order in which a CPU sweeps the rows of a box: tiles in y so that the rows of a tile's
/// planes are still in a core's cache when their neighbours need them, and within a tile two planes
/// at once, so that a row is fetched from L2 once for several of its uses. Where rows are asked for
/// a block has two planes, where memory is asked for ahead twice two (kernels/measurements.csv).
/// Tiles in x would lose: the hardware's prefetchers go on from row to row.
struct RowSweep {
  Box box;
  int planes;
  int tile_rows;
  int tiles, plane_blocks;

  RowSweep(const Box& cells, std::size_t row_bytes, Prefetch prefetch)
      : box(cells), planes(prefetch == Prefetch::ahead ? 4 : 2) {
    const auto fitting = static_cast<int>(std::min<std::size_t>(
        reuse_bytes() / ((static_cast<std::size_t>(planes) + 2) * row_bytes), 1 << 20));
    const int rows = std::max(1, box.extent(1));
    tiles = (rows + std::max(8, fitting) - 1) / std::max(8, fitting);
    tile_rows = (rows + tiles - 1) / tiles;
    plane_blocks = (box.extent(2) + planes - 1) / planes;
  }
  /// Work items; each is one j of one block of planes of one tile.
  [[nodiscard]] std::int64_t items() const {
    return static_cast<std::int64_t>(tiles) * plane_blocks * tile_rows;
  }
  /// Calls visit(j, k, count) for the rows of an item, those of the planes [k, k + count), two at
  /// once; `count` is an std::integral_constant.
  template <class Visit>
  void rows_of(std::int64_t item, Visit&& visit) const {
    constexpr std::integral_constant<int, 1> one;
    constexpr std::integral_constant<int, 2> two;
    const int j = box.low[1] + static_cast<int>(item % tile_rows) +
                  tile_rows * static_cast<int>(item / tile_rows / plane_blocks);
    int first = box.low[2] + planes * static_cast<int>(item / tile_rows % plane_blocks);
    const int end = std::min(first + planes, box.high[2]);
    if (j >= box.high[1]) return;
    for (; end - first > 1; first += 2) visit(j, first, two);
    if (end > first) visit(j, first, one);
  }
};

/// The rows of a box in work items for the cores of a CPU, in the order of their memory: a plane at
/// once where that leaves each thread enough to do.
class RowParts {
 public:
  RowParts(const Exec& exec, const Box& box) : box_(box) {
    constexpr int enough = 32;
    const std::int64_t planes = std::max(1, box.extent(2));
    const std::int64_t threads = one_thread ? 1 : exec.concurrency();
    if (threads > 1)
      parts_ = std::min<std::int64_t>(box.extent(1), (enough * threads + planes - 1) / planes);
  }
  [[nodiscard]] Items items(const Exec& exec) const {
    return Items(exec, 0, box_.empty() ? 0 : box_.extent(2) * parts_);
  }
  /// Calls function(first, last, k) for the rows [first, last) of plane k of an item.
  template <class Function>
  void rows_of(std::int64_t item, const Function& function) const {
    const std::int64_t part = item % parts_, rows = box_.extent(1);
    function(box_.low[1] + static_cast<int>(rows * part / parts_),
             box_.low[1] + static_cast<int>(rows * (part + 1) / parts_),
             box_.low[2] + static_cast<int>(item / parts_));
  }
  /// Calls function(i, j, k) for the cells of an item.
  template <class Function>
  void cells_of(std::int64_t item, const Function& function) const {
    rows_of(item, [&](int first, int last, int k) {
      for (int j = first; j < last; ++j)
        for (int i = box_.low[0]; i < box_.high[0]; ++i) function(i, j, k);
    });
  }

 private:
  Box box_;
  std::int64_t parts_ = 1;  ///< of a plane
};

/// Calls function(first, last, k) for the rows [first, last) of plane k, all rows of the box, on
/// the cores of a CPU (RowParts).
template <class Function>
void for_rows_of_planes(const Exec& exec, const Box& box, const Function& function) {
  const RowParts rows(exec, box);
  Kokkos::parallel_for(rows.items(exec), [=](std::int64_t item) { rows.rows_of(item, function); });
}

/// Where results go: cell (i, j, k) to first + i + j row_pitch + k plane_pitch.
template <class T>
struct StoredRows {
  T* first;
  std::ptrdiff_t row_pitch, plane_pitch;

  [[nodiscard]] T* row(int j, int k) const { return first + j * row_pitch + k * plane_pitch; }
};

/// out(i, j, k) = body.row(j, k)(i) on the cores of a CPU, rows of two planes at a time: what
/// lanes_of_planes<count>(body, j, k) evaluates (store_row), found beside the body. A thread drains
/// what it streamed before it says that it is done. A row that ends amid a line writes it plainly,
/// and a plain store that waits for its line holds up the streamed ones behind it: so it is asked
/// for two rows ahead.
template <Stores stores, Prefetch prefetch, class Body>
void store_rows(const Exec& exec, const GridLayout& layout, const Box& box,
                const StoredRows<typename Body::value_type>& out, const Body& body) {
  const RowSweep sweep(
      box, static_cast<std::size_t>(layout.row_pitch()) * sizeof(typename Body::value_type),
      prefetch);
  const AskedAhead asked = asked_ahead<prefetch, typename Body::value_type>(layout.row_pitch());
  constexpr auto line = static_cast<int>(cache_line_bytes / sizeof(typename Body::value_type));
  const bool ahead = stores == Stores::streaming && box.high[0] % line != 0;
  Kokkos::parallel_for(Items(exec, 0, sweep.items()), [=](std::int64_t item) {
    sweep.rows_of(item, [&]<int count>(int j, int k, std::integral_constant<int, count>) {
      auto* const row = out.row(j, k);
      for (int p = 0; ahead && p < count; ++p)
        __builtin_prefetch(row + p * out.plane_pitch + 2 * out.row_pitch + box.high[0] - 1, 1, 3);
      store_row<stores, prefetch>(row, out.plane_pitch, lanes_of_planes<count>(body, j, k),
                                  box.low[0], box.high[0], asked);
    });
    if (stores == Stores::streaming && !one_thread) drain_streamed_lines();
  });
  if (stores == Stores::streaming && one_thread) drain_streamed_lines();
}

// Where nvcc compiles, a KOKKOS_LAMBDA stands in a function that has a name and that anyone may
// call, and not within `if constexpr`; so host and device are told apart by overloads.

/// A work item for each thread of what is cut into tiles: to find an item's cell from its number
/// would take four divisions of 64 bits.
template <class Cut>
class TileItems {
 public:
  explicit TileItems(const Cut& cut) : cut_(cut) {}
  [[nodiscard]] Items items(const Exec& exec) const {
    return Items(exec, 0, static_cast<std::int64_t>(cut_.tiles) << bits_);
  }
  /// One cell, of a LinearCut one vector, or nothing (Tiling::Part).
  [[nodiscard]] KOKKOS_FUNCTION Tiling::Part part(std::int64_t item) const {
    return cut_.part(static_cast<unsigned>(item >> bits_),
                     static_cast<int>(item & (block_threads - 1)));
  }

 private:
  static constexpr int bits_ = exponent_of(block_threads);
  Cut cut_;
};
template <class Cut, class Function>
void for_each_of_tiles(const Exec& exec, const TileItems<Cut>& cells, const Function& function) {
  Kokkos::parallel_for(
      cells.items(exec), KOKKOS_LAMBDA(std::int64_t item) {
        const Tiling::Part part = cells.part(item);
        if (part.begin < part.end) function(part.i, part.j, part.begin);
      });
}

template <class Cut, class Function>
void for_each_part_of_tiles(const Exec& exec, const TileItems<Cut>& vectors,
                            const Function& function) {
  Kokkos::parallel_for(
      vectors.items(exec), KOKKOS_LAMBDA(std::int64_t item) {
        const Tiling::Part part = vectors.part(item);
        if (part.begin < part.end) function(part);
      });
}
/// Calls function(part) for vectors of so many cells of the boxes, in one launch (LinearCut).
template <class Function>
void for_each_vector(const Exec& exec, const Boxes& boxes, int vector, const Function& function) {
  with_linear_cuts(boxes, vector, block_threads, [&]<class Cut>(const Cut& cut) {
    for_each_part_of_tiles(exec, TileItems<Cut>(cut), function);
  });
}

// Overloads, since nvcc takes no lambda of its own within if constexpr.
template <class Function>
void for_each_cell(std::true_type /*on_host*/, const Exec& exec, const Boxes& boxes,
                   const Function& function) {
  for (const Box& box : boxes) {
    const RowParts rows(exec, box);
    Kokkos::parallel_for(rows.items(exec),
                         [=](std::int64_t item) { rows.cells_of(item, function); });
  }
}
template <class Function>
void for_each_cell(std::false_type /*on_host*/, const Exec& exec, const Boxes& boxes,
                   const Function& function) {
  with_tilings(boxes, 1, 1, 1, BlockShape{}, [&]<class Cut>(const Cut& cut) {
    for_each_of_tiles(exec, TileItems<Cut>(cut), function);
  });
}
/// Calls function(i, j, k) for every cell of the boxes, on a device in one launch.
template <class Function>
void for_each(const Exec& exec, const Boxes& boxes, const Function& function) {
  for_each_cell(std::bool_constant<on_host>{}, exec, boxes, function);
}

/// Adds a cell's value to what is known, or keeps the larger.
template <class Function>
struct AddCell {
  Function function;
  KOKKOS_FUNCTION void operator()(int i, int j, int k, std::uint64_t& total) const {
    total += function(i, j, k);
  }
};
template <class Function>
struct KeepLargerCell {
  Function function;
  KOKKOS_FUNCTION void operator()(int i, int j, int k, double& most) const {
    const double value = function(i, j, k);
    if (value > most) most = value;
  }
};

template <class Cell, class Reducer>
void reduce_cells(std::true_type /*on_host*/, const Exec& exec, const Box& box, const Cell& cell,
                  const Reducer& reducer) {
  const RowParts rows(exec, box);
  Kokkos::parallel_reduce(
      rows.items(exec),
      [=](std::int64_t item, typename Reducer::value_type& result) {
        auto known = result;  // in a register
        rows.cells_of(item, [&](int i, int j, int k) { cell(i, j, k, known); });
        result = known;
      },
      reducer);
}
template <class Cell, class Reducer>
void reduce_cells(std::false_type /*on_host*/, const Exec& exec, const Box& box, const Cell& cell,
                  const Reducer& reducer) {
  const TileItems<Tiling> cells(make_tiling(box, 1, 1, 1, BlockShape{}));
  Kokkos::parallel_reduce(
      cells.items(exec),
      KOKKOS_LAMBDA(std::int64_t item, typename Reducer::value_type & result) {
        const Tiling::Part part = cells.part(item);
        if (part.begin < part.end) cell(part.i, part.j, part.begin, result);
      },
      reducer);
}

/// The largest, or the sum (mod 2^64), of function(i, j, k) over the box. Blocks.
template <class Function>
double largest(const Exec& exec, const Box& box, const Function& function) {
  if (box.empty()) return 0;
  double result = 0;
  reduce_cells(std::bool_constant<on_host>{}, exec, box, KeepLargerCell<Function>{function},
               Kokkos::Max<double>(result));
  return result > 0 ? result : 0;
}
template <class Function>
std::uint64_t sum(const Exec& exec, const Box& box, const Function& function) {
  if (box.empty()) return 0;
  std::uint64_t result = 0;
  reduce_cells(std::bool_constant<on_host>{}, exec, box, AddCell<Function>{function},
               Kokkos::Sum<std::uint64_t>(result));
  return result;
}

/// sums[part] = the sum, by Value::add, of function(part, item) for the items [0, length) of a
/// part.
template <class Value, class Function>
void sum_parts(const Exec& exec, std::int64_t parts, std::int64_t length, const Function& function,
               Value* sums) {
  Kokkos::parallel_for(
      Items(exec, 0, parts), KOKKOS_LAMBDA(std::int64_t part) {
        Value sum{};
        for (std::int64_t item = 0; item < length; ++item) sum.add(function(part, item));
        sums[part] = sum;
      });
}

template <class Function>
void for_each_item(const Exec& exec, std::int64_t begin, std::int64_t end,
                   const Function& function) {
  Kokkos::parallel_for(
      Items(exec, begin, end), KOKKOS_LAMBDA(std::int64_t item) { function(item); });
}

template <class T>
struct SetZero {
  T* values;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const { values[n] = T(0); }
};

/// The loops that families of kernels make alike on every backend, as cuda::Loops. Kokkos is told
/// no names.
class KokkosLoops {
 public:
  explicit KokkosLoops(Device& device) : part_sums_(device) {}

  template <class T>
  void clear(T* values, std::size_t count, Stream& stream) {
    items("clear", count, SetZero<T>{values}, stream);
  }
  template <class Function>
  void items(const char*, std::size_t n, const Function& f, Stream& stream) {
    for_each_item(kokkos_exec(stream), 0, static_cast<std::int64_t>(n), f);
  }
  template <class Function>
  void cells(const char*, const Box& box, const Function& f, Stream& stream) {
    for_each(kokkos_exec(stream), box, f);
  }
  template <class Function>
  std::uint64_t sum(const char*, const Box& box, const Function& f, Stream& stream) {
    return launch::sum(kokkos_exec(stream), box, f);
  }
  template <class Function>
  double largest(const char*, const Box& box, const Function& f, Stream& stream) {
    return launch::largest(kokkos_exec(stream), box, f);
  }
  template <class Function>
  auto sum_parts(const char*, std::int64_t parts, std::int64_t length, const Function& f,
                 Stream& stream) {
    using Value = decltype(f(0, 0));
    return part_sums_.total_of<Value>(parts, stream, [&](Value* sums) {
      launch::sum_parts(kokkos_exec(stream), parts, length, f, sums);
    });
  }

 private:
  PartSums part_sums_;
};

template <class Body>
void store_cells(std::true_type /*on_host*/, const Exec& exec, const GridLayout& layout,
                 const Boxes& boxes, typename Body::value_type* out, const Body& body,
                 SweepWay way) {
  const StoredRows<typename Body::value_type> rows{out, layout.row_pitch(), layout.plane_pitch()};
  for (const Box& box : boxes) {
    if (box.empty()) continue;
    if (way.stores == Stores::cached)
      store_rows<Stores::cached, Prefetch::none>(exec, layout, box, rows, body);
    else if (way.prefetch == Prefetch::ahead)
      store_rows<Stores::streaming, Prefetch::ahead>(exec, layout, box, rows, body);
    else if (way.prefetch == Prefetch::rows_to_l2)
      store_rows<Stores::streaming, Prefetch::rows_to_l2>(exec, layout, box, rows, body);
    else
      store_rows<Stores::streaming, Prefetch::rows>(exec, layout, box, rows, body);
  }
}
template <class Body>
void store_cells(std::false_type /*on_host*/, const Exec& exec, const GridLayout& layout,
                 const Boxes& boxes, typename Body::value_type* out, const Body& body, SweepWay) {
  const auto row_pitch = layout.row_pitch();
  const auto plane_pitch = layout.plane_pitch();
  for_each(
      exec, boxes, KOKKOS_LAMBDA(int i, int j, int k) {
        out[i + j * row_pitch + k * plane_pitch] = body.row(j, k)(i);
      });
}

/// out(i, j, k) = body.row(j, k)(i) for the cells of the boxes; `out` points to cell (0, 0, 0). On
/// a CPU sweeps with streaming stores always ask, others never.
template <class Body>
void store_each(const Exec& exec, const GridLayout& layout, const Boxes& boxes,
                typename Body::value_type* out, const Body& body, SweepWay way) {
  store_cells(std::bool_constant<on_host>{}, exec, layout, boxes, out, body, way);
}

}  // namespace bellwether::launch
