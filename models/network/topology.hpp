// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/machine/quantity.hpp"

namespace bellwether {

/// How nodes are joined.
struct Topology {
  /// "star", "bus", "mesh" (fully connected), "ring", "tree", "torus", "fat-tree", "dragonfly"
  std::string kind;
  std::vector<int> dimensions;  ///< of the torus the parameters were measured on; else empty
  std::optional<Quantity> links_per_node;
  std::optional<Quantity> hop_latency_s;  ///< delay of each further hop
  /// What the hardware moves per node and second at most, all its links together.
  std::optional<Quantity> node_bandwidth_bytes_per_s;
  /// Of one link of a torus, each way: with it an exchange's messages are counted on the links that
  /// they pass (models/network/routes.hpp). A fat tree's links are as fast as a node's.
  std::optional<Quantity> link_bandwidth_bytes_per_s = {};
  std::vector<int> arity = {};  ///< of a fat tree: what is below each switch, from the nodes up
  /// Of a dragonfly: groups, routers of a group, nodes of a router. The routers of a group are
  /// fully connected, and so are the groups: router j of group i, counted round, bears all links to
  /// group j.
  std::vector<int> dragonfly = {};
  /// Links between groups of each router on average; absent: one between each two groups.
  std::optional<Quantity> global_links_per_router = {};
  /// Of a fat tree: links down to links up of each switch below the top; absent: 1, as many.
  std::optional<Quantity> taper = {};
};

/// The most hops between two nodes of a torus: the sum of half of each dimension, rounded down.
int torus_diameter(const std::vector<int>& dimensions);

/// The torus of so many dimensions, as equal as can be and descending, that holds at least `nodes`:
/// the least number of nodes from there on without a prime factor above 5, as partitions come.
std::vector<int> torus_of(int nodes, int dimensions);

/// "flat"; "fat-tree:32x64", the children of a switch from the nodes up, with "/4" behind it links
/// down to links up; "torus:16x16x16"; or "dragonfly:9x8x4", groups, routers of each and nodes of a
/// router, with "/2" behind it links between groups of each router. Absent for "flat". Throws
/// BadInput for anything else.
std::optional<Topology> parse_topology(const std::string& text);

/// The most hops that a message makes within a partition of `nodes`; at least 1. A torus' partition
/// has the topology's dimensions where their product is `nodes`, else torus_of's; a ring is a torus
/// of one dimension. In other kinds every message is taken to make one hop.
int partition_diameter(const Topology& topology, int nodes);

/// What the network time is multiplied by (Hu and Lu, Section 4.3): star 2, bus the nodes, mesh
/// (fully connected) 1, ring floor(nodes / 2), tree 2 ceil(log2 nodes). Throws BadInput for another
/// kind.
double topology_factor(const std::string& kind, int nodes);

}  // namespace bellwether
