// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/plan.hpp"

namespace bellwether {

/// Each of some ranks exchanges one message size with both its neighbours in a ring at once, as a
/// halo is exchanged across the two faces of a direction. Of two ranks each is both neighbours of
/// the other.
struct RingSpec {
  std::string link;        ///< "shared_memory" or "network"
  std::vector<int> ranks;  ///< in the ring's order
  std::size_t bytes;

  [[nodiscard]] std::string name() const;
};

/// For the network the first rank of every node, for shared memory the first two of the node with
/// the most ranks; where there are two or more. Ordered by size.
std::vector<RingSpec> ring_specs(const Bench& bench);
/// Seconds until all four messages of a rank have arrived or left; the slowest rank's.
BenchCase make_case(Bench& bench, const RingSpec& spec);

}  // namespace bellwether
