// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/cholesky/cholesky_parameters.hpp"
#include "models/cholesky/column_costs.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// What blocks of B columns cost one rank at a bound.
struct BlockCosts {
  double factor_s = 0;
  double solve_flops_per_s = 1;
  double product_flops_per_s = 1;
  double half_m = 0, half_n = 0;

  /// A panel of `rows` rows from its diagonal on, the first B of them the diagonal block.
  [[nodiscard]] double panel(double rows, double block) const;
  /// m x n less m x block times block x n.
  [[nodiscard]] double product(double m, double n, double block) const;
};

/// The narrowest and the widest block that the machine was calibrated for; 0 and infinity where it
/// was for none.
std::pair<double, double> calibrated_blocks(const Machine& machine, const std::string& precision);

/// From the machine's cholesky section: between two blocks rates are linear in 1/B and the diagonal
/// block's seconds per column linear in B; beyond the ends rates stay and these grow with B^2. Of a
/// machine without it all flops at the rate of the device's matrix product, with a note.
BlockCosts block_costs(const Machine& machine, const std::string& precision, double block,
                       Bound bound, std::vector<std::string>& notes);

/// What the panels of a run with B > 1 ask of its ranks, at one bound. Panels are counted from 0;
/// those beyond the last have no rows.
class BlockPanels {
 public:
  BlockPanels(const Machine& machine, const CholeskyRun& run, const ColumnCosts& costs, Bound bound,
              std::vector<std::string>& notes);

  [[nodiscard]] double bytes(double panel) const { return value_ * rows(panel) * width(panel); }
  /// Of its owner: the diagonal block, the rows below it, and the copy into the memory that the
  /// others take it from, where there are others.
  [[nodiscard]] double factor_s(double panel) const;
  /// Of one rank, by the panel before: its blocks from `first` on, which it owns, group by group
  /// as the mini-app.
  [[nodiscard]] double update_s(double first) const;
  /// Of the columns that are multiplied together at once, the mean of them.
  [[nodiscard]] double group_s(double first) const;
  /// Of these the panel `next` alone, before it is factored.
  [[nodiscard]] double next_s(double next) const;

 private:
  [[nodiscard]] double rows(double panel) const { return std::max(0., size_ - panel * block_); }
  [[nodiscard]] double width(double panel) const { return std::min(block_, rows(panel)); }

  bool gpu_;
  double size_, block_, ranks_, value_;
  double group_;  ///< blocks whose columns are multiplied together
  BlockCosts costs_;
  double panels_ = 0;
  double launch_s_ = 0, product_launch_s_ = 0;
  double memory_bytes_per_s_ = 1;
};

}  // namespace bellwether
