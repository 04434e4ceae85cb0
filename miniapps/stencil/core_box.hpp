// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/diffusion/diffusion.hpp"
#include "kernels/launch/device.hpp"
#include "kernels/lbm/lbm.hpp"
#include "kernels/stream/stream.hpp"

namespace bellwether {

// Boxes of a rank's own, updated as the mini-apps do. Of those that its core's own cache holds the
// calibration learns what a core needs where its data is at hand; a run's probe measures one of
// them again.

/// A host's memory for a box, all of it set to a value.
template <class T>
Buffer<std::byte> filled_box(Device& device, std::size_t bytes, T value) {
  Buffer<std::byte> memory(device, bytes);
  std::fill_n(reinterpret_cast<T*>(memory.data()), bytes / sizeof(T), value);
  return memory;
}

/// A periodic box of `row` x `across` x `across` cells, two fields whole huge pages apart.
template <class T>
class DiffusionBox {
 public:
  static constexpr int probed_edge = 32;  ///< of a cube
  DiffusionBox(int row, int across) : layout_({row, across, across}, sizeof(T)) {}
  /// That its memory takes.
  [[nodiscard]] std::size_t bytes() const { return 2 * field_bytes(); }
  [[nodiscard]] double cells() const { return static_cast<double>(layout_.interior().cells()); }
  /// Step `step` of its memory, from one field to the other.
  void update(DiffusionKernels<T>& kernels, std::byte* memory, int step, SweepWay way,
              Stream& stream) const {
    const auto [from, to] = fields(memory, step);
    kernels.update({layout_, {true, true, true}}, layout_.interior(), from, to,
                   {T(0.4), T(0.1), T(0.1), T(0.1)}, way, stream);
  }
  /// What moves for it and nothing else: a copy of each row.
  void copy(StreamKernels<T>& kernels, std::byte* memory, int step, SweepWay way,
            Stream& stream) const {
    const auto [from, to] = fields(memory, step);
    kernels.neighbours(0, from, to, layout_, layout_.interior(), way, stream);
  }

 private:
  [[nodiscard]] std::size_t field_bytes() const {
    constexpr std::size_t huge_page = std::size_t{2} << 20;
    return (layout_.elements() * sizeof(T) + huge_page - 1) / huge_page * huge_page;
  }
  [[nodiscard]] std::pair<T*, T*> fields(std::byte* memory, int step) const {
    auto* first = reinterpret_cast<T*>(memory);
    auto* second = reinterpret_cast<T*>(memory + field_bytes());
    return step % 2 == 0 ? std::pair(first, second) : std::pair(second, first);
  }

  GridLayout layout_;
};

/// The lattice of a periodic box of `row` x `across` x `across` fluid cells, without force or
/// eddies.
template <class T>
class LbmBox {
 public:
  static constexpr int probed_edge = 16;  ///< of a cube
  LbmBox(int row, int across)
      : grid_{
            LbmLayout({row, across, across}, sizeof(T), RowGhosts::none), {true, true, true}, {}} {}
  [[nodiscard]] std::size_t bytes() const { return grid_.layout.elements() * sizeof(T); }
  [[nodiscard]] double cells() const {
    return static_cast<double>(grid_.layout.field().interior().cells());
  }
  [[nodiscard]] const LbmGrid& grid() const { return grid_; }
  [[nodiscard]] static LbmCollision<T> collision() {
    LbmCollision<T> bgk;
    bgk.tau = T(0.8);
    return bgk;
  }
  /// Step `step` of its memory.
  void update(LbmKernels<T>& kernels, std::byte* memory, int step, Prefetch prefetch,
              Stream& stream) const {
    kernels.update(grid_, grid_.layout.field().interior(), reinterpret_cast<T*>(memory), step % 2,
                   collision(), prefetch, stream);
  }
  /// What moves for it and nothing else: as many values in 19 arrays, in place.
  void move(StreamKernels<T>& kernels, std::byte* memory, Prefetch prefetch, Stream& stream) const {
    kernels.update(reinterpret_cast<T*>(memory), T(1),
                   grid_.layout.field().interior().cells() * d3q19::populations, d3q19::populations,
                   prefetch, stream);
  }

 private:
  LbmGrid grid_;
};

}  // namespace bellwether
