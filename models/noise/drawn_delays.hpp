// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/noise/noise_parameters.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// What detours add to a piece of work that some ranks do at once, seconds.
struct Delay {
  double latest_s = 0;  ///< of the rank with most
  double mean_s = 0;    ///< of one of them
  double sum_s = 0;     ///< of all, each detour once that meets a node
};

/// Who does a piece of work: ranks that go on together once the latest of them is done.
struct WorkGroup {
  int ranks = 1;
  int nodes = 1;         ///< that they are on
  std::size_t node = 0;  ///< the first of them, by which groups on the same nodes are told
};

/// Detours as a machine's noise might have them, drawn piece by piece for a schedule that is
/// followed with its ranks' clocks: compound Poisson, as NoiseDelay's. Of a piece's detours the
/// share `shared_fraction` meets all ranks of a node, and all groups on those nodes as they do the
/// same piece. The same `draw` gives the same detours.
class DrawnDelays {
 public:
  DrawnDelays(NoiseParameters noise, int ranks_per_node, unsigned draw);

  /// Pieces are numbered; groups on the same nodes come to each before any is four further.
  [[nodiscard]] Delay next(const WorkGroup& group, std::uint64_t piece, double work_s);
  /// How many numbers it took so far.
  [[nodiscard]] double drawn() const { return drawn_; }

 private:
  [[nodiscard]] double uniform();
  [[nodiscard]] double length();
  /// What the latest of so many has, each of whom meets detours of this rate on its own, and the
  /// sum of all.
  struct Sums {
    double latest_s = 0, all_s = 0;
  };
  [[nodiscard]] Sums sums(int members, double detours_each);

  NoiseParameters noise_;
  double own_per_s_, shared_per_s_;
  double mean_length_s_ = 0;
  double drawn_ = 0;
  std::mt19937_64 random_;
  struct Shared {
    std::uint64_t piece = ~std::uint64_t{0};
    Sums sums;
  };
  std::vector<Shared> of_nodes_;  ///< the last pieces of each first node
  std::vector<double> members_;
};

/// A schedule with delays: what it took, and how much of that is a mean rank's own detours.
struct DelayedRun {
  double total_s = 0;
  double own_s = 0;
};

/// Adds to the prediction's term `wait`, and its total, what a rank waits because others are late:
/// what `run` takes with delays beyond the prediction's total and a mean rank's own detours, which
/// the calibrated times hold. The mean of four draws or, of short schedules, up to 64. Interval:
/// 90 % of runs, by how the draws differ, and the noise's rate and tail at their ends. Nothing of a
/// machine without the section, or of one rank.
void add_drawn_wait(const Machine& machine, int ranks, int ranks_per_node,
                    const std::function<DelayedRun(DrawnDelays& delays)>& run,
                    Prediction& prediction);

}  // namespace bellwether
