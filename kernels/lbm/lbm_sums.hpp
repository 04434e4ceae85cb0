// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/launch/host_device.hpp"
#include "kernels/lbm/lbm_checks.hpp"
#include "kernels/lbm/lbm_flow.hpp"

namespace bellwether {

/// LbmSums of a cell, and what adds them up on a device.
struct LbmPartSums {
  double cells = 0, excess_mass = 0, momentum[3] = {}, projection = 0, reference = 0;
  double largest_speed = 0, not_finite = 0;
  std::int64_t first_not_finite = -1;

  BELLWETHER_HOST_DEVICE void add(const LbmPartSums& more) {
    cells += more.cells;
    excess_mass += more.excess_mass;
    for (int d = 0; d < 3; ++d) momentum[d] += more.momentum[d];
    projection += more.projection;
    reference += more.reference;
    if (more.largest_speed > largest_speed) largest_speed = more.largest_speed;
    not_finite += more.not_finite;
    if (first_not_finite < 0 ||
        (more.first_not_finite >= 0 && more.first_not_finite < first_not_finite))
      first_not_finite = more.first_not_finite;
  }
  [[nodiscard]] LbmSums sums() const {
    return {cells,      excess_mass,     {momentum[0], momentum[1], momentum[2]},
            projection, reference,       largest_speed,
            not_finite, first_not_finite};
  }
};

static_assert(sizeof(LbmPartSums) == lbm_sums_bytes(LbmLayout({1, 1, 1}, 8, RowGhosts::none)));

/// The sums of cell i of row (j, k), part j + ny k.
template <class T>
struct LbmCellSums {
  LbmPlaces<const T> places;
  LbmFlowTables flow;
  LbmHalfForce half_force;
  std::int64_t nx, ny, nz;

  [[nodiscard]] std::int64_t parts() const { return ny * nz; }
  BELLWETHER_HOST_DEVICE LbmPartSums operator()(std::int64_t part, std::int64_t item) const {
    const int i = static_cast<int>(item);
    const int j = static_cast<int>(part % ny), k = static_cast<int>(part / ny);
    const auto cell = places.cell(i, j, k);
    LbmPartSums sums;
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
  return {lbm_places(grid, f, parity),
          LbmFlowTables(flow),
          half_force_of(collision),
          cells[0],
          cells[1],
          cells[2]};
}

}  // namespace bellwether
