// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/launch/grid.hpp"
#include "kernels/launch/host_device.hpp"

namespace bellwether {

/// Coefficients of one forward Euler step of the diffusion equation, second order in space:
/// f' = centre f + x (f_west + f_east) + y (f_south + f_north) + z (f_below + f_above), where
/// x = kappa dt / dx^2 and so on, and centre = 1 - 2 (x + y + z) (Shimokawabe, Eq. 6).
/// Dimensionless.
template <class T>
struct DiffusionCoefficients {
  T centre, x, y, z;
};

/// The 7-point update of one cell: neighbours are added before they are multiplied, 4
/// multiplications and 6 additions. They associate in one fixed order, so every decomposition and
/// backend rounds alike.
template <class T>
struct DiffusionRow {
  const T* centre;  ///< row (j, k); the others are its neighbours
  const T* south;
  const T* north;
  const T* below;
  const T* above;
  int wrap;  ///< cells in the row where x is periodic within this subdomain, else 0
  DiffusionCoefficients<T> c;

  BELLWETHER_HOST_DEVICE T update(std::ptrdiff_t i, std::ptrdiff_t west,
                                  std::ptrdiff_t east) const {
    return c.centre * centre[i] + c.x * (centre[west] + centre[east]) +
           c.y * (south[i] + north[i]) + c.z * (below[i] + above[i]);
  }
  /// Any cell of the row, the wrapped ends included.
  BELLWETHER_HOST_DEVICE T operator()(std::ptrdiff_t i) const {
    const std::ptrdiff_t west = wrap != 0 && i == 0 ? wrap - 1 : i - 1;
    const std::ptrdiff_t east = wrap != 0 && i == wrap - 1 ? 0 : i + 1;
    return update(i, west, east);
  }
  /// A cell that is not a wrapped end: branch-free. Reading it at an end is defined (the padding is
  /// allocated) but gives a value to be replaced.
  BELLWETHER_HOST_DEVICE T inner(std::ptrdiff_t i) const { return update(i, i - 1, i + 1); }
};

/// One step over a field with ghost layers (GridLayout). In a direction where the subdomain spans a
/// periodic domain the neighbour is found by wrapping, so no ghost cell is copied there.
template <class T>
struct DiffusionBody {
  using value_type = T;

  const T* field;  ///< cell (0, 0, 0)
  std::ptrdiff_t row_pitch, plane_pitch;
  int wrap_x, wrap_y, wrap_z;  ///< cells of the direction where it wraps, else 0
  DiffusionCoefficients<T> c;

  BELLWETHER_HOST_DEVICE const T* row_at(int j, int k) const {
    return field + j * row_pitch + k * plane_pitch;
  }
  BELLWETHER_HOST_DEVICE DiffusionRow<T> row(int j, int k) const {
    const int south = wrap_y != 0 && j == 0 ? wrap_y - 1 : j - 1;
    const int north = wrap_y != 0 && j == wrap_y - 1 ? 0 : j + 1;
    const int below = wrap_z != 0 && k == 0 ? wrap_z - 1 : k - 1;
    const int above = wrap_z != 0 && k == wrap_z - 1 ? 0 : k + 1;
    return {row_at(j, k),
            row_at(south, k),
            row_at(north, k),
            row_at(j, below),
            row_at(j, above),
            wrap_x,
            c};
  }
};

}  // namespace bellwether
