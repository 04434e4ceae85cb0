// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/quantity.hpp"
#include "models/strict_json.hpp"

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

Topology parse_topology(const JsonNode& node);
nlohmann::json to_json(const Topology& topology);

/// The most hops between two nodes of a torus: the sum of half of each dimension, rounded down.
int torus_diameter(const std::vector<int>& dimensions);

}  // namespace bellwether
