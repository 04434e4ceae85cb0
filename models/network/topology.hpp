// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/machine/quantity.hpp"

namespace bellwether {

/// How nodes are joined.
struct Topology {
  /// "star", "bus", "mesh" (fully connected), "ring", "tree", "torus", "fat-tree"
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
  /// Of a fat tree: links down to links up of each switch below the top; absent: 1, as many.
  std::optional<Quantity> taper = {};
};

/// The most hops between two nodes of a torus: the sum of half of each dimension, rounded down.
int torus_diameter(const std::vector<int>& dimensions);

/// The torus of so many dimensions, as equal as can be and descending, that holds at least `nodes`:
/// the least number of nodes from there on without a prime factor above 5, as partitions come.
std::vector<int> torus_of(int nodes, int dimensions);

/// "flat"; "fat-tree:32x64", the children of a switch from the nodes up, with "/4" behind it links
/// down to links up; or "torus:16x16x16". Absent for "flat". Throws BadInput for anything else.
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
