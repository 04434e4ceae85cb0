// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/hpl/hpl_schedule.hpp"

namespace bellwether {

/// What factorizations of one N and NB are never below, whatever their grid, so that a search need
/// not look at those that cannot be the fastest. All that a step costs is linear in the rows and
/// columns of the busiest process and in their product, or at least as much as something that is:
/// sums of these over the panels stand for the panels. What is left out (launches, the latencies of
/// a topology, the last two panels, waiting for the first ones) takes time.
class HplFloor {
 public:
  HplFloor(const HplCosts& costs, long size, int block);

  /// A lower bound of factor_hpl's total_s but for rounding, `sampled` or followed. `closely`
  /// counts the busiest process' rows panel by panel; else every process has the mean, which takes
  /// no time to find.
  [[nodiscard]] double seconds(const HplSteps& steps, bool look_ahead, bool closely,
                               bool sampled) const;

 private:
  /// Over some panels, of the lengths beyond them, or of what the busiest process has of these.
  struct Sums {
    double panels = 0;
    double length = 0, rows = 0, rows_length = 0;
    double first = 0, rows_first = 0;  ///< columns of the next panel's owner
    double least_length = 0;
  };
  /// One sampled panel and how many it stands for.
  struct Group {
    long panel;
    double times;
  };
  /// Neighbouring panels, of which the longer of work and way is taken once.
  struct Cell {
    std::vector<Group> groups;
    double panels = 0, length = 0, length_squared = 0, least_length = 0;
  };
  void add(long panel, double times, Cell& cell) const;
  [[nodiscard]] Sums sums(const Cell& cell, const ProcessGrid& grid, bool closely) const;
  [[nodiscard]] double of_cell(const HplSteps& steps, const Sums& sums, bool look_ahead,
                               bool sampled) const;
  [[nodiscard]] double update(const HplSteps& steps, double updates, double rows, double columns,
                              double rows_columns, double least_length, bool sampled) const;

  const HplCosts& costs_;
  long size_;
  int block_;
  long panels_;
  CostFloor panel_;
  std::vector<Cell> cells_;  ///< of the sampled panels
  Cell whole_;               ///< of all panels; its groups are not listed
};

}  // namespace bellwether
