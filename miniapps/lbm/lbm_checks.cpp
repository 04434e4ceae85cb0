// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_checks.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bellwether {
double rounding_bound(double speed, long steps, double unit) {
  constexpr double double_sums = 1e-14;
  return 16 * unit * 2 * speed * (static_cast<double>(steps) + 1) + double_sums;
}

Verification finite_values(const GlobalLbmSums& now, long step) {
  if (now.rank < 0) return {true, "finite values", 0, 0};
  return {false,
          fmt::format("values not finite: step {}, rank {}, cell ({}, {}, {}), the first of {:g}",
                      step, now.rank, now.cell[0], now.cell[1], now.cell[2], now.not_finite),
          now.not_finite, 0};
}

Verification subsonic(double largest_speed) {
  return judged("Mach number", largest_speed / std::sqrt(d3q19::sound_speed_squared), 1);
}

Verification mass_balance(const GlobalLbmSums& start, const GlobalLbmSums& now, double bound) {
  return judged("mass", std::abs(now.excess_mass - start.excess_mass) / now.cells, bound);
}

Verification momentum_balance(const GlobalLbmSums& before, const GlobalLbmSums& after,
                              const std::array<double, 3>& gained, double bound) {
  std::array<double, 3> miss{};
  for (int d = 0; d < 3; ++d)
    miss[d] = (after.momentum[d] - before.momentum[d] - gained[d]) / after.cells;
  return judged("momentum", std::hypot(miss[0], miss[1], miss[2]), bound);
}

}  // namespace bellwether
