// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

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

/// What the AMG models need of a machine beyond its links (Gahvari et al., Tables II to IV).
struct AmgParameters {
  static constexpr const char* section_name = "amg";
  /// t_i: seconds per flop of a sparse matrix-vector product on level i with one thread on every
  /// core; the last holds for all coarser levels.
  std::vector<Quantity> flop_time_s;
  std::vector<AmgThreads> threads;           ///< ascending, from one thread
  std::vector<AmgCoreSharing> core_sharing;  ///< 1, 2, 3, … threads on each core
  std::vector<int> ranks_per_node;           ///< numbers of ranks that a node can run, ascending
};

/// How the section stands in a machine file.
JsonType<AmgParameters> amg_parameters_type();

}  // namespace bellwether
