// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/diffusion/diffusion.hpp"
#include "kernels/launch/host_device.hpp"

namespace bellwether {

template <class T>
struct SetMode {
  T* field;  ///< cell (0, 0, 0)
  std::ptrdiff_t row_pitch, plane_pitch;
  SeparableMode mode;

  BELLWETHER_HOST_DEVICE void operator()(int i, int j, int k) const {
    field[i + j * row_pitch + k * plane_pitch] = static_cast<T>(mode.x[i] * mode.y[j] * mode.z[k]);
  }
};

/// What a field holds at a cell against amplitude times the mode; infinity if it is not finite.
template <class T>
struct ModeError {
  const T* field;  ///< cell (0, 0, 0)
  std::ptrdiff_t row_pitch, plane_pitch;
  SeparableMode mode;
  double amplitude;

  BELLWETHER_HOST_DEVICE double operator()(int i, int j, int k) const {
    const double value = static_cast<double>(field[i + j * row_pitch + k * plane_pitch]);
    const double difference = value - amplitude * mode.x[i] * mode.y[j] * mode.z[k];
    const double size = difference < 0 ? -difference : difference;
    const double largest = 1.7976931348623157e308;
    return size <= largest ? size : largest * 2;  // a NaN fails the comparison
  }
};

/// The field's bits mixed with the cell's global index x + nx (y + ny z).
template <class T>
struct FieldHash {
  const T* field;  ///< cell (0, 0, 0)
  std::ptrdiff_t row_pitch, plane_pitch;
  std::int64_t first;                     ///< global index of cell (0, 0, 0)
  std::int64_t global_row, global_plane;  ///< nx, nx ny

  BELLWETHER_HOST_DEVICE std::uint64_t operator()(int i, int j, int k) const {
    const T value = field[i + j * row_pitch + k * plane_pitch];
    const std::int64_t index = first + i + j * global_row + k * global_plane;
    return mixed_bits(bits_of(value) ^ mixed_bits(static_cast<std::uint64_t>(index)));
  }
};

/// The body for a grid, from a pointer to the start of its storage.
template <class T>
DiffusionBody<T> diffusion_body(const DiffusionGrid& grid, const T* storage,
                                const DiffusionCoefficients<T>& coefficients) {
  const auto wrap = [&grid](int direction) {
    return grid.wraps[direction] ? grid.layout.cells()[direction] : 0;
  };
  return {storage + grid.layout.origin(),
          grid.layout.row_pitch(),
          grid.layout.plane_pitch(),
          wrap(0),
          wrap(1),
          wrap(2),
          coefficients};
}
template <class T>
ModeError<T> mode_error(const GridLayout& layout, const T* storage, const SeparableMode& mode,
                        double amplitude) {
  return {storage + layout.origin(), layout.row_pitch(), layout.plane_pitch(), mode, amplitude};
}
template <class T>
FieldHash<T> field_hash(const GridLayout& layout, const T* storage, std::array<int, 3> offset,
                        std::array<int, 3> global_cells) {
  const std::int64_t row = global_cells[0];
  const std::int64_t plane = row * global_cells[1];
  return {storage + layout.origin(),
          layout.row_pitch(),
          layout.plane_pitch(),
          offset[0] + offset[1] * row + offset[2] * plane,
          row,
          plane};
}

}  // namespace bellwether
