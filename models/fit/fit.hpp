// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

/// One measured message: its size in bytes and the time in seconds (median of the repeats).
struct LinkSample {
  double bytes;
  double seconds;
};

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

/// A line and the samples it holds for: those from index `first` to the next segment's.
struct FittedSegment {
  std::size_t first;
  FittedLine line;
};

/// What a segment's intercept may be: what passes ahead of the bandwidth shows in larger messages
/// only.
constexpr Intercept intercept_of_segment(std::size_t first) {
  return first == 0 ? Intercept::latency : Intercept::burst;
}

/// The refined form of fit_link: the segmentation with the least information criterion.
std::vector<FittedSegment> fit_segments(std::span<const LinkSample> samples);

/// One message size and the seconds of its repeats, in any order.
struct RepeatedSample {
  double bytes;
  std::vector<double> seconds;
};

/// Fits a link to a sweep of message sizes. Samples are the medians of the repeats.
/// - Paper form (Shimokawabe, Eq. 5): t0, 1/B0 >= 0 by least squares in relative error, with 95 %
///   intervals from the percentiles of 200 fits to resampled repeats (fixed seed).
/// - Refined form: segments of at least three sizes each, fitted in the same way (but that
///   all after the first may have a burst, of at most half their smallest message), with
///   breakpoints at sample sizes by dynamic programming; their number m minimizes the Bayesian
///   information criterion n ln(S/n + 0.01^2) + (3 m - 1) ln n, S the sum of squared relative
///   residuals; residuals below 1 % count as noise, so that no segment is spent on them. The
///   intervals are those of the same resampled repeats at the breakpoints found, whose own
///   uncertainty they leave out.
/// A bandwidth stays finite: where time does not grow with size, it is such that the largest
/// message spends a millionth of its time on it. One size alone gives zero latency. Throws BadInput
/// without samples, with sizes that are negative or not ascending, or with times that are missing
/// or not positive and finite.
LinkTiming fit_link(const std::vector<RepeatedSample>& measured);

}  // namespace bellwether
