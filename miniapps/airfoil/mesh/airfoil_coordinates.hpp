// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/airfoil/airfoil_mesh.hpp"

namespace bellwether {

/// The cubic spline through at least four points, x ascending, whose third derivative is continuous
/// at the second and the last but one ("not a knot"); the outermost cubics go on.
class NotAKnotSpline {
 public:
  NotAKnotSpline(std::vector<double> x, std::vector<double> y);
  [[nodiscard]] double operator()(double x) const;

 private:
  std::vector<double> x_, y_;
  std::vector<double> curvature_;  ///< the second derivative at each point
};

/// Where the nodes of a C-mesh round a NACA0012 profile of chord 1 are: a grid linear above the
/// profile in the plane of a complex square root, squared; it reaches about 9 chords away.
class AirfoilCoordinates {
 public:
  explicit AirfoilCoordinates(const AirfoilMesh& mesh);
  /// x and y of node i + (3 I + 1) j, rounded to 6 decimals as the reference's file holds them.
  [[nodiscard]] std::array<double, 2> node(std::int64_t node) const;

 private:
  AirfoilMesh mesh_;
  std::vector<double> floor_;  ///< eta of row 0, for each of the 3 I + 1 columns of nodes
};

}  // namespace bellwether
