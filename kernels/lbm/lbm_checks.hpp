// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/launch/host_device.hpp"
#include "kernels/lbm/lbm_places.hpp"

namespace bellwether {

/// Density less 1 and velocity of a cell, in double precision, half the force included.
struct LbmState {
  double excess, density, velocity[3];
};
template <class T>
BELLWETHER_HOST_DEVICE LbmState state_of(const LbmCell<T>& cell, const LbmHalfForce& half_force) {
  LbmCell<double> wide;
  wide.rest = static_cast<double>(cell.rest);
  for (int p = 0; p < d3q19::pairs; ++p)
    wide.pair[p] = {static_cast<double>(cell.pair[p].plus),
                    static_cast<double>(cell.pair[p].minus)};
  const LbmMoments<double> m = moments_of(wide);
  LbmState state{m.excess, 1 + m.excess, {}};
  for (int d = 0; d < 3; ++d)
    state.velocity[d] = (m.momentum[d] + half_force.at[d]) / state.density;
  return state;
}

/// Density and velocity of the cells of a box, x fastest.
template <class T>
struct LbmMacroscopic {
  LbmPlaces<const T> places;
  LbmHalfForce half_force;
  int low_x, low_y, low_z;  ///< of the box
  std::int64_t nx, ny;
  float* density;
  float* velocity;

  BELLWETHER_HOST_DEVICE void operator()(int i, int j, int k) const {
    const std::int64_t n = (i - low_x) + nx * ((j - low_y) + ny * (k - low_z));
    const auto cell = places.cell(i, j, k);
    LbmState state{0, 1, {}};
    if (!cell.is_solid()) state = state_of(cell.load(), half_force);
    density[n] = static_cast<float>(state.density);
    for (int d = 0; d < 3; ++d) velocity[3 * n + d] = static_cast<float>(state.velocity[d]);
  }
};

/// The bits of a fluid cell's populations mixed with its global index and theirs.
template <class T>
struct LbmHash {
  LbmPlaces<const T> places;
  std::int64_t first;                     ///< global index of cell (0, 0, 0)
  std::int64_t global_row, global_plane;  ///< nx, nx ny

  BELLWETHER_HOST_DEVICE std::uint64_t operator()(int i, int j, int k) const {
    const auto at = places.cell(i, j, k);
    if (at.is_solid()) return 0;
    const auto index = static_cast<std::uint64_t>(first + i + j * global_row + k * global_plane);
    const auto hash = [index](const T& value, int population) {
      return mixed_bits(bits_of(value) ^ mixed_bits(index * d3q19::populations + population));
    };
    const LbmCell<T> cell = at.load();
    std::uint64_t sum = hash(cell.rest, 0);
    for (int p = 0; p < d3q19::pairs; ++p)
      sum += hash(cell.pair[p].plus, 2 * p + 1) + hash(cell.pair[p].minus, 2 * p + 2);
    return sum;
  }
};

template <class T>
LbmMacroscopic<T> lbm_macroscopic(const LbmGrid& grid, const Box& box, const T* f, int parity,
                                  const LbmCollision<T>& collision, float* density,
                                  float* velocity) {
  return {lbm_places(grid, f, parity),
          half_force_of(collision),
          box.low[0],
          box.low[1],
          box.low[2],
          box.extent(0),
          box.extent(1),
          density,
          velocity};
}
template <class T>
LbmHash<T> lbm_hash(const LbmGrid& grid, const T* f, int parity, std::array<int, 3> offset,
                    std::array<int, 3> global_cells) {
  const std::int64_t row = global_cells[0];
  const std::int64_t plane = row * global_cells[1];
  return {lbm_places(grid, f, parity), offset[0] + offset[1] * row + offset[2] * plane, row, plane};
}

}  // namespace bellwether
