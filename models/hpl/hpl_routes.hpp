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
};

/// A panel's message to another process of a row: of how many that share its link it is one, and
/// what its route adds to the latency.
struct HplEdge {
  double sharing = 1;
  double latency_s = 0;
};

/// The messages of a grid whose ranks stand along its rows, counted on the links of a machine whose
/// topology says which they pass (models/network/routes.hpp). Distances are those in a process
/// column or row; what all do at once is as slow as the slowest of them.
class HplRoutes {
 public:
  /// The machine must outlive it.
  HplRoutes(const Machine& machine, const ProcessGrid& grid, int ranks_per_node);

  /// Of all processes with those 2^level on in their columns, or rows.
  [[nodiscard]] const HplAdded& column_exchange(int level) const { return columns_.at(level); }
  [[nodiscard]] const HplAdded& row_exchange(int level) const { return rows_.at(level); }
  /// The same of one process column alone, on the average of some.
  [[nodiscard]] const HplAdded& lone_column_exchange(int level) const { return lone_.at(level); }
  /// The sum of column_exchange over all distances from 1 on, of some where there are many.
  [[nodiscard]] const HplAdded& all_column_exchanges() const { return all_; }

  /// In every row the process `from` sends a panel to those of the columns `to` at once.
  [[nodiscard]] std::vector<HplEdge> edges(int from, const std::vector<int>& to) const;

 private:
  [[nodiscard]] int rank_at(int row, int column) const {
    return row % grid_.rows * grid_.columns + column % grid_.columns;
  }
  /// Of the processes of so many columns from `first` on with those so far below and beside them.
  [[nodiscard]] HplAdded exchange(int rows_on, int columns_on, int first, int columns) const;

  const Machine& machine_;
  ProcessGrid grid_;
  int ranks_per_node_;
  std::vector<HplAdded> columns_, rows_, lone_;  ///< by level
  HplAdded all_;
};

}  // namespace bellwether
