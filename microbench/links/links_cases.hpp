// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "microbench/driver/plan.hpp"
#include "microbench/links/collective_cases.hpp"
#include "microbench/links/copy_cases.hpp"
#include "microbench/links/hiding_cases.hpp"
#include "microbench/links/pair_cases.hpp"
#include "microbench/links/ring_cases.hpp"

namespace bellwether {

/// The paths that a rank's data take, and collectives over them.
struct LinksCases {
  int nodes;
  std::string buffers;  ///< on which pages, for people
  std::vector<Planned<PairSpec>> pairs;
  std::vector<Planned<PairSpec>> hops;  ///< the smallest message to each other node
  std::vector<Planned<RingSpec>> rings;
  std::vector<std::pair<HidingSpec, HidingKeys>> hiding;
  std::vector<Planned<CopySpec>> copies;
  std::vector<Planned<CollectiveSpec>> collectives;
};
/// Collective.
LinksCases plan_links(Plan& plan);

}  // namespace bellwether
