// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "models/machine/machine.hpp"

namespace bellwether {

/// t(s) = intercept_s + s seconds_per_byte, fitted to samples; `squares` is the sum of the squared
/// relative residuals.
struct FittedLine {
  double intercept_s = 0;
  double seconds_per_byte = 0;
  double squares = 0;

  [[nodiscard]] double operator()(double bytes) const {
    return intercept_s + bytes * seconds_per_byte;
  }
  /// The intercept as a machine knows it: a latency, or bytes ahead of the bandwidth.
  [[nodiscard]] double latency_s() const { return intercept_s > 0 ? intercept_s : 0; }
  [[nodiscard]] double burst_bytes() const {
    return intercept_s < 0 ? -intercept_s / seconds_per_byte : 0;
  }
  /// Finite, as fit_link says; `largest` is the largest size the line was fitted to.
  [[nodiscard]] double bandwidth(double largest) const;
};

/// What an intercept may be: a latency, or a burst of at most half the smallest message as well.
enum class Intercept { latency, burst };

/// The exact least-squares line in relative error whose slope is >= 0 and whose intercept is what
/// it may be. The best pair either is the unconstrained one or lies on an edge of what is allowed.
/// One size alone gives zero latency.
FittedLine fit_line(std::span<const LinkSample> samples, Intercept intercept = Intercept::latency);

/// Largest |line(s) / t - 1|.
double largest_residual(const FittedLine& line, std::span<const LinkSample> samples);

}  // namespace bellwether
