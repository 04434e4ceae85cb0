// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "kernels/launch/grid.hpp"
#include "kernels/launch/host_device.hpp"

namespace bellwether::launch {

/// Threads of a block on a device, numbered in one dimension, where nothing else is chosen.
inline constexpr int block_threads = 256;

/// A block's threads, and the most of them along a row of cells; powers of two.
struct BlockShape {
  int threads = block_threads;
  int row_threads = 32;  ///< a warp
};

/// Divides numbers below 2^31 by a number from 1 to 2^31 - 1: a multiplication and a shift
/// (Granlund and Montgomery 1994), where a GPU takes some twenty instructions for a division.
class Divisor {
 public:
  constexpr Divisor() = default;
  constexpr explicit Divisor(unsigned by) : by_(by) {
    while ((std::uint64_t{1} << shift_) < by) ++shift_;
    multiplier_ = static_cast<unsigned>(((std::uint64_t{1} << (31 + shift_)) + by - 1) / by);
  }
  [[nodiscard]] BELLWETHER_HOST_DEVICE unsigned quotient(unsigned number) const {
    return static_cast<unsigned>((std::uint64_t{2 * number} * multiplier_) >> 32) >> shift_;
  }
  [[nodiscard]] BELLWETHER_HOST_DEVICE constexpr unsigned value() const { return by_; }

 private:
  unsigned by_ = 1, multiplier_ = 1u << 31, shift_ = 0;
};

/// How a box of cells is cut for a device: a block of threads takes a tile; a thread takes `vector`
/// neighbouring cells of one row, in `planes` successive planes. Vectors start at multiples of
/// `vector`, so that the first and the last of a row may lie partly outside the box. Tiles, and
/// threads in them, are numbered with x fastest.
struct Tiling {
  int low_x, low_y, low_z, high_x, high_y, high_z;  ///< of the box
  std::int16_t vector, planes;                      ///< powers of two
  std::int8_t bits_x, bits_y;  ///< a block has 2^bits threads in each direction
  std::int16_t bits_z;
  Divisor tiles_x, tiles_y;
  std::size_t tiles;  ///< a launch can have 2^31 - 1, and checks it

