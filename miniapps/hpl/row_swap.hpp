// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "kernels/hpl/hpl.hpp"
#include "kernels/hpl/hpl_panel.hpp"
#include "miniapps/comm/stream_timer.hpp"

namespace bellwether {

/// All row interchanges of a panel as one permutation. The rows of its diagonal block ("top") go
/// where the pivots came from, and nowhere else: each row below that the permutation moves gets one
/// of them.
struct Interchanges {
  struct Row {
    int process;  ///< of the process column; -1: one of the top rows
    int row;      ///< in that process' panel
  };
  struct Displaced {
    Row to;   ///< below
    int top;  ///< which of the top rows comes there
  };
  std::vector<Row> top;  ///< for each top row what comes there: the rows of U, before L^-1
  std::vector<Displaced> displaced;
};
/// Of pivots in the order in which they were chosen. `width`: of the panel.
Interchanges interchanges_of(const PanelPivot* pivots, int width);

}  // namespace bellwether
