// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// What threads of one rank get from the node's memory and lose at a parallel loop.
struct AmgThreads {
  int threads;                     ///< of one rank
  Quantity bandwidth_bytes_per_s;  ///< of STREAM Triad, per thread, all of them at once
  Quantity fork_join_s;            ///< overhead of one parallel loop; 0 for one thread
};

/// How much longer a thread takes for its work when others run on its core.
struct AmgCoreSharing {
  int threads_per_core;
  Quantity penalty;  ///< factor on the time per flop: 1 alone
};

/// Seconds of one call of an operation on so many rows of a rank, all ranks at once: the slowest's.
struct AmgKernelTime {
  double rows;
  Quantity cold_s;  ///< with nothing of its operands in the caches
  /// The same in turn, over and over, which finds there what fits them; absent: as cold.
  std::optional<Quantity> again_s;
};
struct AmgKernelCurve {
  double entries_per_row;
  std::vector<AmgKernelTime> times;  ///< ascending rows
};
using AmgKernelTable = std::vector<AmgKernelCurve>;  ///< ascending entries per row

/// What the operations of a solve cycle cost in the library that runs it.
struct AmgKernelParameters {
  int threads = 1;      ///< of each rank, when it was measured
  AmgKernelTable spmv;  ///< a residual, r = b - A x
  /// A hybrid Gauss-Seidel sweep's pass over the rows, one way or the other; empty: not measured,
  /// as on a GPU.
  AmgKernelTable gauss_seidel;
  AmgKernelTable interpolate;  ///< x += P y; rows and entries are those of P
  AmgKernelTable restriction;  ///< y = P^T r; likewise
};

/// What the AMG models need of a machine beyond its links: what the paper publishes of one
/// (Gahvari et al., Tables II to IV), all of it or nothing, and what calibration measures.
struct AmgParameters {
  static constexpr const char* section_name = "amg";
  /// t_i: seconds per flop of a sparse matrix-vector product on level i with one thread on every
  /// core; the last holds for all coarser levels.
  std::vector<Quantity> flop_time_s;
  std::vector<AmgThreads> threads;           ///< ascending, from one thread
  std::vector<AmgCoreSharing> core_sharing;  ///< 1, 2, 3, … threads on each core
  std::vector<int> ranks_per_node;           ///< numbers of ranks that a node can run, ascending
  std::optional<AmgKernelParameters> kernels = {};
  /// Of a network that was not measured, what a message waits besides for each node along the side
  /// of a cube of those at work: coarse grids' neighbours are everywhere.
  std::optional<Quantity> wait_per_diameter_s = {};
};

/// The section where it holds what the paper publishes; else null.
const AmgParameters* amg_published(const Machine& machine);
/// The section's calibrated operations; null without them.
const AmgKernelParameters* amg_kernels(const Machine& machine);

/// How the section stands in a machine file.
JsonType<AmgParameters> amg_parameters_type();

}  // namespace bellwether