  /// Cells [i, i + vector) of row j in the planes [begin, end), of a box that has the cells
  /// [low_x, high_x) of its rows; nothing to do if begin == end.
  struct Part {
    int i, j, begin, end;
    int low_x, high_x;
    friend constexpr bool operator==(const Part&, const Part&) = default;
  };
  BELLWETHER_HOST_DEVICE Part part(unsigned tile, int thread) const {
    const unsigned row_of_tiles = tiles_x.quotient(tile);
    const unsigned tile_z = tiles_y.quotient(row_of_tiles);
    const unsigned tile_x = tile - row_of_tiles * tiles_x.value();
    const unsigned tile_y = row_of_tiles - tile_z * tiles_y.value();
    const auto in_block = static_cast<unsigned>(thread);
    // Cells from the box's lowest; of a row, from there rounded down, ghost cells too.
    const unsigned x =
        ((tile_x << bits_x) + (in_block & ((1u << bits_x) - 1))) * static_cast<unsigned>(vector);
    const unsigned y = (tile_y << bits_y) + ((in_block >> bits_x) & ((1u << bits_y) - 1));
    const unsigned z =
        ((tile_z << bits_z) + (in_block >> (bits_x + bits_y))) * static_cast<unsigned>(planes);
    const int first_x = low_x & -vector;
    const auto cells = [](int low, int high) {
      return static_cast<unsigned>(high) - static_cast<unsigned>(low);
    };
    if (x >= cells(first_x, high_x) || y >= cells(low_y, high_y) || z >= cells(low_z, high_z))
      return {0, 0, 0, 0, 0, 0};
    const int begin = low_z + static_cast<int>(z);
    const int end = cells(begin, high_z) > static_cast<unsigned>(planes) ? begin + planes : high_z;
    return {first_x + static_cast<int>(x), low_y + static_cast<int>(y), begin, end, low_x, high_x};
  }
};

/// The smallest exponent whose power of two is at least `count`, at most `limit`.
constexpr int bits_for(std::size_t count, int limit) {
  int bits = 0;
  while (bits < limit && (std::size_t{1} << bits) < count) ++bits;
  return bits;
}
/// Of a power of two.
constexpr int exponent_of(int power) { return bits_for(static_cast<std::size_t>(power), 30); }

/// Cuts a box that is not empty. `planes` is the most planes a thread takes, a power of two; it is
/// halved until there are `enough_tiles`, so that small boxes still reach every multiprocessor.
constexpr Tiling make_tiling(const Box& box, int vector, int planes, std::size_t enough_tiles,
                             BlockShape shape = {}) {
  Tiling cut{};
  cut.low_x = box.low[0];
  cut.low_y = box.low[1];
  cut.low_z = box.low[2];
  cut.high_x = box.high[0];
  cut.high_y = box.high[1];
  cut.high_z = box.high[2];
  cut.vector = static_cast<std::int16_t>(vector);
  const auto vectors = (static_cast<std::size_t>(cut.high_x - std::ptrdiff_t{cut.low_x & -vector}) +
                        static_cast<std::size_t>(vector) - 1) /
                       static_cast<std::size_t>(vector);
  const auto rows = static_cast<std::size_t>(box.extent(1));
  const auto depth = static_cast<std::size_t>(box.extent(2));
  const auto cut_into = [](std::size_t cells, std::size_t tile) {
    return (cells + tile - 1) / tile;
  };

  // All that a row may have across it; half or a quarter if that leaves fewer threads beyond the
  // end, but not less than a quarter of a warp.
  const int bits = exponent_of(shape.threads);
  int bits_x = bits_for(vectors, exponent_of(shape.row_threads));
  while (bits_x > 3 &&
         (cut_into(vectors, std::size_t{1} << bits_x) << bits_x) > vectors + vectors / 8)
    --bits_x;
  const int bits_y = bits_for(rows, bits - bits_x);
  cut.bits_x = static_cast<std::int8_t>(bits_x);
  cut.bits_y = static_cast<std::int8_t>(bits_y);
  cut.bits_z = static_cast<std::int16_t>(bits - bits_x - bits_y);
  cut.tiles_x = Divisor(static_cast<unsigned>(cut_into(vectors, std::size_t{1} << bits_x)));
  cut.tiles_y = Divisor(static_cast<unsigned>(cut_into(rows, std::size_t{1} << bits_y)));
  const auto tiles = [&] {
    return std::size_t{cut.tiles_x.value()} * cut.tiles_y.value() *
           cut_into(depth, static_cast<std::size_t>(planes) << cut.bits_z);
  };
  while (planes > 1 && tiles() < enough_tiles) planes /= 2;
  cut.planes = static_cast<std::int16_t>(planes);
  cut.tiles = tiles();
  return cut;
}

/// How a box is cut so that blocks take what lies side by side: its vectors of cells are numbered x
/// fastest, and a tile is as many successive ones as a block has threads, across the ends of rows
/// and planes. Vectors as in a Tiling.
struct LinearCut {
  int low_x, high_x, low_y, low_z;
  int vector, threads;
  Divisor row, plane;  ///< vectors of each
  std::size_t items;   ///< vectors of all, fewer than 2^31
  std::size_t tiles;

