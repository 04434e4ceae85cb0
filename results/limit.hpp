// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/machine/machine.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// What a rate is held against.
struct Limit {
  std::string name;  ///< "memory bandwidth", …; empty: the work has none
  bool of_flops = false;
  double per_s = 0;            ///< bytes or flops a second of all ranks together; 0: not known
  double sustained_per_s = 0;  ///< of a GPU's products, when they go on for seconds; 0: not known
  /// Of bytes, what a cache gives that holds what a rank goes through; 0: none does, or none is
  /// known to.
  double of_cache_per_s = 0;

  /// The share of it that so much work in `seconds` is; 0 where it is not known.
  [[nodiscard]] double share(double bytes, double flops, double seconds) const {
    return per_s > 0 ? (of_flops ? flops : bytes) / seconds / per_s : 0;
  }
  /// The same of what the limit is when a run goes on for seconds.
  [[nodiscard]] double share_sustained(double flops, double seconds) const {
    return sustained_per_s > 0 ? flops / seconds / sustained_per_s : 0;
  }
  /// Why a share is more than all of it; empty where it is not.
  [[nodiscard]] std::string why_above(double share) const;
};

/// The work's limit on a machine (null: none) of `ranks`, `ranks_on_node` on a node: an update in
/// place far beyond the caches, else the memory bandwidth, unless a cache holds the work.
Limit limit_of(const StepWork& work, const Machine* machine, int ranks, int ranks_on_node,
               double held_bytes = 0);

}  // namespace bellwether
