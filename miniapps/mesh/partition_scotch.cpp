// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "miniapps/mesh/parcels.hpp"
#include "miniapps/mesh/partition.hpp"
#include "models/errors.hpp"

#if BELLWETHER_WITH_SCOTCH
// Scotch's headers need these before them, and C linkage is their own.
#include <algorithm>
#include <cstdint>
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
    constexpr double imbalance = 0.002;
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

/// How Scotch works: in one thread a rank, and so that the same mesh and ranks give the same parts.
class Context {
 public:
  Context() {
    check(SCOTCH_contextInit(&context_), "SCOTCH_contextInit");
    for (const int option : {SCOTCH_OPTIONNUMDETERMINISTIC, SCOTCH_OPTIONNUMRANDOMFIXEDSEED})
      check(SCOTCH_contextOptionSetNum(&context_, option, 1), "SCOTCH_contextOptionSetNum");
    check(SCOTCH_contextRandomClone(&context_), "SCOTCH_contextRandomClone");
    SCOTCH_contextRandomReset(&context_);
    check(SCOTCH_contextThreadSpawn(&context_, 1, nullptr), "SCOTCH_contextThreadSpawn");
  }
  ~Context() { SCOTCH_contextExit(&context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  [[nodiscard]] SCOTCH_Context* get() { return &context_; }

 private:
  SCOTCH_Context context_{};
};

/// The graph's arrays and the context must outlive it.
class Graph {
 public:
  Graph(MPI_Comm comm, Context& context, std::vector<SCOTCH_Num>& offsets,
        std::vector<SCOTCH_Num>& neighbours) {
    check(SCOTCH_dgraphInit(&graph_, comm), "SCOTCH_dgraphInit");
    const auto vertices = static_cast<SCOTCH_Num>(offsets.size() - 1);
    const auto edges = static_cast<SCOTCH_Num>(neighbours.size());
    neighbours.resize(neighbours.size() + 1);  // a pointer to it, without edges too
    check(SCOTCH_dgraphBuild(&graph_, 0, vertices, vertices, offsets.data(), offsets.data() + 1,
                             nullptr, nullptr, edges, edges, neighbours.data(), nullptr, nullptr),
          "SCOTCH_dgraphBuild");
    check(SCOTCH_dgraphInit(&bound_, comm), "SCOTCH_dgraphInit");
    check(SCOTCH_contextBindDgraph(context.get(), &graph_, &bound_), "SCOTCH_contextBindDgraph");
  }
  ~Graph() {
    SCOTCH_dgraphExit(&bound_);
    SCOTCH_dgraphExit(&graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  [[nodiscard]] SCOTCH_Dgraph* get() { return &bound_; }

 private:
  SCOTCH_Dgraph graph_{}, bound_{};
};

}  // namespace

std::vector<int> partition_scotch(MPI_Comm comm, const BlockMesh& mesh,
                                  const PartitionInput& input) {
  const int ranks = ranks_in(comm);
  if (ranks == 1) return std::vector<int>(mesh.sets[input.set].total);
  const BlockGraph graph = graph_of_map(comm, mesh, input.neighbour_map);
  std::int64_t arcs = static_cast<std::int64_t>(graph.neighbours.size());
  MPI_Allreduce(MPI_IN_PLACE, &arcs, 1, MPI_INT64_T, MPI_SUM, comm);
  if (std::max(mesh.sets[input.set].total, arcs) > std::numeric_limits<SCOTCH_Num>::max())
    throw BadEnvironment(fmt::format(
        "--partitioner scotch: this build's PT-Scotch counts in {} bytes, too few for {} {} with "
        "{} neighbours in all: use rcb or block",
        sizeof(SCOTCH_Num), mesh.sets[input.set].total, mesh.sets[input.set].name, arcs));
  std::vector<SCOTCH_Num> offsets(graph.offsets.begin(), graph.offsets.end());
  std::vector<SCOTCH_Num> neighbours(graph.neighbours.begin(), graph.neighbours.end());
  std::vector<SCOTCH_Num> parts(offsets.size());  // one too many, so that it is never empty
  Context context;
  Graph distributed(comm, context, offsets, neighbours);
  Strategy strategy(ranks);
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
