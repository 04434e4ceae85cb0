// SPDX-License-Identifier: MIT
#pragma once

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

/// Which links a message passes between nodes. A fat tree's routes go up by the destination's
/// number (d-mod-k, Zahavi 2012) and down the only way there is; a torus' along one dimension after
/// the other, the shorter way round. Each link has two directions, which are counted apart.
class Routes {
 public:
  /// Of a fat tree or a torus with dimensions.
  Routes(const Topology& topology, int nodes);

  /// Directed.
  [[nodiscard]] int links() const { return links_; }
  /// In their order; empty from a node to itself. The list is overwritten.
  void find(int from, int to, std::vector<int>& route) const;

 private:
  void find_in_tree(int from, int to, std::vector<int>& route) const;
  void find_in_torus(int from, int to, std::vector<int>& route) const;

  std::vector<int> torus_;  ///< nodes in each direction; empty: a fat tree
  FatTree tree_;
  std::vector<int> first_up_;  ///< number of the first link up, by the level below it
  int links_ = 0;
};

/// What a topology does to messages that all nodes send at once.
struct Contention {
  /// Beyond what the busiest node's own link takes, until the busiest link has passed all; below 0
  /// where a node has several links.
  double bandwidth_s = 0;
  double latency_s = 0;  ///< hops beyond the first of the farthest message
  [[nodiscard]] double seconds() const { return bandwidth_s + latency_s; }
};

/// Counts an exchange's messages on the links between nodes. Of a machine whose topology is a fat
/// tree with its arity, or a torus with the bandwidth of its links; of others nothing.
class ExchangeRoutes {
 public:
  /// The machine must outlive it.
  ExchangeRoutes(const Machine& machine, const RankPlacement& placement, int ranks);

  /// Whether there is anything to count.
  [[nodiscard]] bool counts() const { return routes_.has_value(); }
  void add(int from_rank, int to_rank, double bytes);
  [[nodiscard]] Contention contention() const;

 private:
  const Machine& machine_;
  RankPlacement placement_;
  std::optional<Routes> routes_;
  std::vector<double> loads_, sent_, received_;  ///< bytes, by link and by node
  std::vector<int> route_;
  std::size_t most_hops_ = 1;
};

/// Bytes per second of one direction of the network between nodes while both are in use, and the
/// latency of its wire: the latency of a message less both overheads. Throws BadInput naming the
/// machine if it has no network.
double network_bandwidth(const Machine& machine);
double network_latency(const Machine& machine);

}  // namespace bellwether
