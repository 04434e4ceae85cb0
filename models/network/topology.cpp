// SPDX-License-Identifier: MIT
#include "models/network/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
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
