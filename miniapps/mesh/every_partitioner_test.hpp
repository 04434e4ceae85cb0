// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "miniapps/mesh/partition.hpp"

namespace bellwether {

/// For tests: those that this build has.
inline std::vector<Partitioner> every_partitioner() {
  std::vector<Partitioner> all{Partitioner::rcb, Partitioner::block};
  if (has_scotch()) all.push_back(Partitioner::scotch);
  return all;
}

}  // namespace bellwether
