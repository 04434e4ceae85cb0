// SPDX-License-Identifier: MIT
#include "miniapps/lbm/taylor_green.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bellwether {

TaylorGreen::TaylorGreen(std::array<int, 3> cells) {
  constexpr int longest_wave = 64, fewest_cells = 4;
  int found = 0;
  for (const int direction : {2, 1, 0}) {
    const int n = cells[direction];
    if (found == 2 || n < fewest_cells) continue;
    const int waves = (n + longest_wave - 1) / longest_wave;
    plane_[found] = direction;
    k_[found++] = 2 * std::numbers::pi * waves / n;
  }
  if (found == 1) plane_[1] = (plane_[0] + 1) % 3;
}

std::array<double, 3> TaylorGreen::wave_vector() const {
  std::array<double, 3> vector{};
  for (int n = 0; n < 2; ++n) vector[plane_[n]] = k_[n];
  return vector;
}

/// No node of the flow on a cell; where there is no wave, its sine is 1.
double TaylorGreen::phase(int n, double cell) const {
  return k_[n] > 0 ? 0.3 + 0.2 * plane_[n] + k_[n] * cell : std::numbers::pi / 2;
}

double TaylorGreen::factor(int component, int direction, double cell, double moved) const {
  const double largest = std::max(k_[0], k_[1]);
  if (largest == 0) return 0;
  for (int n = 0; n < 2; ++n) {
    if (component != plane_[n]) continue;
    const double size = (n == 0 ? k_[1] : -k_[0]) / largest;
    if (direction == plane_[n]) return size * std::sin(phase(n, cell - moved));
    return direction == plane_[1 - n] ? std::cos(phase(1 - n, cell - moved)) : 1;
  }
  return 0;
}

double TaylorGreen::pressure(int direction, double cell) const {
  const double largest = std::max(k_[0], k_[1]);
  for (int n = 0; n < 2; ++n) {
    if (direction != plane_[n] || k_[n] == 0) continue;
    const double other = k_[1 - n] / largest;
    return other * other / 4 * std::cos(2 * phase(n, cell));
  }
  return 0;
}

}  // namespace bellwether
