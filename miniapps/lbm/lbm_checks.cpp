// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bellwether {
namespace {

/// How far the sum over one cell's populations can drift by rounding, in so many steps. A step
/// computes each of 19 values with at most 8 roundings, of terms that together are not larger than
/// 2 (|u| + |rho - 1|) and the same again for half a dozen products; the sum itself is taken once
/// more at the end. Pressure varies by less than |u|: c_s |u| in a sound wave. Sums over a million
/// rows in double precision lose what a random walk of so many roundings does.
double rounding_bound(const GlobalLbmSums& start, const GlobalLbmSums& now, long steps,
                      double unit) {
  const double size = 2 * std::max(start.largest_speed, now.largest_speed);
  const double taken = static_cast<double>(steps) + 1;
  constexpr double double_sums = 1e-13;
  return (16 * unit * taken + double_sums) * (size + 1e-6);
}

/// NaN fails.
Verification judged(const char* what, double value, double tolerance) {
  return {value <= tolerance, what, value, tolerance};
}

}  // namespace

Verification finite_values(const GlobalLbmSums& now, long step) {
  if (now.rank < 0) return {true, "finite values", 0, 0};
  return {false,
          fmt::format("values not finite: step {}, rank {}, cell ({}, {}, {})", step, now.rank,
                      now.cell[0], now.cell[1], now.cell[2]),
          now.not_finite, 0};
}

Verification mass_balance(const GlobalLbmSums& start, const GlobalLbmSums& now, long steps,
                          double unit) {
  const double change = std::abs(now.excess_mass - start.excess_mass) / now.cells;
  return judged("mass", change, rounding_bound(start, now, steps, unit));
}

Verification momentum_balance(const GlobalLbmSums& before, const GlobalLbmSums& after, long steps,
                              const std::array<double, 3>& gained, double unit) {
  std::array<double, 3> miss{};
  for (int d = 0; d < 3; ++d)
    miss[d] = (after.momentum[d] - before.momentum[d] - gained[d]) / after.cells;
  return judged("momentum", std::hypot(miss[0], miss[1], miss[2]),
                rounding_bound(before, after, steps, unit));
}

MeasuredViscosity viscosity_of(double amplitude, double linear_amplitude,
                               double wave_number_squared, long steps) {
  const double scale = wave_number_squared * static_cast<double>(steps);
  return {-std::log(amplitude) / scale, -std::log(linear_amplitude) / scale};
}

Verification viscosity_check(const MeasuredViscosity& viscosity, double nominal, double mach,
                             double wave_number_squared, long steps, double unit) {
  const auto taken = static_cast<double>(steps);
  const double error = std::abs(viscosity.measured - viscosity.linear) / nominal;
  const double rounding = 16 * unit * (taken + 1) / (wave_number_squared * taken);
  const double compressible = mach * mach * (nominal + 1 / (2 * taken));
  return judged("viscosity", error, (compressible + rounding) / nominal);
}

Verification worst_of(const std::vector<Verification>& all) {
  const auto nearer = [](const Verification& a, const Verification& b) {
    if (a.passed != b.passed) return b.passed;
    return a.value * b.tolerance > b.value * a.tolerance;
  };
  Verification worst = all.front();
  for (const Verification& one : all)
    if (nearer(one, worst)) worst = one;
  return worst;
}

}  // namespace bellwether
