// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kernels/diffusion/diffusion.hpp"
#include "kernels/launch/device.hpp"

namespace bellwether {

/// Where a step's results go: to a second field, or into the field's own storage a row and a plane
/// from where they were read, down and up in turn: a compressed grid. That is half the memory, and
/// lines that are still in the cache are written, which need not be fetched again.
enum class DiffusionStorage { two, shifted };
constexpr const char* name_of(DiffusionStorage storage) {
  return storage == DiffusionStorage::two ? "two" : "shifted";
}

/// What of a subdomain lies beyond its low and its high face in y and z.
enum class Beyond { neighbour, itself, wall };
using Surroundings = std::array<std::array<Beyond, 2>, 3>;  ///< x, y, z

/// A rank's field and room for the next one. T is float or double.
template <class T>
class DiffusionState {
 public:
  /// Room for storage of either kind or of both; with both, use() chooses.
  struct Room {
    bool two = true;
    bool shifted = false;
    [[nodiscard]] std::size_t elements(const GridLayout& layout) const {
      return (two ? 2 : 1) * layout.elements() + (shifted ? layout.shift() : 0);
    }
  };

  DiffusionState() = default;
  DiffusionState(Device& device, const GridLayout& layout, Room room)
      : device_(&device),
        layout_(layout),
        first_(device, layout.elements() + (room.shifted ? layout.shift() : 0)),
        second_(room.two ? Buffer<T>(device, layout.elements()) : Buffer<T>()),
        no_cells_(layout.cells()[0], T(0)) {}

  [[nodiscard]] DiffusionStorage storage() const { return storage_; }
  [[nodiscard]] bool shifted() const { return storage_ == DiffusionStorage::shifted; }
  /// From now on; what the field was is undefined until it is set.
  void use(DiffusionStorage storage) {
    storage_ = storage;
    restart();
  }
  /// Gives back what the storage in use does not need.
  void release_the_rest() {
    if (shifted()) second_ = Buffer<T>();
  }

  /// Where the field is, and where a step of it goes: each the start of a storage of the layout.
  [[nodiscard]] T* now() const { return at(there_); }
  [[nodiscard]] T* next() const { return at(!there_); }
  void restart() {
    there_ = false;
    complete_ = false;
  }
  void advance() {
    there_ = !there_;
    complete_ = false;
  }
  /// Of a step in shifted storage.
  [[nodiscard]] SweepOrder order() const {
    return next() < now() ? SweepOrder::rising : SweepOrder::falling;
  }
  /// In shifted storage: fills the ghost cells in y and z that no neighbour does, from the other
  /// end of the subdomain or, at a wall, with 0: what wraps has been written over when the sweep
  /// comes to its other end, and what was a wall's is no longer where it was. Once for each state.
  void complete(const Surroundings& beyond, Stream& stream) {
    if (!shifted() || complete_) return;
    complete_ = true;
    for (const int d : {1, 2})
      for (const int side : {0, 1}) fill(d, side, beyond[d][side], stream);
  }

 private:
  [[nodiscard]] T* at(bool there) const {
    if (!shifted()) return there ? second_.data() : first_.data();
    return first_.data() + (there ? 0 : layout_.shift());
  }
  void fill(int d, int side, Beyond beyond, Stream& stream) {
    if (beyond == Beyond::neighbour) return;
    const std::array<int, 3>& cells = layout_.cells();
    const std::ptrdiff_t across = d == 1 ? layout_.row_pitch() : layout_.plane_pitch();
    const std::ptrdiff_t along = d == 1 ? layout_.plane_pitch() : layout_.row_pitch();
    T* const ghosts = now() + layout_.origin() + (side == 0 ? -1 : cells[d]) * across;
    const T* const inside = ghosts + (side == 0 ? cells[d] : -cells[d]) * across;
    const bool wall = beyond == Beyond::wall;
    device_->copy_rows(ghosts, along * sizeof(T), wall ? no_cells_.data() : inside,
                       wall ? 0 : along * sizeof(T), cells[0] * sizeof(T),
                       static_cast<std::size_t>(cells[3 - d]), stream);
  }

  Device* device_ = nullptr;
  GridLayout layout_;
  Buffer<T> first_, second_;
  std::vector<T> no_cells_;  ///< a row of zeros
  DiffusionStorage storage_ = DiffusionStorage::two;
  bool there_ = false;  ///< the field: in the second storage, or at the low place of the first
  bool complete_ = false;
};

}  // namespace bellwether
