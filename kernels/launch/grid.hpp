// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/launch/host_device.hpp"

namespace bellwether {

/// Half-open box of cells [low, high) in each direction; x, the contiguous direction, comes first.
struct Box {
  std::array<int, 3> low{};
  std::array<int, 3> high{};

  [[nodiscard]] constexpr int extent(int direction) const {
    const int cells = high[direction] - low[direction];
    return cells > 0 ? cells : 0;
  }
  [[nodiscard]] constexpr std::size_t cells() const {
    return static_cast<std::size_t>(extent(0)) * extent(1) * extent(2);
  }
  [[nodiscard]] constexpr bool empty() const { return cells() == 0; }
  friend constexpr bool operator==(const Box&, const Box&) = default;
};

/// Boxes that one launch goes through, in any order; no two overlap. A view of what is given.
class Boxes {
 public:
  Boxes(const Box& one) : boxes_(&one, 1) {}
  Boxes(const std::vector<Box>& several) : boxes_(several) {}

  [[nodiscard]] auto begin() const { return boxes_.begin(); }
  [[nodiscard]] auto end() const { return boxes_.end(); }
  [[nodiscard]] std::size_t size() const { return boxes_.size(); }

 private:
  std::span<const Box> boxes_;
};

/// Bytes of one cache line.
inline constexpr std::size_t cache_line_bytes = 64;

/// Whether rows have a ghost cell at either end. Where x wraps none is ever touched: without them
/// rows are dense.
enum class RowGhosts { both, none };

/// Whether a plane ends with its last row, or with lines behind it where that spares a stencil's
/// loads from waiting for its stores (plane_padding).
enum class PlaneEnds { padded, dense };

/// What a sweep by a 7-point stencil loads and stores at once (launch::store_rows): rows j - 1, j
/// and j + 1 of two planes, and row j of those beside them. A core tells a load from a store under
/// way by the 12 lowest bits of their addresses, and what it takes for one waits. Bytes modulo 4096
/// by which the nearest store, to another field that begins at the same bits, is ahead of a load
/// that comes to the same bits later.
constexpr int stores_ahead(std::ptrdiff_t row, std::ptrdiff_t plane) {
  std::ptrdiff_t least = 4096;
  const std::ptrdiff_t line = cache_line_bytes;
  for (const std::ptrdiff_t store : {std::ptrdiff_t{0}, plane})
    for (const std::ptrdiff_t load : {-plane, 2 * plane, -row, std::ptrdiff_t{0}, line, row,
                                      plane - row, plane, plane + line, plane + row}) {
      const std::ptrdiff_t ahead = (store - load) & 4095;
      if (ahead != 0 && ahead < least) least = ahead;  // the same row's load comes first
    }
  return static_cast<int>(least);
}
/// Lines to add to planes of rows of so many bytes, at most a sixteenth of a plane: as few as bring
/// stores four lines ahead of loads (kernels/measurements.csv).
constexpr std::ptrdiff_t plane_padding(std::ptrdiff_t row, std::ptrdiff_t plane) {
  constexpr int enough = 4 * cache_line_bytes;
  constexpr std::ptrdiff_t line = cache_line_bytes;
  const auto value_of = [row](std::ptrdiff_t padded) {
    const int ahead = stores_ahead(row, padded);
    return ahead < enough ? ahead : enough;
  };
  std::ptrdiff_t best = 0;
  for (std::ptrdiff_t lines = 1; lines < 64 && 16 * lines * line <= plane; ++lines)
    if (value_of(plane + lines * line) > value_of(plane + best * line)) best = lines;
  return best;
}

/// Storage of a 3-D field with one ghost layer. Cell (i, j, k), -1 <= i <= nx and likewise j, k,
/// stands at origin() + i + j * row_pitch() + k * plane_pitch(). Cell 0 of every row starts a cache
/// line, so a launcher can write whole lines. The pitch is the smallest multiple of a line that
/// holds nx + 2 cells: a row's right ghost and the next row's left ghost share the padding. Planes
/// may have more (plane_padding).
/// Without ghosts in x (0 <= i < nx) it is the smallest multiple of half a line (a sector of a
/// GPU's memory, a register of AVX2) that holds nx: fewer lines are then half empty, but a row may
/// start amid one.
class GridLayout {
 public:
  constexpr GridLayout() = default;
  constexpr GridLayout(std::array<int, 3> cells, std::size_t element_bytes,
                       RowGhosts ghosts = RowGhosts::both, PlaneEnds ends = PlaneEnds::padded)
      : cells_(cells), line_(static_cast<std::ptrdiff_t>(cache_line_bytes / element_bytes)) {
    const bool both = ghosts == RowGhosts::both;
    const std::ptrdiff_t whole = both ? line_ : line_ / 2, row = cells[0] + (both ? 2 : 0);
    row_ = (row + whole - 1) / whole * whole;
    plane_ = row_ * (cells[1] + 2);
    const auto bytes = static_cast<std::ptrdiff_t>(element_bytes);
    if (ends == PlaneEnds::padded) plane_ += plane_padding(row_ * bytes, plane_ * bytes) * line_;
  }

