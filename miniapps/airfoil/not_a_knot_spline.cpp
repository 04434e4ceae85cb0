// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/not_a_knot_spline.hpp"

#include <algorithm>
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

}  // namespace bellwether
