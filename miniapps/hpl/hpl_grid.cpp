// SPDX-License-Identifier: MIT
#include "miniapps/hpl/hpl_grid.hpp"

namespace bellwether {

HplGrid::HplGrid(const Session& session, const ProcessGrid& grid)
    : grid_(grid),
      has_me_(session.rank() < grid.rows * grid.columns),
      row_(session.rank() / grid.columns),
      column_(session.rank() % grid.columns) {
  MPI_Comm_split(session.world(), has_me_ ? row_ : MPI_UNDEFINED, column_, &along_row_);
  MPI_Comm_split(session.world(), has_me_ ? column_ : MPI_UNDEFINED, row_, &along_column_);
}

HplGrid::~HplGrid() {
  if (!has_me_ || std::uncaught_exceptions() > 0) return;
  MPI_Comm_free(&along_row_);
  MPI_Comm_free(&along_column_);
}

}  // namespace bellwether
