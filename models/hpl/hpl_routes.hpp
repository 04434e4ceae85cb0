// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/hpl/hpl_problem.hpp"
#include "models/network/routes.hpp"

namespace bellwether {

/// What the machine's topology adds to each message of an exchange: seconds for each byte of it,
/// below 0 where links are faster than a node's, and seconds.
struct HplAdded {
  double byte_s = 0;
  double latency_s = 0;
  [[nodiscard]] double seconds(double bytes) const { return bytes * byte_s + latency_s; }
};

/// A panel's message to another process of a row: of how many that share its link it is one, those
/// of other rows, and what its route adds to the latency.
struct HplEdge {
  double sharing = 1;
  double latency_s = 0;
};

/// The messages of a grid, counted on the links of a machine whose
/// topology says which they pass (models/network/routes.hpp). Distances are those in a process
/// column or row; what all of one do at once is as slow as the slowest of them.
class HplRoutes {
 public:
  /// The machine must outlive it.
  HplRoutes(const Machine& machine, const ProcessGrid& grid, int ranks_per_node);

  /// Of the processes of a column with those 2^level on in it, on the average of some columns.
  [[nodiscard]] const HplAdded& lone_column_exchange(int level) const { return lone_.at(level); }
  /// The same of the columns of a node, which are at once.
  [[nodiscard]] const HplAdded& column_exchange(int level) const { return columns_.at(level); }
  /// With those at all distances from 1 on, one after another; of some where there are many.
  [[nodiscard]] const HplAdded& all_column_exchanges() const { return all_; }
  /// Of all processes with those 2^level on in their rows.
  [[nodiscard]] const HplAdded& row_exchange(int level) const { return rows_.at(level); }

  /// In every row the process of one column sends a panel to that of another.
  [[nodiscard]] HplEdge edge(int from, int to) const;

 private:
  [[nodiscard]] int rank_at(int row, int column) const {
    return grid_.rank_at(row % grid_.rows, column % grid_.columns);
  }
  [[nodiscard]] HplAdded column_exchanges(const std::vector<int>& distances) const;
  /// Of so many columns at once, on the average of some such.
  [[nodiscard]] HplAdded mean_exchange(int distance, int columns) const;
  /// Of the processes of so many columns from `first` on with those so far below and beside them.
  [[nodiscard]] HplAdded exchange(int rows_on, int columns_on, int first, int columns) const;

  const Machine& machine_;
  ProcessGrid grid_;
  int ranks_per_node_;
  int columns_on_node_;
  std::vector<HplAdded> columns_;      ///< by level
  std::vector<HplAdded> lone_, rows_;  ///< by level
  HplAdded all_;
};

}  // namespace bellwether
