// SPDX-License-Identifier: MIT
#include "models/amg/amg_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace bellwether {
namespace {

/// The first of the two points between which `x` lies, or which are nearest; of at least two.
template <class Point>
std::size_t before(const std::vector<Point>& points, double x, double Point::*place) {
  std::size_t first = 0;
  while (first + 2 < points.size() && points[first + 1].*place < x) ++first;
  return first;
}

template <class Point>
double seconds_on(const std::vector<Point>& points, double Point::*seconds, double rows) {
  const double in_proportion = points[0].*seconds * rows / points[0].rows;
  if (points.size() == 1) return in_proportion;
  const std::size_t first = before(points, rows, &Point::rows);
  const Point &low = points[first], &high = points[first + 1];
  const double line =
      low.*seconds + (high.*seconds - low.*seconds) * (rows - low.rows) / (high.rows - low.rows);
  return rows < low.rows ? std::max(line, in_proportion) : line;
}

}  // namespace

double amg_operator_bytes(double rows, double entries) {
  return (8 + 4) * entries + (4 + 3 * 8) * rows;
}

AmgKernel::AmgKernel(const AmgKernelTable& table, Bound bound) {
  for (const AmgKernelCurve& measured : table) {
    Curve curve{measured.entries_per_row, {}};
    double last_s = 0, last_again_s = 0;
    for (const AmgKernelTime& time : measured.times) {
      const double cold_s = cost_at(time.cold_s, bound);
      const double again_s = time.again_s ? cost_at(*time.again_s, bound) : cold_s;
      last_s = std::max(last_s, cold_s);
      last_again_s = std::max(last_again_s, std::min(again_s, cold_s));
      const double saved = std::max(0., 1 - again_s / cold_s);
      curve.points.push_back({time.rows, last_s, last_again_s,
                              amg_operator_bytes(time.rows, time.rows * measured.entries_per_row),
                              saved});
    }
    curves_.push_back(std::move(curve));
  }
}

double AmgKernel::seconds_of(double Point::*which, double rows, double entries_per_row) const {
  double below = 0, most = 0;  // of the curve before
  for (const Curve& curve : curves_) {
    const double here = std::max(most, seconds_on(curve.points, which, rows));
    if (entries_per_row <= curve.entries_per_row) {
      if (below == 0) return here * entries_per_row / curve.entries_per_row;
      return most + (here - most) * (entries_per_row - below) / (curve.entries_per_row - below);
    }
    below = curve.entries_per_row;
    most = here;
  }
  return most * entries_per_row / below;
}

double AmgKernel::seconds(double rows, double entries, double held) const {
  if (rows <= 0) return 0;
  const double entries_per_row = entries / rows;
  const double cold_s = seconds_of(&Point::cold_s, rows, entries_per_row);
  if (held <= 0) return cold_s;
  const double again_s = std::min(cold_s, seconds_of(&Point::again_s, rows, entries_per_row));
  return cold_s - held * (cold_s - again_s);
}

bool AmgKernel::covers(double rows, double entries) const {
  const double entries_per_row = entries / rows;
  double most_rows = 0;
  for (const Curve& curve : curves_) most_rows = std::max(most_rows, curve.points.back().rows);
  constexpr double slack = 1.25;
  return rows <= slack * most_rows && slack * entries_per_row >= curves_.front().entries_per_row &&
         entries_per_row <= slack * curves_.back().entries_per_row;
}

double amg_sweep_s(const std::string& relax, const AmgKernel& product,
                   const std::optional<AmgKernel>& gauss_seidel, double rows, double entries,
                   double held) {
  if (relax.ends_with("gauss-seidel")) return gauss_seidel.value().seconds(rows, entries, held);
  constexpr double jacobi = 2, chebyshev = jacobi * 19 / 8;  // entries of 12 bytes a row
  if (relax == "l1-jacobi") return product.seconds(rows, entries + jacobi * rows, held);
  return product.seconds(rows, entries, held) +
         product.seconds(rows, entries + chebyshev * rows,
                         1);  // comes back to what it has just read
}

AmgCaches::AmgCaches(const AmgKernel& products) {
  constexpr double megabyte = 1e6;
  for (const auto& curve : products.curves_) {
    double most = 0;
    for (const auto& point : curve.points)
      if (point.bytes >= megabyte) most = std::max(most, point.saved);
    if (most <= 0) continue;
    for (const auto& point : curve.points)
      if (point.bytes >= megabyte) sizes_.push_back({point.bytes, point.saved / most});
  }
  std::sort(sizes_.begin(), sizes_.end(),
            [](const Size& a, const Size& b) { return a.bytes < b.bytes; });
  for (std::size_t n = sizes_.size(); n-- > 1;)
    sizes_[n - 1].share = std::max(sizes_[n - 1].share, sizes_[n].share);
}

double AmgCaches::share(double bytes) const {
  if (sizes_.empty() || bytes <= sizes_.front().bytes) return 1;
  if (bytes >= sizes_.back().bytes) return sizes_.back().share;
  const std::size_t first = before(sizes_, bytes, &Size::bytes);
  const Size &low = sizes_[first], &high = sizes_[first + 1];
  if (high.bytes <= low.bytes) return high.share;
  return low.share +
         (high.share - low.share) * std::log(bytes / low.bytes) / std::log(high.bytes / low.bytes);
}

double AmgCaches::held(double own_bytes, double since_bytes) const {
  const double own = share(own_bytes);
  return own > 0 ? share(std::max(own_bytes, since_bytes)) / own : 0;
}

}  // namespace bellwether
