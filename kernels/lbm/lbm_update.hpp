// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/lbm/lbm_body.hpp"
#include "kernels/lbm/lbm_places.hpp"

namespace bellwether {

/// The step of one cell, in place: what a device's work item does.
template <bool with_force, bool with_eddies, class T, class Index>
struct LbmUpdate {
  LbmPlaces<T, Index> places;
  LbmCoefficients<T> coefficients;

  BELLWETHER_HOST_DEVICE void operator()(int i, int j, int k) const {
    const auto cell = places.cell(i, j, k);
    if (cell.is_solid()) return;
    cell.store(collide<with_force, with_eddies>(cell.load(), coefficients));
  }
};

/// Calls launch(update) with the LbmUpdate for the grid and the collision.
template <class Index, class T, class Launch>
void with_update(const LbmGrid& grid, T* f, int parity, const LbmCollision<T>& collision,
                 const Launch& launch) {
  with_collision(collision, [&](auto with_force, auto with_eddies) {
    launch(LbmUpdate<decltype(with_force)::value, decltype(with_eddies)::value, T, Index>{
        lbm_places<Index>(grid, f, parity), lbm_coefficients(collision)});
  });
}

/// The same for a device, where 32-bit offsets take half the registers and fewer instructions.
template <class T, class Launch>
void with_device_update(const LbmGrid& grid, T* f, int parity, const LbmCollision<T>& collision,
                        const Launch& launch) {
  if (fits_32_bits(grid.layout))
    with_update<std::uint32_t>(grid, f, parity, collision, launch);
  else
    with_update<std::ptrdiff_t>(grid, f, parity, collision, launch);
}

}  // namespace bellwether
