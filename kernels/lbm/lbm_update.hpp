// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/launch/tiling.hpp"
#include "kernels/lbm/lbm_body.hpp"
#include "kernels/lbm/lbm_places.hpp"

namespace bellwether {

/// The step of one cell, in place.
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

/// The step of neighbouring cells of a row whose values fill 16 bytes: what a device's work item
/// does. Those at the row's end of which a box has only some are done one by one, and those beside
/// a solid cell.
template <bool with_force, bool with_eddies, class T, class Index>
struct LbmVectorUpdate {
  static constexpr int cells = LbmLanes<T>::size;
  LbmUpdate<with_force, with_eddies, T, Index> one;

  BELLWETHER_HOST_DEVICE void operator()(const launch::Tiling::Part& part) const {
    const int i = part.i, j = part.j, k = part.begin;
    if (i < part.low_x || cells > part.high_x - i || any_is_solid(i, j, k)) {
      for (int lane = 0; lane < cells; ++lane)
        if (i + lane >= part.low_x && i + lane < part.high_x) one(i + lane, j, k);
      return;
    }
    const auto places = one.places.vector(i, j, k);
    LbmCell<LbmLanes<T>> vector = places.load();
    for (int lane = 0; lane < cells; ++lane)
      put(vector, lane, collide<with_force, with_eddies>(lane_of(vector, lane), one.coefficients));
    places.store(vector);
  }

 private:
  BELLWETHER_HOST_DEVICE bool any_is_solid(int i, int j, int k) const {
    if (one.places.solid == nullptr) return false;
    bool any = false;
    for (int lane = 0; lane < cells; ++lane)
      any = one.places.cell(i + lane, j, k).is_solid() || any;
    return any;
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

/// The same for a device, with an LbmVectorUpdate; 32-bit offsets take half the registers and fewer
/// instructions.
template <class T, class Launch>
void with_device_update(const LbmGrid& grid, T* f, int parity, const LbmCollision<T>& collision,
                        const Launch& launch) {
  const auto launch_vectors = [&]<bool with_force, bool with_eddies, class Index>(
                                  const LbmUpdate<with_force, with_eddies, T, Index>& update) {
    launch(LbmVectorUpdate<with_force, with_eddies, T, Index>{update});
  };
  if (fits_32_bits(grid.layout))
    with_update<std::uint32_t>(grid, f, parity, collision, launch_vectors);
  else
    with_update<std::ptrdiff_t>(grid, f, parity, collision, launch_vectors);
}

}  // namespace bellwether
