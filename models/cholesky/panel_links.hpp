// SPDX-License-Identifier: MIT
#pragma once

#include "models/cholesky/cholesky_parameters.hpp"
#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"
#include "models/network/paths.hpp"
#include "models/network/routes.hpp"

namespace bellwether {

/// A panel on its way from one rank to another: `before_s`, and then its bytes, which take
/// `bytes_s` where no others share the link. `hideable`: the share of it in which the receiver can
/// compute. `sender_s`: of the sender's own time, before it computes on. `rendezvous`: it begins
/// once its receiver waits for it, and its sender keeps the memory until it is there; else it is
/// copied aside. `in_turn`: it sets out once the sender's one before has left.
struct PanelLink {
  double before_s = 0, bytes_s = 0;
  double hideable = 1;
  double sender_s = 0;
  bool rendezvous = false, in_turn = false;
};

/// What the panels of a run pass over.
class PanelLinks {
 public:
  /// `copied`: how a receiver copies from its node's memory; null: by messages. Machine, paths and
  /// that must outlive it.
  PanelLinks(const Machine& machine, const Paths& paths, int ranks, const LinkTiming* copied);

  /// Between nodes, where the machine's topology adds what it knows. Throws BadInput where the link
  /// is missing.
  [[nodiscard]] PanelLink between_nodes(double bytes, Bound bound) const;
  [[nodiscard]] PanelLink within_node(double bytes, Bound bound) const;
  /// Whether receivers copy within a node, each at a rate of its own.
  [[nodiscard]] bool copies() const { return copied_ != nullptr; }
  [[nodiscard]] const ExchangeRoutes& routes() const { return routes_; }

 private:
  const Paths& paths_;
  const LinkTiming* copied_;
  ExchangeRoutes routes_;
  const CholeskyParameters* own_;
  double link_share_;  ///< the network's bandwidth to that of the links that messages pass
};

}  // namespace bellwether
