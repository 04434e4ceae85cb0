// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace bellwether {

/// How much the logarithm of a quantity changes from baseline to baseline.
struct Deviation {
  double deviation = 0;  ///< standard deviation
  double freedom = 0;    ///< degrees of freedom; 0: not known
};

/// Of quantities that are alike but need not spread alike, each with its own deviation of few
/// values: what a next value of each is to be held against. Variances are taken for draws from a
/// scaled inverse chi-squared distribution, whose scale and degrees of freedom the pool tells, and
/// each is weighed with its own (Smyth, Linear Models and Empirical Bayes Methods, 2004, sections 3
/// and 6.2; of their degrees of freedom the near end of the estimate's standard error). Where they
/// spread alike, and of fewer than five, it is the pool's for all.
std::vector<Deviation> moderated(const std::vector<Deviation>& own);

}  // namespace bellwether
