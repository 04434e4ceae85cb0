// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "kernels/launch/indexed_values.hpp"
#include "kernels/launch/tiling.hpp"

namespace bellwether {

/// A box of cells of one of a storage's fields, and where in a buffer they stand, x fastest.
struct PackedBox {
  Box box;                ///< ghost cells allowed
  std::size_t field = 0;  ///< elements from the storage's start to the field's
  std::size_t at = 0;     ///< elements from the buffer's start to the box's first cell
};

/// Moves the cells of boxes between fields and a buffer, on a device; `packing` is out of the
/// fields. What a kernel is given may take 4 KiB, so it has a table of all boxes with it.
template <class Word, bool packing>
struct MovePacked {
  static constexpr int most_boxes = 48;  // D3Q19 has 42: 5 of each face and 1 of each edge
  Word* storage;
  Word* buffer;
  std::ptrdiff_t row_pitch, plane_pitch;
  launch::Tilings<most_boxes> cut;
  std::ptrdiff_t cells[most_boxes];  ///< elements to cell (0, 0, 0) of each one's field
  std::ptrdiff_t words[most_boxes];  ///< elements to its first cell in the buffer

  /// What a thread of a tile moves: one cell at most.
  BELLWETHER_HOST_DEVICE void operator()(unsigned tile, int thread) const {
    const int box = cut.box_of(tile);
    const launch::Tiling& of = cut.of[box];
    const launch::Tiling::Part part = of.part(tile - cut.first[box], thread);
    if (part.begin == part.end) return;
    const std::ptrdiff_t nx = of.high_x - of.low_x, ny = of.high_y - of.low_y;
    Word& cell = storage[cells[box] + part.i + part.j * row_pitch + part.begin * plane_pitch];
    Word& word = buffer[words[box] + (part.i - of.low_x) +
                        nx * ((part.j - of.low_y) + ny * (part.begin - of.low_z))];
    if constexpr (packing)
      word = cell;
    else
      cell = word;
  }
};

/// Calls launch(move) with a MovePacked of elements of 4 or 8 bytes for all boxes that are not
/// empty, several times where there are too many for one; std::invalid_argument for other elements.
template <bool packing, class Launch>
void with_packed_moves(void* storage, void* buffer, const GridLayout& layout,
                       std::span<const PackedBox> boxes, std::size_t element_bytes,
                       const Launch& launch) {
  with_words_of(element_bytes, [&]<class Word>(Word) {
    using Move = MovePacked<Word, packing>;
    static_assert(sizeof(Move) <= 4096);
    const Move none{static_cast<Word*>(storage),
                    static_cast<Word*>(buffer),
                    layout.row_pitch(),
                    layout.plane_pitch(),
                    {},
                    {},
                    {}};
    Move move = none;
    for (const PackedBox& packed : boxes) {
      if (packed.box.empty()) continue;
      if (move.cut.full()) {
        launch(move);
        move = none;
      }
      const auto box = move.cut.count;
      move.cells[box] = static_cast<std::ptrdiff_t>(packed.field) + layout.origin();
      move.words[box] = static_cast<std::ptrdiff_t>(packed.at);
      move.cut.add(launch::make_tiling(packed.box, 1, 1, 1));
    }
    if (move.cut.count > 0) launch(move);
  });
}

}  // namespace bellwether
