// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace bellwether {

/// How far a number scatters about another: the distribution of the logarithm of their ratio, as
/// its quantiles at (k + 1/2) / 50.
class Spread {
 public:
  static constexpr std::size_t points = 50;

  /// The ratio is 1.
  Spread() : logs_{} {}

  /// Of ratios as they were seen, any order; none: 1. The i-th of n is the quantile i / (n + 1)
  /// (Wilks 1941); beyond all it falls off exponentially, as the outer quarter does.
  static Spread of(std::vector<double> ratios);
  /// Of a quantity known to within its 95 % interval, ratios low <= 1 <= high: half a normal
  /// distribution on either side.
  static Spread of_interval(double low, double high);
  /// Of a quantity whose logarithm is normally distributed about 0, with this standard deviation.
  static Spread of_deviation(double deviation);

  /// The product of two that do not depend on one another.
  [[nodiscard]] Spread times(const Spread& other) const;
  /// Of what a ratio makes of another number: `effect` of it, a ratio that does not fall.
  [[nodiscard]] Spread through(const std::function<double(double)>& effect) const;

  /// The ratio at a probability, 1/100 at least and 99/100 at most.
  [[nodiscard]] double ratio(double probability) const;
  /// The middle of it, from (1 - coverage) / 2 on.
  [[nodiscard]] std::pair<double, double> middle(double coverage) const {
    return {ratio((1 - coverage) / 2), ratio((1 + coverage) / 2)};
  }

 private:
  std::array<double, points> logs_;
};

}  // namespace bellwether
