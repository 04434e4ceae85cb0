// SPDX-License-Identifier: MIT
#include "miniapps/mesh/block_graph.hpp"

#include <algorithm>
#include <utility>

#include "miniapps/mesh/parcels.hpp"

namespace bellwether {

BlockGraph graph_of_map(MPI_Comm comm, const BlockMesh& mesh, int map) {
  struct Pair {
    std::int64_t element, neighbour;
    auto operator<=>(const Pair&) const = default;
  };
  const BlockMap& of = mesh.maps[map];
  const Blocks blocks = mesh.blocks(of.to, ranks_in(comm));
  Outbox<Pair> pairs(comm);
  for (std::size_t row = 0; row < of.targets.size(); row += of.arity) {
    for (int a = 0; a < of.arity; ++a) {
      for (int b = 0; b < of.arity; ++b) {
        const Pair pair{of.targets[row + a], of.targets[row + b]};
        if (pair.element != pair.neighbour) pairs.add(blocks.rank_of(pair.element), pair);
      }
    }
  }
  std::vector<Pair> own = pairs.deliver().items;
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  BlockGraph graph;
  const std::int64_t first = blocks.first(rank_in(comm));
  auto next = own.begin();
  for (std::int64_t element = first; element < blocks.end(rank_in(comm)); ++element) {
    for (; next != own.end() && next->element == element; ++next)
      graph.neighbours.push_back(next->neighbour);
    graph.offsets.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
  }
  return graph;
}

}  // namespace bellwether
