// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

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

}  // namespace bellwether
