// SPDX-License-Identifier: MIT
#include "results/spread.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace bellwether {
namespace {

constexpr double deviations_of_95 = 1.959964;

double probability_of(std::size_t point) {
  return (static_cast<double>(point) + 0.5) / Spread::points;
}

/// The mean distance of the outer quarter of ascending numbers from the next one inside.
double outer_scale(const std::vector<double>& ascending) {
  const std::size_t outer = (ascending.size() + 3) / 4;
  if (ascending.size() < 2) return 0;
  double sum = 0;
  for (std::size_t n = 0; n < outer; ++n) sum += ascending[outer] - ascending[n];
  return sum / static_cast<double>(outer);
}

std::vector<double> mirrored(const std::vector<double>& ascending) {
  std::vector<double> other(ascending.rbegin(), ascending.rend());
  for (double& number : other) number = -number;
  return other;
}

}  // namespace

Spread Spread::of(std::vector<double> ratios) {
  Spread spread;
  if (ratios.empty()) return spread;
  for (double& ratio : ratios) ratio = std::log(ratio);
  std::sort(ratios.begin(), ratios.end());
  const auto n = static_cast<double>(ratios.size());
  const double below = outer_scale(ratios), above = outer_scale(mirrored(ratios));
  for (std::size_t point = 0; point < points; ++point) {
    const double p = probability_of(point);
    const double place = p * (n + 1) - 1;  // among the sorted, from 0
    double& log = spread.logs_[point];
    if (place <= 0) {
      log = ratios.front() + below * std::log(p * (n + 1));
    } else if (place >= n - 1) {
      log = ratios.back() - above * std::log((1 - p) * (n + 1));
    } else {
      const auto before = static_cast<std::size_t>(place);
      log = std::lerp(ratios[before], ratios[before + 1], place - std::floor(place));
    }
  }
  return spread;
}

Spread Spread::of_deviation(double deviation) {
  return of_interval(std::exp(-deviations_of_95 * deviation),
                     std::exp(deviations_of_95 * deviation));
}

Spread Spread::of_interval(double low, double high) {
  Spread spread;
  const boost::math::normal standard;
  for (std::size_t point = 0; point < points; ++point) {
    const double at = boost::math::quantile(standard, probability_of(point));
    spread.logs_[point] = at / deviations_of_95 * (at < 0 ? -std::log(low) : std::log(high));
  }
  return spread;
}

Spread Spread::times(const Spread& other) const {
  const auto is_one = [](const Spread& spread) {
    return std::all_of(spread.logs_.begin(), spread.logs_.end(),
                       [](double log) { return log == 0; });
  };
  if (is_one(other)) return *this;
  if (is_one(*this)) return other;
  std::array<double, points * points> sums;
  auto sum = sums.begin();
  for (const double one : logs_)
    for (const double another : other.logs_) *sum++ = one + another;
  std::sort(sums.begin(), sums.end());
  Spread product;
  for (std::size_t point = 0; point < points; ++point)
    product.logs_[point] = sums[point * points + points / 2];
  return product;
}

Spread Spread::through(const std::function<double(double)>& effect) const {
  Spread result;
  for (std::size_t point = 0; point < points; ++point)
    result.logs_[point] = std::log(effect(std::exp(logs_[point])));
  return result;
}

double Spread::ratio(double probability) const {
  const double place = std::clamp(probability * points - 0.5, 0., static_cast<double>(points - 1));
  const auto before = std::min(static_cast<std::size_t>(place), points - 2);
  return std::exp(std::lerp(logs_[before], logs_[before + 1], place - static_cast<double>(before)));
}

}  // namespace bellwether
