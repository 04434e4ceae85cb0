// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/airfoil/airfoil_mesh.hpp"

namespace bellwether {

/// The cubic spline through the points (x, y) whose third derivative is continuous at the second
/// and the last but one ("not a knot"); beyond the ends the outermost cubics go on. At least four
/// points, x ascending.
class NotAKnotSpline {
 public:
  NotAKnotSpline(std::vector<double> x, std::vector<double> y);
  [[nodiscard]] double operator()(double x) const;

 private:
  std::vector<double> x_, y_;
  std::vector<double> curvature_;  ///< the second derivative at each point
};

/// Where the nodes of a C-mesh round a NACA0012 profile are. The profile, mapped by a complex
/// square root about a point within its nose (0.0077 behind its tip), is nearly flat: a grid that
/// is linear above it there, squared, wraps round it. Chord 1; the grid reaches from -3 to 3 and up
/// to 3 in the mapped plane, which is about 9 chords away.
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