  [[nodiscard]] constexpr const std::array<int, 3>& cells() const { return cells_; }
  [[nodiscard]] constexpr std::ptrdiff_t row_pitch() const { return row_; }
  [[nodiscard]] constexpr std::ptrdiff_t plane_pitch() const { return plane_; }
  /// Elements from the (line-aligned) start of the storage to cell (0, 0, 0).
  [[nodiscard]] constexpr std::ptrdiff_t origin() const { return line_ + row_ + plane_; }
  /// Elements to allocate.
  [[nodiscard]] constexpr std::size_t elements() const {
    return static_cast<std::size_t>(2 * line_ + plane_ * (cells_[2] + 2));
  }
  [[nodiscard]] constexpr std::ptrdiff_t at(int i, int j, int k) const {
    return origin() + i + j * row_ + k * plane_;
  }
  [[nodiscard]] constexpr Box interior() const { return {{0, 0, 0}, cells_}; }

 private:
  std::array<int, 3> cells_{};
  std::ptrdiff_t line_ = 1;
  std::ptrdiff_t row_ = 0;
  std::ptrdiff_t plane_ = 0;
};

/// How a launcher writes results on a CPU. Streaming stores bypass the cache and save the read that
/// a plain store makes of a line it is about to overwrite; they lose when the field fits in cache.
/// GPUs write whole sectors anyway: to native CUDA it is a hint to evict the results first, and
/// Kokkos on a GPU has cached stores only (Device::store_kinds).
enum class Stores { cached, streaming };
constexpr const char* name_of(Stores stores) {
  return stores == Stores::cached ? "cached" : "streaming";
}

/// What a sweep on a CPU asks for before it reads it: nothing, the rows that follow, into its first
/// cache or its second (of an array what is 3 KiB ahead), or what is further on in its memory; of
/// many arrays at once what is 640 (ahead) or 256 bytes on (near). It gains where fields come from
/// memory and loses within caches, where streaming stores lose more: sweeps with those ask, others
/// do not unless told to. Which gains most depends on the processor (launch::ask_ahead), and a run
/// measures it. A GPU's threads never ask.
enum class Prefetch { none, rows, rows_to_l2, ahead, near };
constexpr const char* name_of(Prefetch prefetch) {
  constexpr std::array names{"none", "rows", "rows to L2", "ahead", "near"};
  return names[static_cast<std::size_t>(prefetch)];
}
constexpr Prefetch prefetch_of(Stores stores) {
  return stores == Stores::streaming ? Prefetch::rows : Prefetch::none;
}
/// Which of them a sweep over rows may gain by, with streaming stores.
inline constexpr std::array streaming_prefetches{Prefetch::rows, Prefetch::rows_to_l2,
                                                 Prefetch::ahead};
inline constexpr std::array array_prefetches{Prefetch::rows, Prefetch::rows_to_l2};  ///< no rows
inline constexpr std::array many_array_prefetches{Prefetch::ahead, Prefetch::near};

/// How a sweep stores its results, and what it asks for.
struct SweepWay {
  Stores stores;
  Prefetch prefetch;
  constexpr SweepWay(Stores kind, Prefetch asked) : stores(kind), prefetch(asked) {}
  constexpr SweepWay(Stores kind) : SweepWay(kind, prefetch_of(kind)) {}
};

}  // namespace bellwether
