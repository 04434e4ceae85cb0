// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace bellwether {

/// The processes of a factorization: P rows of Q columns, ranks along the rows.
struct ProcessGrid {
  int rows = 1;                            ///< P
  int columns = 1;                         ///< Q
  [[nodiscard]] std::string name() const;  ///< "PxQ"
};

/// Rows (or columns) of the process with the most, when `length` of them are dealt out in blocks of
/// `block` to `processes` in turn. length >= 0.
long busiest_local_length(long length, int block, int processes);

/// All grids of `ranks` processes, ascending rows.
std::vector<ProcessGrid> process_grids(int ranks);

/// The grid nearest to a square with P <= Q.
ProcessGrid nearest_square(int ranks);

/// Reads "PxQ". Throws BadInput on anything else.
ProcessGrid parse_process_grid(const std::string& text);

}  // namespace bellwether
