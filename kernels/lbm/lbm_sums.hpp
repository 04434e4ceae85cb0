// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/launch/host_device.hpp"
#include "kernels/lbm/lbm_checks.hpp"
#include "kernels/lbm/lbm_flow.hpp"

namespace bellwether {

/// The sums of cell i of row (j, k), part j + ny k.
template <class T>
struct LbmCellSums {
  LbmPlaces<const T> places;
  LbmFlow flow;
  LbmHalfForce half_force;
  std::int64_t nx, ny, nz;

  [[nodiscard]] std::int64_t parts() const { return ny * nz; }
  BELLWETHER_HOST_DEVICE LbmSums operator()(std::int64_t part, std::int64_t item) const {
    const int i = static_cast<int>(item);
    const int j = static_cast<int>(part % ny), k = static_cast<int>(part / ny);
    const auto cell = places.cell(i, j, k);
    LbmSums sums;
    if (cell.is_solid()) return sums;
    const LbmState state = state_of(cell.load(), half_force);
    sums.cells = 1;
    sums.excess_mass = state.excess;
    double square = 0;
    for (int d = 0; d < 3; ++d) {
      const double u = state.velocity[d], reference = flow.fluctuation(d, i, j, k);
      sums.momentum[d] = state.density * u;
      sums.projection += (u - flow.mean[d]) * reference;
      sums.reference += reference * reference;
      square += u * u;
    }
    sums.largest_speed = square_root(square);
    const double zero = (state.excess - state.excess) + (square - square);
    if (zero != 0) {  // NaN: every population is in the excess
      sums.not_finite = 1;
      sums.first_not_finite = part * nx + item;
    }
    return sums;
  }
};

template <class T>
LbmCellSums<T> lbm_cell_sums(const LbmGrid& grid, const T* f, int parity, const LbmFlow& flow,
                             const LbmCollision<T>& collision) {
  const auto& cells = grid.layout.cells();
  return {
      lbm_places(grid, f, parity), flow, half_force_of(collision), cells[0], cells[1], cells[2]};
}

}  // namespace bellwether
