// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/machine/quantity.hpp"

namespace bellwether {

/// How nodes are joined.
struct Topology {
  std::string kind;  ///< "star", "bus", "mesh" (fully connected), "ring", "tree", "torus"
  std::vector<int> dimensions;  ///< of the torus the parameters were measured on; else empty
  std::optional<Quantity> links_per_node;
  std::optional<Quantity> hop_latency_s;  ///< delay of each further hop
  /// What the hardware moves per node and second at most, all its links together.
  std::optional<Quantity> node_bandwidth_bytes_per_s;
};

/// The most hops between two nodes of a torus: the sum of half of each dimension, rounded down.
int torus_diameter(const std::vector<int>& dimensions);

/// The torus of so many dimensions, as equal as can be and descending, that holds at least `nodes`:
/// the least number of nodes from there on without a prime factor above 5, as partitions come.
std::vector<int> torus_of(int nodes, int dimensions);

/// The most hops that a message makes within a partition of `nodes`; at least 1. A torus' partition
/// has the topology's dimensions where their product is `nodes`, else torus_of's; a ring is a torus
/// of one dimension. In other kinds every message is taken to make one hop.
int partition_diameter(const Topology& topology, int nodes);

/// What the network time is multiplied by (Hu and Lu, Section 4.3): star 2, bus the nodes, mesh
/// (fully connected) 1, ring floor(nodes / 2), tree 2 ceil(log2 nodes). Throws BadInput for another
/// kind.
double topology_factor(const std::string& kind, int nodes);

}  // namespace bellwether
