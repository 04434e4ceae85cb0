// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/hpl/hpl_problem.hpp"
#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"

namespace bellwether {

/// A path that ranks send on at a bound; `sharing` of them at once share its bandwidth.
struct HplPath {
  const LinkTiming* timing = nullptr;  ///< null: nobody to send to
  Bound bound = Bound::value;
  double sharing = 1;
  /// Seconds of `count` messages one after another of bytes / count each; 0 without a path.
  [[nodiscard]] double seconds(double count, double bytes) const;
};

/// The paths of a grid whose ranks stand along its rows, consecutive ones on a node.
struct HplPaths {
  HplPath row;     ///< to the next rank of the same process row: panel broadcast
  HplPath column;  ///< to the next rank of the same process column: pivots, row swaps
};

/// Throws BadInput naming the link if ranks have no path to each other.
HplPaths hpl_paths(const Machine& machine, const ProcessGrid& grid, int ranks_per_node,
                   Bound bound);

/// What the operations of a step cost one rank at a bound; the machine must outlive it.
struct HplCosts {
  double gemm_flops_per_s = 0;
  double half_m = 0, half_n = 0, half_k = 0;
  double trsm_flops_per_s = 0;  ///< 0: not measured, blocked into dgemm
  double panel_flops_per_s = 0;
  /// Bandwidth that a panel is swept at log2(NB) times; 0: within the panel's rate.
  double panel_sweep_bytes_per_s = 0;
  double memory_bytes_per_s = 0;
  double swap_bytes_per_s = 0;
  double launch_s = 0;
  bool panel_on_host = false;
  HplPath to_host, to_device;  ///< used if panel_on_host

  /// C(m x n) -= A(m x k) B(k x n), as GemmRamp says.
  [[nodiscard]] double gemm(double m, double n, double k) const;
  /// L(w x w) X = B(w x n).
  [[nodiscard]] double trsm(double w, double n) const;
  /// LU of a panel of which this rank has m rows, w columns, the messages not included.
  [[nodiscard]] double panel(double m, double w) const;
  /// w rows of n columns out of the matrix and w others in, each read and written.
  [[nodiscard]] double swap(double w, double n) const;
};

/// The costs as the machine has them calibrated in hpl.kernels; what it lacks is derived from the
/// device's rates and memory bandwidth, and noted. Throws BadInput if panels are factored on the
/// host and the machine has no path there.
HplCosts hpl_costs(const Machine& machine, int ranks_per_node, Bound bound,
                   std::vector<std::string>& notes);

}  // namespace bellwether
