// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/lbm/lbm_body.hpp"
#include "kernels/lbm/lbm_places.hpp"

namespace bellwether {

/// The step of one cell, in place: what a device's work item does.
template <bool with_force, bool with_eddies, class T>
struct LbmUpdate {
  LbmPlaces<T> places;
  LbmCoefficients<T> coefficients;

  BELLWETHER_HOST_DEVICE void operator()(int i, int j, int k) const {
    const LbmRow<T> row = places.row(j, k);
    if (row.solid != nullptr && row.solid[i] != 0) return;
    row.store(i, collide<with_force, with_eddies>(row.load(i), coefficients));
  }
};

/// Calls launch(update) with the LbmUpdate for the grid and the collision.
template <class T, class Launch>
void with_update(const LbmGrid& grid, T* f, int parity, const LbmCollision<T>& collision,
                 const Launch& launch) {
  with_collision(collision, [&](auto with_force, auto with_eddies) {
    launch(LbmUpdate<decltype(with_force)::value, decltype(with_eddies)::value, T>{
        lbm_places(grid, f, parity), lbm_coefficients(collision)});
  });
}

}  // namespace bellwether
