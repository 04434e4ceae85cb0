// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

/// One message size and the seconds of its repeats, in any order.
struct RepeatedSample {
  double bytes;
  std::vector<double> seconds;
};

/// Fits a link to a sweep of message sizes. Samples are the medians of the repeats.
/// - Paper form (Shimokawabe, Eq. 5): t0, 1/B0 >= 0 by least squares in relative error, with 95 %
///   intervals from the percentiles of 200 fits to resampled repeats (fixed seed).
/// - Refined form: segments of at least three sizes each, fitted in the same way (but that all
/// after
///   the first may have a burst, of at most half their smallest message), with breakpoints
///   at sample sizes by dynamic programming; their number m minimizes the Bayesian information
///   criterion n ln(S/n + 0.01^2) + (3 m - 1) ln n, S the sum of squared relative residuals;
///   residuals below 1 % count as noise, so that no segment is spent on them. The intervals are
///   those of the same resampled repeats at the breakpoints found, whose own uncertainty they leave
///   out.
/// A bandwidth stays finite: where time does not grow with size, it is such that the largest
/// message spends a millionth of its time on it. One size alone gives zero latency. Throws BadInput
/// without samples, with sizes that are negative or not ascending, or with times that are missing
/// or not positive and finite.
LinkTiming fit_link(const std::vector<RepeatedSample>& measured);

}  // namespace bellwether
