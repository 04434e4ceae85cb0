// SPDX-License-Identifier: MIT
#include "models/topology.hpp"

#include "models/quantity_json.hpp"

namespace bellwether {

Topology parse_topology(const JsonNode& node) {
  JsonObject object(node);
  Topology topology;
  topology.kind = object.required("kind").one_of({"star", "bus", "mesh", "ring", "tree", "torus"});
  if (const auto dimensions = object.optional("dimensions"))
    for (const JsonNode& item : dimensions->items(1)) topology.dimensions.push_back(item.count(1));
  if (const auto links = object.optional("links_per_node"))
    topology.links_per_node = parse_quantity(*links, Range::positive);
  if (const auto latency = object.optional("hop_latency_s"))
    topology.hop_latency_s = parse_quantity(*latency, Range::nonnegative);
  if (const auto bandwidth = object.optional("node_bandwidth_bytes_per_s"))
    topology.node_bandwidth_bytes_per_s = parse_quantity(*bandwidth, Range::positive);
  object.finish();
  return topology;
}

nlohmann::json to_json(const Topology& topology) {
  nlohmann::json object = {{"kind", topology.kind}};
  if (!topology.dimensions.empty()) object["dimensions"] = topology.dimensions;
  if (topology.links_per_node) object["links_per_node"] = quantity_json(*topology.links_per_node);
  if (topology.hop_latency_s) object["hop_latency_s"] = quantity_json(*topology.hop_latency_s);
  if (topology.node_bandwidth_bytes_per_s)
    object["node_bandwidth_bytes_per_s"] = quantity_json(*topology.node_bandwidth_bytes_per_s);
  return object;
}

int torus_diameter(const std::vector<int>& dimensions) {
  int hops = 0;
  for (const int nodes : dimensions) hops += nodes / 2;
  return hops;
}

}  // namespace bellwether
