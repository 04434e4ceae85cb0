// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/plan.hpp"

namespace bellwether {

/// A collective of the first `ranks` ranks while the others sleep.
struct CollectiveSpec {
  std::string collective;  ///< "barrier" or "allreduce" (of one double)
  int ranks;

  [[nodiscard]] std::string name() const;
};
/// 2, 4, 8, ... and all ranks; none for one rank.
std::vector<CollectiveSpec> collective_specs(const Bench& bench);
/// Collective over the session.
BenchCase make_case(Bench& bench, const CollectiveSpec& spec);

}  // namespace bellwether
