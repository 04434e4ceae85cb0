// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace bellwether {

/// How much the logarithm of a quantity changes from baseline to baseline.
struct Deviation {
  double deviation = 0;  ///< standard deviation
  double freedom = 0;    ///< degrees of freedom; 0: not known
};

/// What a next value of each of similar quantities is held against, from the few values that each
/// has: its own variance, weighed by its degrees of freedom, with the mean variance of the others,
/// weighed as 4 (fewer where the others have fewer). Own values alone, two degrees of freedom of
/// three baselines, would find next to nothing; the others at their full weight would give false
/// alarms at four times the stated rate where variances differ by tens.
std::vector<Deviation> moderated(const std::vector<Deviation>& own);

}  // namespace bellwether
