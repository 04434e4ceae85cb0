// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/machine/quantity.hpp"
#include "models/noise/noise_parameters.hpp"

namespace bellwether {

/// What detours add to a rank's `work_s` seconds of work: compound Poisson, their number
/// detours_per_s work_s on average, their lengths independent of one another. `bound` takes rate
/// and tail at the ends of their intervals.
///
/// Detours are classed by length, a factor of four each. Of each class the sum is computed on a
/// lattice of its own, an eighth of its shortest (Panjer's recursion, ASTIN Bulletin 12, 1981), and
/// the delay's distribution is the mixture by the longest class met: so that microseconds stand
/// beside seconds. A class met more than a hundred times counts as a hundred longer ones of equal
/// mean and variance.
class NoiseDelay {
 public:
  NoiseDelay(const NoiseParameters& noise, double work_s, Bound bound);

  /// Seconds, of one rank.
  [[nodiscard]] double mean() const { return mean_; }
  /// P(delay > seconds) of one rank.
  [[nodiscard]] double survival(double seconds) const;
  /// Expectation of what the largest delay of so many ranks, each independent of the others, takes
  /// beyond `slack_s`: the integral of 1 - F^ranks. `ranks` need not be whole; at least 1.
  [[nodiscard]] double expected_maximum(double ranks, double slack_s = 0) const;

 private:
  /// Probabilities at multiples of a step, and of all from each on.
  struct Lattice {
    double step_s = 0;
    std::vector<double> at, from;
    double weight = 0;
  };
  struct Point {
    double seconds, survival;
    double log_at_most;  ///< of 1 - survival
  };
  [[nodiscard]] Point point(double seconds) const;
  [[nodiscard]] double mixed_survival(double seconds) const;

  double mean_ = 0;
  double shift_s_ = 0;  ///< of all ranks alike, by the classes that count as others
  std::vector<Lattice> parts_;
  std::vector<Point> points_;
};

/// Of ranks with detours of which a share meets all of a node: as many ranks, independent of one
/// another, that meet as many different detours.
double independent_ranks(double ranks, double ranks_per_node, double shared_fraction);

}  // namespace bellwether
