// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include "miniapps/comm/session.hpp"
#include "models/hpl/hpl_problem.hpp"

namespace bellwether {

/// The first P x Q ranks along the rows of a grid, with a communicator for each of its rows and
/// columns. The other ranks have no part in it.
class HplGrid {
 public:
  /// Collective over the session; no more processes than it has ranks.
  HplGrid(const Session& session, const ProcessGrid& grid);
  /// Collective. During an exception nothing is freed: that could wait for ranks that never come.
  ~HplGrid();
  HplGrid(const HplGrid&) = delete;
  HplGrid& operator=(const HplGrid&) = delete;

  [[nodiscard]] bool has_me() const { return has_me_; }
  [[nodiscard]] int rows() const { return grid_.rows; }        ///< P
  [[nodiscard]] int columns() const { return grid_.columns; }  ///< Q
  [[nodiscard]] int row() const { return row_; }               ///< of this process, from 0
  [[nodiscard]] int column() const { return column_; }
  /// The processes of this one's row, ranked by their columns; and the other way round.
  [[nodiscard]] MPI_Comm along_row() const { return along_row_; }
  [[nodiscard]] MPI_Comm along_column() const { return along_column_; }

 private:
  ProcessGrid grid_;
  bool has_me_;
  int row_, column_;
  MPI_Comm along_row_ = MPI_COMM_NULL, along_column_ = MPI_COMM_NULL;
};

}  // namespace bellwether
