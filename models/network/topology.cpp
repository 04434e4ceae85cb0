// SPDX-License-Identifier: MIT
#include "models/network/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <numeric>

#include "models/errors.hpp"
#include "models/network/paths.hpp"

namespace bellwether {
namespace {

/// The least number of at least `nodes` without a prime factor above 5.
long long partition_size(int nodes) {
  long long least = std::numeric_limits<long long>::max();
  for (long long fives = 1; fives < 5LL * nodes; fives *= 5)
    for (long long threes = fives; threes < 3LL * nodes; threes *= 3) {
      long long size = threes;
      while (size < nodes) size *= 2;
      least = std::min(least, size);
    }
  return least;
}

}  // namespace

std::optional<Topology> parse_topology(const std::string& text) {
  if (text == "flat") return std::nullopt;
  const auto colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const auto slash = text.find('/');
  Topology topology;
  topology.kind = kind;
  std::vector<int> sides;
  const bool tree = kind == "fat-tree", dragonfly = kind == "dragonfly";
  bool good = colon != text.npos && (kind == "torus" || tree || dragonfly);
  const char* at = text.data() + (good ? colon + 1 : text.size());
  const char* const end = text.data() + std::min(slash, text.size());
  while (good) {
    const auto [next, error] = std::from_chars(at, end, sides.emplace_back());
    good = error == std::errc() && sides.back() > 0;
    at = next;
    if (at == end || *at++ != 'x') break;
  }
  good = good && at == end;
  if (slash != text.npos) {
    double number = 0;
    const auto [next, error] = std::from_chars(end + 1, text.data() + text.size(), number);
    good = good && error == std::errc() && next == text.data() + text.size() &&
           (tree ? number >= 1 : dragonfly && number > 0);
    (tree ? topology.taper : topology.global_links_per_router) = Quantity::exact(number);
  }
  constexpr double most_nodes = 1e8;
  if (good && std::accumulate(sides.begin(), sides.end(), 1., std::multiplies<>()) > most_nodes)
    good = false;
  if (dragonfly && sides.size() != 3) good = false;
  if (!good)
    throw BadInput(
        fmt::format("topology: found \"{}\", expected flat, fat-tree:32x64 (the children of a "
                    "switch from the nodes up; with /4: links down to links up), torus:16x16x16 or "
                    "dragonfly:9x8x4 (groups, routers of each, nodes of a router; with /2: links "
                    "between groups of each router)",
                    text));
  (tree ? topology.arity : dragonfly ? topology.dragonfly : topology.dimensions) = std::move(sides);
  return topology;
}

int torus_diameter(const std::vector<int>& dimensions) {
  int hops = 0;
  for (const int nodes : dimensions) hops += nodes / 2;
  return hops;
}

std::vector<int> torus_of(int nodes, int dimensions) {
  std::vector<int> shape(static_cast<std::size_t>(dimensions), 1);
  long long left = partition_size(nodes);
  for (const int prime : {5, 3, 2})
    for (; left % prime == 0; left /= prime) *std::min_element(shape.begin(), shape.end()) *= prime;
  std::sort(shape.begin(), shape.end(), std::greater<>());
  return shape;
}

int partition_diameter(const Topology& topology, int nodes) {
  const std::vector<int>& known = topology.dimensions;
  if (topology.kind == "ring") return std::max(1, torus_diameter({nodes}));
  if (topology.kind != "torus" || known.empty()) return 1;
  const double whole = std::accumulate(known.begin(), known.end(), 1.0, std::multiplies<>());
  if (whole == nodes) return std::max(1, torus_diameter(known));
  return std::max(1, torus_diameter(torus_of(nodes, static_cast<int>(known.size()))));
}

double topology_factor(const std::string& kind, int nodes) {
  if (kind == "star") return 2;
  if (kind == "bus") return nodes;
  if (kind == "mesh") return 1;
  if (kind == "ring") return nodes / 2;
  if (kind == "tree") return 2 * tree_stages(nodes);
  throw BadInput(
      fmt::format("topology: found \"{}\", expected star, bus, mesh, ring or tree", kind));
}

}  // namespace bellwether
