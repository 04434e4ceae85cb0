// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "models/machine.hpp"

namespace bellwether {

/// t(s) = latency_s + s seconds_per_byte, fitted to samples; `squares` is the sum of the squared
/// relative residuals.
struct FittedLine {
  double latency_s = 0;
  double seconds_per_byte = 0;
  double squares = 0;

  [[nodiscard]] double operator()(double bytes) const {
    return latency_s + bytes * seconds_per_byte;
  }
  /// Finite, as fit_link says; `largest` is the largest size the line was fitted to.
  [[nodiscard]] double bandwidth(double largest) const;
};

/// The exact least-squares line in relative error with both parameters >= 0. The best pair either
/// is the unconstrained one or has a parameter at zero. One size alone gives zero latency.
FittedLine fit_line(std::span<const LinkSample> samples);

/// Largest |line(s) / t - 1|.
double largest_residual(const FittedLine& line, std::span<const LinkSample> samples);

}  // namespace bellwether
