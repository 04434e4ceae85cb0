// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/machine/quantity.hpp"

namespace bellwether {

inline constexpr int most_coefficients = 5;

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
  /// Root of the mean square of what each row is missed by, relative to its time, when it is not
  /// fitted; infinite where a row alone fixes a coefficient. Which ones are zero stays.
  double left_out_residual = 0;
  /// Half of the 95 % interval of one more time about what is fitted, relative to it: Student's
  /// quantile times rms_residual.
  double scatter = 0;
  /// Of the coefficients, none of them held, times the square of Student's 97.5 % quantile: what
  /// half_width needs.
  std::array<std::array<double, most_coefficients>, most_coefficients> spread{};

  [[nodiscard]] double seconds(const FitRow& row) const;
  /// Half of the 95 % interval of what has this gradient in the coefficients.
  [[nodiscard]] double half_width(const std::array<double, most_coefficients>& gradient) const;
};

/// Least squares in relative error, sum over rows of (sum_k c_k f_k / t - 1)^2, with every c_k >=
/// 0: the best over all choices of coefficients held at zero, which is exact, and fast for so few.
/// Intervals are Student's, from the scatter of the residuals. `names` are the coefficients', one
/// to five; `what` is said in messages. Throws BadInput for no more rows than coefficients, times
/// that are not positive and finite, factors that are negative or not finite, and where the rows
/// cannot tell the coefficients apart.
NonnegativeFit fit_nonnegative(std::span<const FitRow> rows, const std::vector<std::string>& names,
                               const std::string& what);

/// The same of the first `count` coefficients and rows that are known to be good, more of them than
/// coefficients; nothing where they cannot tell the coefficients apart.
std::optional<NonnegativeFit> solve_nonnegative(std::span<const FitRow> rows, int count);

}  // namespace bellwether
