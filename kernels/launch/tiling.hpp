// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/launch/grid.hpp"
#include "kernels/launch/host_device.hpp"

namespace bellwether::launch {

/// Threads of a block on a device, numbered in one dimension.
inline constexpr int block_threads = 256;

/// How a box of cells is cut for a device: a block of threads takes a tile; a thread takes `vector`
/// neighbouring cells of one row, in `planes` successive planes. Vectors start at multiples of
/// `vector`, so that the first and the last of a row may lie partly outside the box. Tiles, and
/// threads in them, are numbered with x fastest.
struct Tiling {
  int low_x, low_y, low_z, high_x, high_y, high_z;  ///< of the box
  int vector, planes;                               ///< powers of two
  int bits_x, bits_y;  ///< a block has 2^bits_x by 2^bits_y threads, and the rest of them in z
  unsigned tiles_x, tiles_y;
  std::size_t tiles;  ///< a launch can have 2^31 - 1, and checks it

  /// Cells [i, i + vector) of row j in the planes [begin, end), of a box that has the cells
  /// [low_x, high_x) of its rows; nothing to do if begin == end.
  struct Part {
    std::ptrdiff_t i;
    int j, begin, end;
    int low_x, high_x;
    friend constexpr bool operator==(const Part&, const Part&) = default;
  };
  BELLWETHER_HOST_DEVICE Part part(unsigned tile, int thread) const {
    const int thread_x = thread & ((1 << bits_x) - 1);
    const int thread_y = (thread >> bits_x) & ((1 << bits_y) - 1);
    const int thread_z = thread >> (bits_x + bits_y);
    const unsigned row_of_tiles = tile / tiles_x;
    const auto x = (static_cast<std::ptrdiff_t>(tile % tiles_x) << bits_x) + thread_x;
    const auto y = (static_cast<std::ptrdiff_t>(row_of_tiles % tiles_y) << bits_y) + thread_y;
    const auto z =
        static_cast<std::ptrdiff_t>(row_of_tiles / tiles_y) * (block_threads >> (bits_x + bits_y)) +
        thread_z;
    const std::ptrdiff_t i = (low_x & -vector) + x * vector;  // rounded down, ghost cells too
    const std::ptrdiff_t j = low_y + y;
    const std::ptrdiff_t begin = low_z + z * planes;
    if (i >= high_x || j >= high_y || begin >= high_z) return {0, 0, 0, 0, 0, 0};
    const std::ptrdiff_t end = begin + planes < high_z ? begin + planes : high_z;
    return {i, static_cast<int>(j), static_cast<int>(begin), static_cast<int>(end), low_x, high_x};
  }
};

/// The smallest exponent whose power of two is at least `count`, at most `limit`.
constexpr int bits_for(std::size_t count, int limit) {
  int bits = 0;
  while (bits < limit && (std::size_t{1} << bits) < count) ++bits;
  return bits;
}

/// Cuts a box that is not empty. `planes` is the most planes a thread takes, a power of two; it is
/// halved until there are `enough_tiles`, so that small boxes still reach every multiprocessor.
constexpr Tiling make_tiling(const Box& box, int vector, int planes, std::size_t enough_tiles) {
  Tiling cut{};
  cut.low_x = box.low[0];
  cut.low_y = box.low[1];
  cut.low_z = box.low[2];
  cut.high_x = box.high[0];
  cut.high_y = box.high[1];
  cut.high_z = box.high[2];
  cut.vector = vector;
  const auto vectors = (static_cast<std::size_t>(cut.high_x - std::ptrdiff_t{cut.low_x & -vector}) +
                        static_cast<std::size_t>(vector) - 1) /
                       static_cast<std::size_t>(vector);
  const auto rows = static_cast<std::size_t>(box.extent(1));
  const auto depth = static_cast<std::size_t>(box.extent(2));
  const auto cut_into = [](std::size_t cells, std::size_t tile) {
    return (cells + tile - 1) / tile;
  };

  // A warp across the row; half or a quarter of one if that leaves fewer threads beyond the end.
  cut.bits_x = bits_for(vectors, 5);
  while (cut.bits_x > 3 &&
         (cut_into(vectors, std::size_t{1} << cut.bits_x) << cut.bits_x) > vectors + vectors / 8)
    --cut.bits_x;
  cut.tiles_x = static_cast<unsigned>(cut_into(vectors, std::size_t{1} << cut.bits_x));
  cut.bits_y = bits_for(rows, bits_for(block_threads, 30) - cut.bits_x);
  cut.tiles_y = static_cast<unsigned>(cut_into(rows, std::size_t{1} << cut.bits_y));
  const std::size_t threads_z = block_threads >> (cut.bits_x + cut.bits_y);
  cut.planes = planes;
  const auto tiles = [&] {
    return std::size_t{cut.tiles_x} * cut.tiles_y *
           cut_into(depth, threads_z * static_cast<std::size_t>(cut.planes));
  };
  while (cut.planes > 1 && tiles() < enough_tiles) cut.planes /= 2;
  cut.tiles = tiles();
  return cut;
}

/// Several boxes, cut so that one launch goes through all: the tiles of the first, those of the
/// next, and so on.
template <int most>
struct Tilings {
  Tiling of[most];
  unsigned first[most];  ///< tile of each
  int count;
  std::size_t tiles;  ///< of all; see Tiling

  [[nodiscard]] constexpr bool full() const { return count == most; }
  constexpr void add(const Tiling& cut) {
    of[count] = cut;
    first[count] = static_cast<unsigned>(tiles);
    ++count;
    tiles += cut.tiles;
  }
  /// Which box the tile is of.
  BELLWETHER_HOST_DEVICE int box_of(unsigned tile) const {
    int low = 0;
    for (int high = count; high - low > 1;) {
      const int middle = (low + high) / 2;
      if (tile < first[middle])
        high = middle;
      else
        low = middle;
    }
    return low;
  }
  BELLWETHER_HOST_DEVICE Tiling::Part part(unsigned tile, int thread) const {
    const int box = box_of(tile);
    return of[box].part(tile - first[box], thread);
  }
};

/// Calls launch(cut) for boxes cut as by make_tiling: with the Tiling of a single box, which spares
/// its threads the search, else with Tilings of as many as a subdomain has sides, once or more.
/// Nothing for boxes that are empty.
template <class Launch>
void with_tilings(const Boxes& boxes, int vector, int planes, std::size_t enough_tiles,
                  const Launch& launch) {
  Tilings<6> several{};
  for (const Box& box : boxes) {
    if (box.empty()) continue;
    const Tiling cut = make_tiling(box, vector, planes, enough_tiles);
    if (boxes.size() == 1) return launch(cut);
    if (several.full()) {
      launch(several);
      several = {};
    }
    several.add(cut);
  }
  if (several.count > 0) launch(several);
}

}  // namespace bellwether::launch
