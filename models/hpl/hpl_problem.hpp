// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// The processes of a factorization: P rows of Q columns, ranks along the rows or, column-major,
/// along the columns.
struct ProcessGrid {
  int rows = 1;                            ///< P
  int columns = 1;                         ///< Q
  bool column_major = false;               ///< HPL's PMAP 1
  [[nodiscard]] std::string name() const;  ///< "PxQ"

  [[nodiscard]] int rank_at(int row, int column) const {
    return column_major ? column * rows + row : row * columns + column;
  }
  [[nodiscard]] int row_of(int rank) const { return column_major ? rank % rows : rank / columns; }
  [[nodiscard]] int column_of(int rank) const {
    return column_major ? rank / rows : rank % columns;
  }
  /// Process rows, and columns, that have ranks on a node, where it begins with a row (column).
  [[nodiscard]] int rows_on_node(int ranks_per_node) const {
    return std::min(rows, column_major ? ranks_per_node : (ranks_per_node - 1) / columns + 1);
  }
  [[nodiscard]] int columns_on_node(int ranks_per_node) const {
    return std::min(columns, column_major ? (ranks_per_node - 1) / rows + 1 : ranks_per_node);
  }
};

/// Rows (or columns) of the process with the most, when `length` of them are dealt out in blocks of
/// `block` to `processes` in turn. length >= 0.
long busiest_local_length(long length, int block, int processes);

/// The same of process `process`.
long local_length(long length, int block, int processes, int process);

/// Columns whose rows an update swaps at once: on a device all, on a host as many as keep the
/// buffers for them below a fiftieth of a process' rows x columns (up to five of a panel's width
/// times as many values), not too few for the product that makes U.
long update_strip_columns(long rows, long columns, int block, bool on_device = false);

/// All grids of `ranks` processes, ascending rows.
std::vector<ProcessGrid> process_grids(int ranks);

/// The grid nearest to a square with P <= Q.
ProcessGrid nearest_square(int ranks);

/// Reads "PxQ". Throws BadInput on anything else.
ProcessGrid parse_process_grid(const std::string& text);

/// How the rows of a panel's interchanges move along a process column: spread-roll (each process
/// gets a slice of the columns, U of it, and then all of U), binary-exchange (all get all rows in
/// rounds of doubling size), mix (the latter up to a threshold of columns, as HPL's).
std::vector<std::string> row_swap_names();

/// A factorization of an N x N matrix of doubles in blocks of NB over a grid of ranks.
struct HplProblem {
  long size = 0;  ///< N
  int block = 0;  ///< NB
  ProcessGrid grid;
  std::string bcast = "ring-modified";  ///< one of broadcast_names()
  std::string swap = "mix";             ///< one of row_swap_names()
  int swap_threshold = 64;              ///< columns up to which mix takes binary-exchange
  /// Who factors panels in a GPU's memory, "host" or "device"; empty: as the machine's
  /// hpl.kernels.panel_on says.
  std::string panel = {};
  [[nodiscard]] int ranks() const { return grid.rows * grid.columns; }
  [[nodiscard]] long panels() const { return (size + block - 1) / block; }
};

/// Flops that HPL counts for its rate: 2/3 N^3 + 3/2 N^2, whatever a program really does.
inline double hpl_flops(double size) { return size * size * (2 * size / 3 + 1.5); }

/// Of these, when so many columns are done: all less those of what is left.
inline double hpl_flops_done(double size, double columns) {
  return hpl_flops(size) - hpl_flops(size - columns);
}

/// The largest N and NB that are taken.
inline constexpr long largest_hpl_size = 100'000'000;
inline constexpr int largest_hpl_block = 65536;

/// A factorization's work: HPL's flops, which the rate of matrix products limits.
StepWork hpl_work(long size);

/// Device memory that the matrix takes of each rank.
double hpl_bytes(const HplProblem& problem);

/// The largest N of which 80 % of the memory of so many ranks, `rank_bytes` each, hold the matrix;
/// at least 1.
long size_that_fills(double rank_bytes, int ranks);

/// N less what it has beyond whole blocks; one block at least.
long whole_blocks(long size, int block);

/// Whether a process row or column has nothing of the matrix; it is noted.
bool has_idle_ranks(const HplProblem& problem);
void note_idle_ranks(const HplProblem& problem, std::vector<std::string>& notes);

/// The rate of dgemm that the device was measured at, or its f64 peak, with a note.
Quantity device_gemm_flops(const Machine& machine, std::vector<std::string>& notes);

}  // namespace bellwether
