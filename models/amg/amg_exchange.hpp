// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/amg/amg_costs.hpp"
#include "models/amg/amg_neighbours.hpp"
#include "models/network/halo_cost.hpp"

namespace bellwether {

/// The messages of a solve cycle on a machine's calibrated links, at one bound.
class AmgExchanges {
 public:
  /// The machine and the routes must outlive it. `notes` may be null. Throws BadInput naming
  /// machine and link if the processes have none to each other.
  AmgExchanges(const Machine& machine, const AmgHierarchy& hierarchy, const AmgPlacement& placement,
               AmgRoutes& routes, Bound bound, std::vector<std::string>* notes);

  /// Those of the process that sends most, all `active` ones being at theirs: an exchange with each
  /// neighbour, of messages as large as its mean, within the node or between nodes. Which of them
  /// stay within a node the hierarchy tells where it was taken from a run in this placement; else a
  /// node's ranks are taken to own a box. With what the topology adds between nodes.
  [[nodiscard]] HaloTimes of(const AmgOperator& one, double active) const;

  /// A few values of each of so many ranks to all of them, as a reduction takes; 0 for one.
  [[nodiscard]] double among(double ranks) const;

 private:
  [[nodiscard]] double share_near(const AmgOperator& one, double on_node) const;

  AmgPlacement placement_;
  Paths paths_;
  AmgRoutes& routes_;
  Bound bound_;
  std::vector<std::string>* notes_;
  bool shares_known_;
};

}  // namespace bellwether