  /// One vector in one plane, or nothing.
  BELLWETHER_HOST_DEVICE Tiling::Part part(unsigned tile, int thread) const {
    const unsigned item = tile * static_cast<unsigned>(threads) + static_cast<unsigned>(thread);
    if (item >= items) return {0, 0, 0, 0, 0, 0};
    const unsigned z = plane.quotient(item);
    const unsigned in_plane = item - z * plane.value();
    const unsigned y = row.quotient(in_plane);
    const auto x = static_cast<int>(in_plane - y * row.value());
    const int k = low_z + static_cast<int>(z);
    return {(low_x & -vector) + x * vector, low_y + static_cast<int>(y), k, k + 1, low_x, high_x};
  }
};

/// Of a box that is not empty and has fewer than 2^31 vectors.
constexpr LinearCut make_linear_cut(const Box& box, int vector, int threads) {
  LinearCut cut{};
  cut.low_x = box.low[0];
  cut.high_x = box.high[0];
  cut.low_y = box.low[1];
  cut.low_z = box.low[2];
  cut.vector = vector;
  cut.threads = threads;
  const auto begin = std::ptrdiff_t{box.low[0] & -vector}, end = std::ptrdiff_t{box.high[0]};
  const auto row = static_cast<std::size_t>((end - begin + vector - 1) / vector);
  const std::size_t plane = row * static_cast<std::size_t>(box.extent(1));
  cut.row = Divisor(static_cast<unsigned>(row));
  cut.plane = Divisor(static_cast<unsigned>(plane));
  cut.items = plane * static_cast<std::size_t>(box.extent(2));
  cut.tiles =
      (cut.items + static_cast<std::size_t>(threads) - 1) / static_cast<std::size_t>(threads);
  return cut;
}

/// Several boxes, cut so that one launch goes through all: the tiles of the first, those of the
/// next, and so on.
template <class Cut, int most>
struct Cuts {
  Cut of[most];
  unsigned first[most];  ///< tile of each
  std::int64_t count;    ///< 64 bits: no padding, of which GCC 12 clears the wrong bytes (host_gpu)
  std::size_t tiles;     ///< of all; see Tiling

  [[nodiscard]] constexpr bool full() const { return count == most; }
  constexpr void add(const Cut& cut) {
    of[count] = cut;
    first[count] = static_cast<unsigned>(tiles);
    ++count;
    tiles += cut.tiles;
  }
  /// Which box the tile is of.
  BELLWETHER_HOST_DEVICE int box_of(unsigned tile) const {
    int low = 0;
    for (int high = static_cast<int>(count); high - low > 1;) {
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

template <int most>
using Tilings = Cuts<Tiling, most>;

static_assert(std::has_unique_object_representations_v<Cuts<Tiling, 6>> &&
              std::has_unique_object_representations_v<Cuts<LinearCut, 6>>);

/// Calls launch(cut) for boxes as make(box) cuts them: with the cut of a single box, which spares
/// its threads the search, else with Cuts of as many as a subdomain has sides, once or more.
/// Nothing for boxes that are empty.
template <class Make, class Launch>
void with_cuts(const Boxes& boxes, const Make& make, const Launch& launch) {
  using Cut = decltype(make(Box{}));
  Cuts<Cut, 6> several{};
  for (const Box& box : boxes) {
    if (box.empty()) continue;
    const Cut cut = make(box);
    if (boxes.size() == 1) return launch(cut);
    if (several.full()) {
      launch(several);
      several = {};
    }
    several.add(cut);
  }
  if (several.count > 0) launch(several);
}

/// Boxes cut as by make_tiling.
template <class Launch>
void with_tilings(const Boxes& boxes, int vector, int planes, std::size_t enough_tiles,
                  BlockShape shape, const Launch& launch) {
  with_cuts(
      boxes, [&](const Box& box) { return make_tiling(box, vector, planes, enough_tiles, shape); },
      launch);
}

/// Boxes cut as by make_linear_cut. Throws std::runtime_error for one of 2^31 vectors and more, as
/// the launches do for as many blocks.
template <class Launch>
void with_linear_cuts(const Boxes& boxes, int vector, int threads, const Launch& launch) {
  with_cuts(
      boxes,
      [&](const Box& box) {
        const LinearCut cut = make_linear_cut(box, vector, threads);
        if (cut.items > 2147483647u)
          throw std::runtime_error("a box of " + std::to_string(box.cells()) +
                                   " cells is too large for one launch");
        return cut;
      },
      launch);
}

}  // namespace bellwether::launch
