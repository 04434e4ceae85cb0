// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/network/paths.hpp"
#include "models/network/topology.hpp"

namespace bellwether {

/// A fat tree (XGFT, Öhring et al. 1995) cut down, or grown at its top, to hold so many nodes:
/// `children` of a switch and `parents` of what is below it, by level from the nodes up.
struct FatTree {
  std::vector<int> children;
  std::vector<int> parents;
};
FatTree fat_tree_of(const Topology& topology, int nodes);
/// The topology's torus where it holds so many nodes, else torus_of's.
std::vector<int> torus_for(const Topology& topology, int nodes);

/// A dragonfly (Kim, Dally, Scott, Abts, ISCA 2008) cut down, or grown by groups, to hold so many
/// nodes.
struct Dragonfly {
  int groups = 1, routers = 1, nodes = 1;  ///< of a group, of a router
  double width = 1;                        ///< links between each two groups
};
Dragonfly dragonfly_of(const Topology& topology, int nodes);

/// Which links a message passes between nodes. A fat tree's routes go up by the destination's
/// number (d-mod-k, Zahavi 2012) and down the only way there is; a torus' along one dimension after
/// the other, the shorter way round; a dragonfly's are minimal: to the router that bears the links
/// to the other group, over those, and to the node's router. Each link has two directions, which
/// are counted apart.
class Routes {
 public:
  /// Of a fat tree, a dragonfly or a torus with dimensions.
  Routes(const Topology& topology, int nodes);

  /// Directed.
  [[nodiscard]] int links() const { return links_; }
  /// In their order; empty from a node to itself. The list is overwritten.
  void find(int from, int to, std::vector<int>& route) const;
  /// Links of the longest route of a fat tree, all the way up and down, or of a dragonfly.
  [[nodiscard]] std::size_t longest() const;
  /// How many times as wide as others the link is.
  [[nodiscard]] double width(int link) const {
    return link >= first_between_groups_ ? dragonfly_.width : 1;
  }

 private:
  void find_in_tree(int from, int to, std::vector<int>& route) const;
  void find_in_torus(int from, int to, std::vector<int>& route) const;
  void find_in_dragonfly(int from, int to, std::vector<int>& route) const;

  std::vector<int> torus_;  ///< nodes in each direction; empty: another
  FatTree tree_;
  Dragonfly dragonfly_;  ///< where both are empty
  int first_between_groups_ = std::numeric_limits<int>::max();
  std::vector<int> first_up_;  ///< number of the first link up, by the level below it
  int links_ = 0;
};

/// What a topology does to messages that all nodes send at once.
struct Contention {
  /// Beyond what the busiest node's own link takes, until the busiest link has passed all; below 0
  /// where a node has several links.
  double bandwidth_s = 0;
  /// Of the farthest message, beyond the network's: on a torus the hops after the first; in a fat
  /// tree or a dragonfly, whose longest route has the network's latency in equal parts, below 0 for
  /// shorter ones.
  double latency_s = 0;
  [[nodiscard]] double seconds() const { return bandwidth_s + latency_s; }
};

/// Counts an exchange's messages on the links between nodes. Of a machine whose topology is a fat
/// tree with its arity, a dragonfly, or a torus with the bandwidth of its links; of others nothing.
class ExchangeRoutes {
 public:
  /// The machine must outlive it.
  ExchangeRoutes(const Machine& machine, const RankPlacement& placement, int ranks);

  [[nodiscard]] int node_of(int rank) const { return rank / placement_.ranks_per_node; }
  /// Whether there is anything to count.
  [[nodiscard]] bool counts() const { return routes_.has_value(); }
  void add(int from_rank, int to_rank, double bytes);
  [[nodiscard]] Contention contention() const;
  /// Seconds until the busiest link of a message's route has passed all that was added to it.
  [[nodiscard]] double passing_s(int from_rank, int to_rank) const;
  /// What a message's route adds to the network's latency, as in Contention.
  [[nodiscard]] double added_latency_s(int from_rank, int to_rank) const;
  /// The links that a message passes, and how many there are in all. Where nothing is counted, the
  /// sender's way out of its node and the receiver's into its own; none within a node.
  void route(int from_rank, int to_rank, std::vector<int>& links) const;
  [[nodiscard]] int links() const;
  /// How many times the bandwidth of a link one of them has.
  [[nodiscard]] double link_width(int link) const;
  /// Of a link, one way.
  [[nodiscard]] double link_bandwidth() const;
  /// Takes all messages off.
  void clear();

 private:
  [[nodiscard]] double latency_of(std::size_t links) const;

  const Machine& machine_;
  RankPlacement placement_;
  int nodes_;
  std::optional<Routes> routes_;
  std::vector<double> loads_, sent_, received_;  ///< bytes over width by link, bytes by node
  std::vector<int> loaded_, active_;             ///< links and nodes that have some
  std::vector<int> route_;
  std::size_t most_links_ = 0;  ///< of a message's route
};

/// Bytes per second of one direction of the network between nodes while both are in use, and the
/// latency of its wire: the latency of a message less both overheads. Throws BadInput naming the
/// machine if it has no network.
double network_bandwidth(const Machine& machine);
double network_latency(const Machine& machine);

}  // namespace bellwether
