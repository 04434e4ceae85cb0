// SPDX-License-Identifier: MIT
#include "models/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Coordinates of a direction that give every residue of the rank's place on its node: both ends,
/// and as many as the pattern's period from the first of the larger and the first of the smaller
/// parts.
std::vector<int> candidate_coordinates(int cells, int parts, int period) {
  std::set<int> found{0, parts - 1};
  for (const int first : {1, cells % parts})
    for (int index = first; index < std::min(parts, first + period); ++index) found.insert(index);
  return {found.begin(), found.end()};
}

/// What a rank's time depends on: its cells, and for each side nobody, a rank of its node or
/// another.
using Signature = std::array<int, 9>;

Signature signature(const Decomposition& decomposition, int rank, int ranks_per_node) {
  const std::array<int, 3> local = decomposition.local_cells(rank);
  Signature signature{local[0], local[1], local[2]};
  for (int direction = 0; direction < 3; ++direction) {
    for (int side = 0; side < 2; ++side) {
      const int neighbour = decomposition.neighbour(rank, direction, side);
      const bool near = neighbour / ranks_per_node == rank / ranks_per_node;
      signature[3 + 2 * direction + side] = neighbour < 0 ? 0 : near ? 1 : 2;
    }
  }
  return signature;
}

}  // namespace

int ranks_on_node(const Decomposition& decomposition, const RankPlacement& placement) {
  return std::min(placement.ranks_per_node, decomposition.size());
}

Path path_between(const Machine& machine, const RankPlacement& placement, int rank, int neighbour) {
  const bool near = rank / placement.ranks_per_node == neighbour / placement.ranks_per_node;
  const auto shared_memory = machine.links.find("shared_memory");
  if (near && shared_memory != machine.links.end())
    return {"shared_memory", &shared_memory->second};
  const auto network = machine.links.find("network");
  if (network != machine.links.end()) return {"network", &network->second};
  throw BadInput(fmt::format(
      "machine {}: the link \"{}\" is missing, expected for ranks {} and {} with {} on each node; "
      "calibrate with that layout",
      machine.name, near ? "shared_memory" : "network", rank, neighbour, placement.ranks_per_node));
}

std::vector<int> distinct_ranks(const Decomposition& decomposition,
                                const RankPlacement& placement) {
  if (placement.ranks_per_node < 1)
    throw BadInput(fmt::format("ranks per node: found {}, expected a positive count",
                               placement.ranks_per_node));
  if (placement.ranks_per_node == 1 || placement.ranks_per_node >= decomposition.size())
    return decomposition.representatives();
  std::array<std::vector<int>, 3> candidates;
  int stride = 1;  // between the numbers of ranks that are neighbours in the direction
  for (int direction = 0; direction < 3; ++direction) {
    const int per_node = placement.ranks_per_node;
    const int parts = decomposition.ranks()[direction];
    candidates[direction] = candidate_coordinates(decomposition.cells()[direction], parts,
                                                  per_node / std::gcd(stride, per_node));
    stride *= parts;
  }
  std::set<Signature> seen;
  std::vector<int> found;
  for (const int z : candidates[2])
    for (const int y : candidates[1])
      for (const int x : candidates[0]) {
        const int rank = decomposition.rank_at({x, y, z});
        if (seen.insert(signature(decomposition, rank, placement.ranks_per_node)).second)
          found.push_back(rank);
      }
  return found;
}

}  // namespace bellwether
