// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "models/machine/quantity.hpp"

namespace bellwether {

inline constexpr int most_coefficients = 3;

/// One measured time and what each coefficient is multiplied with in it.
struct FitRow {
  std::array<double, most_coefficients> factors{};
  double seconds = 0;
};

/// Coefficients >= 0 with 95 % intervals (low >= 0), and how far the fit misses, relative to the
/// measured times.
struct NonnegativeFit {
  std::array<Quantity, most_coefficients> coefficients;
  double rms_residual = 0;  ///< root of the sum of squares over rows - coefficients
  double largest_residual = 0;

  [[nodiscard]] double seconds(const FitRow& row) const;
};

/// Least squares in relative error, sum over rows of (sum_k c_k f_k / t - 1)^2, with every c_k >=
/// 0: the best over all choices of coefficients held at zero, which is exact for up to three.
/// Intervals are Student's, from the scatter of the residuals. `names` are the coefficients', one
/// to three; `what` is said in messages. Throws BadInput for no more rows than coefficients, times
/// that are not positive and finite, factors that are negative or not finite, and where the rows
/// cannot tell the coefficients apart.
NonnegativeFit fit_nonnegative(std::span<const FitRow> rows, const std::vector<std::string>& names,
                               const std::string& what);

}  // namespace bellwether
