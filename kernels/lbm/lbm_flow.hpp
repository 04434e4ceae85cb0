// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/lbm/lbm_places.hpp"

namespace bellwether {

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
  LbmFlow flow;
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
  return {lbm_places(grid, f, 1), flow, half_force_of(collision)};
}

}  // namespace bellwether
