// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_coordinates.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "miniapps/airfoil/not_a_knot_spline.hpp"

namespace bellwether {
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
