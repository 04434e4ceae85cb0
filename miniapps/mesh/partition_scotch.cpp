// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "miniapps/mesh/block_graph.hpp"
#include "miniapps/mesh/parcels.hpp"
#include "miniapps/mesh/partition.hpp"
#include "models/errors.hpp"

#if BELLWETHER_WITH_SCOTCH
// Scotch's headers need these before them, and C linkage is their own.
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include <ptscotch.h>
#endif

namespace bellwether {

#if BELLWETHER_WITH_SCOTCH

bool has_scotch() { return true; }

namespace {

void check(int status, const char* call) {
  if (status != 0) throw std::runtime_error(fmt::format("PT-Scotch: {} failed", call));
}

class Strategy {
 public:
  explicit Strategy(int ranks) {
    check(SCOTCH_stratInit(&strategy_), "SCOTCH_stratInit");
    constexpr double imbalance = 0.01;
    check(SCOTCH_stratDgraphMapBuild(&strategy_, SCOTCH_STRATQUALITY, ranks, ranks, imbalance),
          "SCOTCH_stratDgraphMapBuild");
  }
  ~Strategy() { SCOTCH_stratExit(&strategy_); }
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  [[nodiscard]] SCOTCH_Strat* get() { return &strategy_; }

 private:
  SCOTCH_Strat strategy_{};
};

/// The graph's arrays must outlive it.
class Graph {
 public:
  Graph(MPI_Comm comm, std::vector<SCOTCH_Num>& offsets, std::vector<SCOTCH_Num>& neighbours) {
    check(SCOTCH_dgraphInit(&graph_, comm), "SCOTCH_dgraphInit");
    const auto vertices = static_cast<SCOTCH_Num>(offsets.size() - 1);
    const auto edges = static_cast<SCOTCH_Num>(neighbours.size());
    neighbours.resize(neighbours.size() + 1);  // a pointer to it, without edges too
    check(SCOTCH_dgraphBuild(&graph_, 0, vertices, vertices, offsets.data(), offsets.data() + 1,
                             nullptr, nullptr, edges, edges, neighbours.data(), nullptr, nullptr),
          "SCOTCH_dgraphBuild");
  }
  ~Graph() { SCOTCH_dgraphExit(&graph_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  [[nodiscard]] SCOTCH_Dgraph* get() { return &graph_; }

 private:
  SCOTCH_Dgraph graph_{};
};

}  // namespace

std::vector<int> partition_scotch(MPI_Comm comm, const BlockMesh& mesh,
                                  const PartitionInput& input) {
  const int ranks = ranks_in(comm);
  const BlockGraph graph = graph_of_map(comm, mesh, input.neighbour_map);
  if (mesh.sets[input.set].total > std::numeric_limits<SCOTCH_Num>::max())
    throw BadEnvironment(fmt::format("this build's PT-Scotch counts in {} bytes, too few for {} {}",
                                     sizeof(SCOTCH_Num), mesh.sets[input.set].total,
                                     mesh.sets[input.set].name));
  std::vector<SCOTCH_Num> offsets(graph.offsets.begin(), graph.offsets.end());
  std::vector<SCOTCH_Num> neighbours(graph.neighbours.begin(), graph.neighbours.end());
  std::vector<SCOTCH_Num> parts(offsets.size());  // one too many, so that it is never empty
  Graph distributed(comm, offsets, neighbours);
  Strategy strategy(ranks);
  SCOTCH_randomReset();  // the same mesh and ranks give the same parts
  check(SCOTCH_dgraphPart(distributed.get(), ranks, strategy.get(), parts.data()),
        "SCOTCH_dgraphPart");
  return {parts.begin(), parts.end() - 1};
}

#else

bool has_scotch() { return false; }

std::vector<int> partition_scotch(MPI_Comm, const BlockMesh&, const PartitionInput&) {
  throw BadEnvironment(
      "--partitioner scotch: this build has no PT-Scotch (Debian: libptscotch-dev), use rcb or "
      "block");
}

#endif

}  // namespace bellwether
