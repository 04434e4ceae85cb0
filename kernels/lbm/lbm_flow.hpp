// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/lbm/lbm_places.hpp"

namespace bellwether {

/// LbmFlow for a device: plain arrays.
struct LbmFlowTables {
  double mean[3];
  const double* x[3];
  const double* y[3];
  const double* z[3];
  const double* density[3];

  explicit LbmFlowTables(const LbmFlow& flow)
      : density{flow.density_x, flow.density_y, flow.density_z} {
    for (int d = 0; d < 3; ++d) {
      mean[d] = flow.mean[d];
      x[d] = flow.x[d];
      y[d] = flow.y[d];
      z[d] = flow.z[d];
    }
  }
  /// Component d of the velocity, without the mean.
  BELLWETHER_HOST_DEVICE double fluctuation(int d, int i, int j, int k) const {
    return x[d][i] * y[d][j] * z[d][k];
  }
  /// Density less 1.
  BELLWETHER_HOST_DEVICE double excess(int i, int j, int k) const {
    return density[0][i] + density[1][j] + density[2][k];
  }
};

/// f_eq - w of a cell with this density and velocity (Shimokawabe, Eq. 7), in double precision.
template <class T>
BELLWETHER_HOST_DEVICE LbmCell<T> equilibrium(double excess, const double (&u)[3]) {
  const double density = 1 + excess;
  const double energy = 1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  LbmCell<T> cell;
  cell.rest = static_cast<T>(d3q19::rest_weight * (excess - density * energy));
  each_pair([&](auto p) {
    constexpr int pair = decltype(p)::value;
    constexpr int cx = d3q19::velocity[pair][0];
    constexpr int cy = d3q19::velocity[pair][1];
    constexpr int cz = d3q19::velocity[pair][2];
    constexpr double weight = d3q19::weight(pair);
    const double cu = cx * u[0] + cy * u[1] + cz * u[2];
    const double even = excess + density * (4.5 * cu * cu - energy);
    const double odd = density * 3 * cu;
    cell.pair[pair] = {static_cast<T>(weight * (even + odd)),
                       static_cast<T>(weight * (even - odd))};
  });
  return cell;
}

/// Leaves in a cell's places what it sent out in the step before the first.
template <class T>
struct LbmSetFlow {
  LbmPlaces<T> places;  ///< of parity 1
  LbmFlowTables flow;
  LbmHalfForce half_force;

  BELLWETHER_HOST_DEVICE void operator()(int i, int j, int k) const {
    const auto cell = places.cell(i, j, k);
    if (cell.is_solid()) return;
    const double excess = flow.excess(i, j, k);
    double u[3];
    for (int d = 0; d < 3; ++d)
      u[d] = flow.mean[d] + flow.fluctuation(d, i, j, k) - half_force.at[d] / (1 + excess);
    cell.store(equilibrium<T>(excess, u));
  }
};

template <class T>
LbmSetFlow<T> lbm_set_flow(const LbmGrid& grid, T* f, const LbmFlow& flow,
                           const LbmCollision<T>& collision) {
  return {lbm_places(grid, f, 1), LbmFlowTables(flow), half_force_of(collision)};
}

}  // namespace bellwether
