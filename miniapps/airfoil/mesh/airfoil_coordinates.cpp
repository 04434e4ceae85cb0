// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/mesh/airfoil_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

namespace bellwether {

// With h_k the k-th interval and M the second derivatives, the first derivative is continuous where
//   h_{k-1} M_{k-1} + 2 (h_{k-1} + h_k) M_k + h_k M_{k+1} = 6 (slope_k - slope_{k-1}),
// and the third at the second point where (M_1 - M_0) / h_0 = (M_2 - M_1) / h_1, which takes M_0
// out of the first of these equations; likewise at the other end.
NotAKnotSpline::NotAKnotSpline(std::vector<double> x, std::vector<double> y)
    : x_(std::move(x)), y_(std::move(y)), curvature_(x_.size()) {
  const std::size_t last = x_.size() - 1;
  const auto width = [this](std::size_t k) { return x_[k + 1] - x_[k]; };
  const auto slope = [&](std::size_t k) { return (y_[k + 1] - y_[k]) / width(k); };
  const double first_ratio = width(0) / width(1);
  const double last_ratio = width(last - 1) / width(last - 2);

  // Elimination from low to high: M_k = rest[k] - factor[k] M_{k+1}.
  std::vector<double> factor(last), rest(last);
  for (std::size_t k = 1; k < last; ++k) {
    double low = width(k - 1), middle = 2 * (width(k - 1) + width(k)), high = width(k);
    if (k == 1) {
      middle += low * (1 + first_ratio);
      high -= low * first_ratio;
      low = 0;
    }
    if (k == last - 1) {
      middle += width(k) * (1 + last_ratio);
      low -= width(k) * last_ratio;
      high = 0;
    }
    const double pivot = middle - low * factor[k - 1];
    factor[k] = high / pivot;
    rest[k] = (6 * (slope(k) - slope(k - 1)) - low * rest[k - 1]) / pivot;
  }
  for (std::size_t k = last - 1; k >= 1; --k)
    curvature_[k] = rest[k] - factor[k] * curvature_[k + 1];
  curvature_[0] = curvature_[1] - first_ratio * (curvature_[2] - curvature_[1]);
  curvature_[last] =
      curvature_[last - 1] + last_ratio * (curvature_[last - 1] - curvature_[last - 2]);
}

double NotAKnotSpline::operator()(double x) const {
  const auto inner_end = x_.end() - 1;
  const auto above = std::upper_bound(x_.begin() + 1, inner_end, x);
  const auto k = static_cast<std::size_t>(above - x_.begin()) - 1;
  const double h = x_[k + 1] - x_[k], t = x - x_[k];
  const double slope = (y_[k + 1] - y_[k]) / h - h * (2 * curvature_[k] + curvature_[k + 1]) / 6;
  return y_[k] +
         t * (slope + t * (curvature_[k] / 2 + t * (curvature_[k + 1] - curvature_[k]) / (6 * h)));
}

namespace {

constexpr double half_width = 3, height = 3;  // of the grid in the mapped plane

/// Half of NACA0012's thickness, scaled so that the profile closes at x = 1.
double half_thickness(double x) {
  return 0.594689181 * (0.298222773 * std::sqrt(x) - 0.127125232 * x - 0.357907906 * x * x +
                        0.291984971 * x * x * x - 0.105174696 * x * x * x * x);
}

/// The profile in the mapped plane: eta over xi.
NotAKnotSpline mapped_profile() {
  constexpr int points = 100;
  constexpr double focus = 0.0077;
  std::vector<double> xi, eta;
  for (int k = 0; k < points; ++k) {
    const double s = std::sin(std::numbers::pi / 2 * k / (points - 1));
    const double x = s * s, y = k == points - 1 ? 0.0 : half_thickness(x);
    const std::complex<double> mapped = std::sqrt(std::complex<double>(x - focus, y));
    xi.push_back(mapped.real());
    eta.push_back(mapped.imag());
  }
  // The lower side is the mirror image, from the trailing edge to the nose, which is there once.
  std::vector<double> both_xi, both_eta;
  for (int k = points - 1; k > 0; --k) {
    both_xi.push_back(-xi[k]);
    both_eta.push_back(eta[k]);
  }
  both_xi.insert(both_xi.end(), xi.begin(), xi.end());
  both_eta.insert(both_eta.end(), eta.begin(), eta.end());
  return {both_xi, both_eta};
}

/// -3 to 3 over 3 I + 1 columns. Symmetric to the bit, so that both sides of the wake meet.
double xi_of(const AirfoilMesh& mesh, std::int64_t column) {
  return static_cast<double>(2 * column - mesh.columns()) * half_width /
         static_cast<double>(mesh.columns());
}

double rounded(double value) { return std::nearbyint(value * 1e6) / 1e6; }

}  // namespace

AirfoilCoordinates::AirfoilCoordinates(const AirfoilMesh& mesh)
    : mesh_(mesh), floor_(static_cast<std::size_t>(mesh.columns() + 1)) {
  const NotAKnotSpline profile = mapped_profile();
  for (std::int64_t column = mesh.block_columns + 1; column < 2 * mesh.block_columns; ++column)
    floor_[column] = profile(xi_of(mesh, column));
}

std::array<double, 2> AirfoilCoordinates::node(std::int64_t node) const {
  const std::int64_t columns = mesh_.columns() + 1;
  const std::int64_t column = node % columns, row = node / columns;
  const double low = floor_[column];
  const double eta = row == mesh_.rows ? height
                                       : low + static_cast<double>(row) * (height - low) /
                                                   static_cast<double>(mesh_.rows);
  const std::complex<double> mapped(xi_of(mesh_, column), eta);
  const std::complex<double> z = mapped * mapped;
  return {rounded(z.real()), rounded(z.imag())};
}

}  // namespace bellwether
