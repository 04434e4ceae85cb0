// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/launch/box_test.hpp"
#include "kernels/lbm/lbm.hpp"
#include "kernels/lbm/lbm_reference_test.hpp"

namespace bellwether {

/// A storage whose rows are dense where they may be.
inline RowGhosts row_ghosts(bool wraps) { return wraps ? RowGhosts::none : RowGhosts::both; }

/// The two ends of a pair at a cell: where it finds what moves with +c and what moves with -c, in
/// elements from the storage's start, as lbm.hpp says.
struct PairPlaces {
  std::size_t plus, minus;
};
inline std::array<int, 3> neighbour_of(const LbmGrid& grid, std::array<int, 3> cell, int pair) {
  const auto& n = grid.layout.cells();
  for (int d = 0; d < 3; ++d) {
    cell[d] += d3q19::velocity[pair][d];
    if (grid.wraps[d]) cell[d] = (cell[d] + n[d]) % n[d];
  }
  return cell;
}
inline std::size_t place(const LbmGrid& grid, int slot, const std::array<int, 3>& cell) {
  return static_cast<std::size_t>(slot) * grid.layout.slot_pitch() +
         static_cast<std::size_t>(grid.layout.field().at(cell[0], cell[1], cell[2]));
}
inline PairPlaces places_of(const LbmGrid& grid, const std::array<int, 3>& cell, int pair,
                            int parity) {
  return {place(grid, own_slot(pair, parity), cell),
          place(grid, other_slot(pair, parity), neighbour_of(grid, cell, pair))};
}
/// Indices of the pair's velocities in the reference's table.
inline PairPlaces velocities_of(int pair) {
  const auto& c = d3q19::velocity[pair];
  return {reference::index_of(c[0], c[1], c[2]), reference::index_of(-c[0], -c[1], -c[2])};
}

/// What reaches a cell in the next step, as full populations.
template <class T>
reference::Populations incoming(const LbmGrid& grid, const std::vector<T>& f,
                                const std::array<int, 3>& cell, int parity) {
  reference::Populations result{};
  result[0] = reference::velocities[0].weight + static_cast<double>(f[place(grid, 0, cell)]);
  for (int pair = 0; pair < d3q19::pairs; ++pair) {
    const PairPlaces at = places_of(grid, cell, pair, parity), i = velocities_of(pair);
    result[i.plus] = reference::velocities[i.plus].weight + static_cast<double>(f[at.plus]);
    result[i.minus] = reference::velocities[i.minus].weight + static_cast<double>(f[at.minus]);
  }
  return result;
}
/// What a cell sent out in a step of this parity: each population where its opposite was found.
template <class T>
reference::Populations outgoing(const LbmGrid& grid, const std::vector<T>& f,
                                const std::array<int, 3>& cell, int parity) {
  reference::Populations reached = incoming(grid, f, cell, parity), result{};
  for (std::size_t i = 0; i < 19; ++i) result[i] = reached[reference::opposite(i)];
  return result;
}
/// Calls visit with all 19 places of a cell.
template <class Visit>
void visit_places(const LbmGrid& grid, const std::array<int, 3>& cell, int parity,
                  const Visit& visit) {
  visit(place(grid, 0, cell));
  for (int pair = 0; pair < d3q19::pairs; ++pair) {
    const PairPlaces at = places_of(grid, cell, pair, parity);
    visit(at.plus);
    visit(at.minus);
  }
}

/// A storage with NaN wherever no cell of the interior has a place.
template <class T>
std::vector<T> poisoned(const LbmLayout& layout) {
  return std::vector<T>(layout.elements(), std::numeric_limits<T>::quiet_NaN());
}
/// Largest deviation of random_state() from the rest state.
inline constexpr double random_deviation = 0.01;
template <class T>
std::vector<T> random_state(const LbmGrid& grid, int parity, Random& random) {
  auto f = poisoned<T>(grid.layout);
  visit_cells(grid.layout.field().interior(), [&](int i, int j, int k) {
    visit_places(grid, {i, j, k}, parity,
                 [&](std::size_t at) { f[at] = random.value<T>() * T(random_deviation); });
  });
  return f;
}

/// How far one collision in T may be from the same in double precision: 20 or so roundings of sums
/// of 19 deviations below 0.01 in the kernel, of populations below 1/3 in the reference.
template <class T>
double collision_bound() {
  return 20 * 0.5 * 19 * random_deviation * static_cast<double>(std::numeric_limits<T>::epsilon()) +
         20 * 0.5 * std::numeric_limits<double>::epsilon();
}

/// Collisions with nothing, a force, Smagorinsky's model, and both.
template <class T>
std::array<LbmCollision<T>, 4> collisions() {
  const std::array<T, 3> force{T(0.003), T(-0.002), T(0.005)};
  return {{{T(0.8), {}, 0}, {T(0.7), force, 0}, {T(0.55), {}, T(0.17)}, {T(0.6), force, T(0.2)}}};
}
template <class T>
reference::Fluid fluid_of(const LbmCollision<T>& collision) {
  const auto& f = collision.force;
  return {static_cast<double>(collision.tau),
          {static_cast<double>(f[0]), static_cast<double>(f[1]), static_cast<double>(f[2])},
          static_cast<double>(collision.smagorinsky)};
}

}  // namespace bellwether
