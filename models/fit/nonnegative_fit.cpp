// SPDX-License-Identifier: MIT
#include "models/fit/nonnegative_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "models/errors.hpp"

namespace bellwether {
namespace {

using Vector = std::array<double, most_coefficients>;
using Matrix = std::array<Vector, most_coefficients>;

/// The normal equations of the rows divided by their times, columns scaled to length 1.
struct Normal {
  Matrix gram{};
  Vector right{};
  Vector length{};
};

Normal normal_equations(std::span<const FitRow> rows, int count) {
  Normal normal;
  for (const FitRow& row : rows)
    for (int k = 0; k < count; ++k)
      normal.length[k] = std::hypot(normal.length[k], row.factors[k] / row.seconds);
  for (const FitRow& row : rows) {
    Vector scaled{};
    for (int k = 0; k < count; ++k)
      if (normal.length[k] > 0) scaled[k] = row.factors[k] / row.seconds / normal.length[k];
    for (int k = 0; k < count; ++k) {
      normal.right[k] += scaled[k];
      for (int l = 0; l < count; ++l) normal.gram[k][l] += scaled[k] * scaled[l];
    }
  }
  return normal;
}

/// Inverse of the Gram matrix of the chosen columns by Gauss-Jordan, which needs no pivoting for a
/// positive definite one; zero elsewhere. Absent if the columns are dependent to about 1 in 10^5.
std::optional<Matrix> inverse(const Matrix& gram, unsigned chosen, int count) {
  constexpr double least_pivot = 1e-10;  // the squared sine between a column and those before it
  Matrix left = gram;
  Matrix right{};
  for (int k = 0; k < count; ++k) right[k][k] = (chosen >> k) & 1;
  for (int k = 0; k < count; ++k) {
    if (!((chosen >> k) & 1)) continue;
    const double pivot = left[k][k];
    if (!(pivot > least_pivot)) return {};
    for (int l = 0; l < count; ++l) {
      left[k][l] /= pivot;
      right[k][l] /= pivot;
    }
    for (int row = 0; row < count; ++row) {
      if (row == k || !((chosen >> row) & 1)) continue;
      const double factor = left[row][k];
      for (int l = 0; l < count; ++l) {
        left[row][l] -= factor * left[k][l];
        right[row][l] -= factor * right[k][l];
      }
    }
  }
  return right;
}

void check_rows(std::span<const FitRow> rows, const std::vector<std::string>& names,
                const std::string& what) {
  if (rows.size() <= names.size())
    throw BadInput(fmt::format("{}: found {} measured times, expected at least {} to fit {}", what,
                               rows.size(), names.size() + 1, fmt::join(names, ", ")));
  for (const FitRow& row : rows) {
    if (!(row.seconds > 0) || !std::isfinite(row.seconds))
      throw BadInput(fmt::format("{}: found a time of {} s, expected a finite one above 0", what,
                                 row.seconds));
    for (const double factor : row.factors)
      if (!(factor >= 0) || !std::isfinite(factor))
        throw BadInput(fmt::format("{}: found {} for work or starts, expected a finite number >= 0",
                                   what, factor));
  }
}

double residual(const FitRow& row, const Vector& coefficients) {
  double sum = 0;
  for (int k = 0; k < most_coefficients; ++k) sum += coefficients[k] * row.factors[k];
  return sum / row.seconds - 1;
}

/// By the rows' leverages, which spare fitting again without each of them.
double left_out_residual(std::span<const FitRow> rows, const Vector& coefficients,
                         const Matrix& inverted, const Normal& normal) {
  double squares = 0;
  for (const FitRow& row : rows) {
    Vector scaled{};
    for (int k = 0; k < most_coefficients; ++k)
      if (normal.length[k] > 0) scaled[k] = row.factors[k] / row.seconds / normal.length[k];
    double leverage = 0;
    for (int k = 0; k < most_coefficients; ++k)
      for (int l = 0; l < most_coefficients; ++l)
        leverage += scaled[k] * inverted[k][l] * scaled[l];
    const double missed = leverage < 1 - 1e-9 ? residual(row, coefficients) / (1 - leverage)
                                              : std::numeric_limits<double>::infinity();
    squares += missed * missed;
  }
  return std::sqrt(squares / static_cast<double>(rows.size()));
}

double sum_of_squares(std::span<const FitRow> rows, const Vector& coefficients) {
  double squares = 0;
  for (const FitRow& row : rows)
    squares += residual(row, coefficients) * residual(row, coefficients);
  return squares;
}

}  // namespace

double NonnegativeFit::seconds(const FitRow& row) const {
  double sum = 0;
  for (int k = 0; k < most_coefficients; ++k) sum += coefficients[k].value * row.factors[k];
  return sum;
}

double NonnegativeFit::half_width(const std::array<double, most_coefficients>& gradient) const {
  double square = 0;
  for (int k = 0; k < most_coefficients; ++k)
    for (int l = 0; l < most_coefficients; ++l) square += gradient[k] * spread[k][l] * gradient[l];
  return std::sqrt(std::max(0.0, square));
}

std::optional<NonnegativeFit> solve_nonnegative(std::span<const FitRow> rows, int count) {
  const unsigned all = (1U << count) - 1;
  const Normal normal = normal_equations(rows, count);
  const std::optional<Matrix> covariance = inverse(normal.gram, all, count);
  if (!covariance) return {};
  Vector best{};
  Matrix best_inverse{};
  double least = std::numeric_limits<double>::infinity();
  for (unsigned chosen = 1; chosen <= all; ++chosen) {
    const std::optional<Matrix> inverted = inverse(normal.gram, chosen, count);
    if (!inverted) continue;
    Vector candidate{};
    bool nonnegative = true;
    for (int k = 0; k < count; ++k) {
      for (int l = 0; l < count; ++l) candidate[k] += (*inverted)[k][l] * normal.right[l];
      candidate[k] = normal.length[k] > 0 ? candidate[k] / normal.length[k] : 0;
      nonnegative &= candidate[k] >= 0;
    }
    if (!nonnegative) continue;
    const double squares = sum_of_squares(rows, candidate);
    if (squares >= least) continue;
    least = squares;
    best = candidate;
    best_inverse = *inverted;
  }
  const int freedom = static_cast<int>(rows.size()) - count;
  NonnegativeFit fit;
  fit.rms_residual = std::sqrt(least / freedom);
  for (const FitRow& row : rows)
    fit.largest_residual = std::max(fit.largest_residual, std::abs(residual(row, best)));
  fit.left_out_residual = left_out_residual(rows, best, best_inverse, normal);
  fit.scatter = boost::math::quantile(boost::math::students_t(freedom), 0.975) * fit.rms_residual;
  for (int k = 0; k < count; ++k)
    for (int l = 0; l < count; ++l)
      fit.spread[k][l] =
          fit.scatter * fit.scatter * (*covariance)[k][l] / normal.length[k] / normal.length[l];
  for (int k = 0; k < count; ++k) {
    const double half = std::sqrt(fit.spread[k][k]);
    fit.coefficients[k] = {best[k], std::max(0.0, best[k] - half), best[k] + half, {}};
  }
  return fit;
}

NonnegativeFit fit_nonnegative(std::span<const FitRow> rows, const std::vector<std::string>& names,
                               const std::string& what) {
  check_rows(rows, names, what);
  const std::optional<NonnegativeFit> fit = solve_nonnegative(rows, static_cast<int>(names.size()));
  if (!fit)
    throw BadInput(
        fmt::format("{}: these sizes and rank counts cannot tell {} apart; measure more "
                    "of them",
                    what, fmt::join(names, ", ")));
  return *fit;
}

}  // namespace bellwether
