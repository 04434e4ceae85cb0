// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/launch/host_device.hpp"

namespace bellwether {

/// The D3Q19 lattice: the rest velocity and nine pairs of opposite ones. Population 0 rests; pair p
/// (0 to 8) is population 2 p + 1 with velocity +c and 2 p + 2 with -c. c is the one of the two
/// whose first component that is not 0 is positive, so that only x + 1 is ever a neighbour along x.
namespace d3q19 {

inline constexpr int populations = 19;
inline constexpr int pairs = 9;
/// c of a pair, in cells per step: three along the axes, then six along diagonals of the planes.
inline constexpr int velocity[pairs][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0}, {1, -1, 0},
                                           {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}};
inline constexpr double rest_weight = 1.0 / 3;
inline constexpr double axis_weight = 1.0 / 18;
inline constexpr double diagonal_weight = 1.0 / 36;
/// Of each of a pair's two populations.
BELLWETHER_HOST_DEVICE constexpr double weight(int pair) {
  return pair < 3 ? axis_weight : diagonal_weight;
}
inline constexpr double sound_speed_squared = 1.0 / 3;

}  // namespace d3q19
}  // namespace bellwether
