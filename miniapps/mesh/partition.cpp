// SPDX-License-Identifier: MIT
#include "miniapps/mesh/partition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "miniapps/mesh/parcels.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr Partitioner every_partitioner[] = {Partitioner::scotch, Partitioner::rcb,
                                             Partitioner::block};

}  // namespace

const char* name_of(Partitioner partitioner) {
  constexpr const char* names[] = {"scotch", "rcb", "block"};
  return names[static_cast<int>(partitioner)];
}

Partitioner partitioner_named(const std::string& name) {
  for (const Partitioner partitioner : every_partitioner)
    if (name == name_of(partitioner)) return partitioner;
  throw BadInput(fmt::format("--partitioner: found \"{}\", expected scotch, rcb or block", name));
}

std::vector<int> partition_set(MPI_Comm comm, const BlockMesh& mesh, const PartitionInput& input,
                               Partitioner partitioner) {
  const int ranks = ranks_in(comm), rank = rank_in(comm);
  const MeshSet& set = mesh.sets[input.set];
  if (set.total < ranks)
    throw BadInput(fmt::format("found {} ranks for {} {}, expected at most as many ranks", ranks,
                               set.total, set.name));
  if (partitioner == Partitioner::scotch) return partition_scotch(comm, mesh, input);
  if (partitioner == Partitioner::rcb) return partition_rcb(comm, input.positions);
  return std::vector<int>(mesh.blocks(input.set, ranks).size(rank), rank);
}

std::vector<double> mean_positions(MPI_Comm comm, const BlockMesh& mesh, int map,
                                   const BlockData<double>& coordinates) {
  const BlockMap& of = mesh.maps[map];
  const std::vector<double> corners = fetch(comm, mesh.blocks(of.to, ranks_in(comm)), of.targets,
                                            coordinates.values, coordinates.dim);
  std::vector<double> positions(of.targets.size() / of.arity * 2);
  for (std::size_t at = 0; at < corners.size(); ++at)
    positions[at / (2 * of.arity) * 2 + at % 2] += corners[at] / of.arity;
  return positions;
}

BlockGraph graph_of_map(MPI_Comm comm, const BlockMesh& mesh, int map) {
  struct Pair {
    std::int64_t element, neighbour;
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
  const std::vector<Pair> own = pairs.deliver().items;
  const std::int64_t first = blocks.first(rank_in(comm)), elements = blocks.size(rank_in(comm));
  std::vector<std::int64_t> ends(elements);  // of the elements' pairs, at first the beginnings
  for (const Pair& pair : own)
    if (pair.element - first + 1 < elements) ++ends[pair.element - first + 1];
  for (std::int64_t e = 1; e < elements; ++e) ends[e] += ends[e - 1];
  std::vector<std::int64_t> neighbours(own.size());
  for (const Pair& pair : own) neighbours[ends[pair.element - first]++] = pair.neighbour;
  BlockGraph graph;
  auto begin = neighbours.begin();
  for (const std::int64_t end : ends) {
    const auto last = neighbours.begin() + end;
    std::sort(begin, last);
    graph.neighbours.insert(graph.neighbours.end(), begin, std::unique(begin, last));
    graph.offsets.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
    begin = last;
  }
  return graph;
}

}  // namespace bellwether
