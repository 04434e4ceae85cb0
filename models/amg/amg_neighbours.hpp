// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "models/amg/amg_costs.hpp"
#include "models/network/routes.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {

/// Who talks to whom on a level. A hierarchy says how many messages a process sends and how much,
/// not to whom: the level's active processes are taken to be spread evenly over all, to own boxes
/// of a periodic box, and each to send to the nearest, as many as the one that sends most.
class AmgNeighbours {
 public:
  using Shift = std::array<int, 3>;

  /// `active` as a hierarchy has it, between 1 and `processes`.
  AmgNeighbours(int processes, double active);

  [[nodiscard]] int active() const { return active_; }
  /// Where a process of this place on the level is among all.
  [[nodiscard]] int rank_of(int place) const {
    return static_cast<int>(1LL * place * processes_ / active_);
  }
  /// -1: it has nothing of the level.
  [[nodiscard]] int place_of(int rank) const;

  /// To the nearest, so many messages; none where a process is alone. Each process once.
  [[nodiscard]] std::vector<Shift> nearest(double messages) const;
  /// The place that a shift leads to, or with `way` -1 that it comes from.
  [[nodiscard]] int at(int place, const Shift& shift, int way) const;

 private:
  [[nodiscard]] std::vector<Shift> within(int reach) const;

  int processes_, active_;
  Decomposition box_;
};

/// Counts levels' exchanges on the links of a machine whose topology says which they pass
/// (models/network/routes.hpp); once for each number of processes and messages.
class AmgRoutes {
 public:
  /// The machine must outlive it.
  AmgRoutes(const Machine& machine, const AmgPlacement& placement);

  [[nodiscard]] bool counts() const { return routes_.counts(); }
  /// Seconds that the topology adds to an exchange of so many messages, together of `bytes`; below
  /// 0 where its links are faster than a node's.
  double exchange_s(double active, double messages, double bytes);
  /// The same of a few values gathered among a level's processes, in rounds.
  double gathering_s(double active);

 private:
  ExchangeRoutes routes_;
  int processes_;
  std::map<std::pair<int, int>, Contention> of_a_byte_;  ///< by processes and messages
  std::map<int, double> gatherings_;
};

}  // namespace bellwether
