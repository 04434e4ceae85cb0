// SPDX-License-Identifier: MIT
#include "models/placement.hpp"

#include <gtest/gtest.h>

#include <set>

#include "models/errors.hpp"
#include "models/full_machine.hpp"

namespace bellwether {
namespace {

/// Shape and, for each face, nobody, a rank of the same node or of another.
std::vector<int> kind(const Decomposition& decomposition, int rank, int per_node) {
  const auto local = decomposition.local_cells(rank);
  std::vector<int> kind(local.begin(), local.end());
  for (int face = 0; face < 6; ++face) {
    const int other = decomposition.neighbour(rank, face / 2, face % 2);
    kind.push_back(other < 0 ? -1 : other / per_node == rank / per_node);
  }
  return kind;
}

TEST(DistinctRanks, AreEveryKindOfRankOnEveryLayout) {
  for (const bool periodic : {false, true}) {
    for (const std::array<int, 3> parts :
         {std::array{1, 1, 24}, {4, 3, 2}, {7, 5, 3}, {2, 16, 4}, {16, 16, 2}, {1, 9, 9}}) {
      const Decomposition decomposition({37, 32, 50}, parts, periodic);
      for (const int per_node : {1, 2, 3, 4, 6, 7, 16, 48, 1000}) {
        std::set<std::vector<int>> all;
        for (int rank = 0; rank < decomposition.size(); ++rank)
          all.insert(kind(decomposition, rank, per_node));
        std::set<std::vector<int>> found;
        for (const int rank : distinct_ranks(decomposition, {per_node}))
          found.insert(kind(decomposition, rank, per_node));
        EXPECT_EQ(found, all) << decomposition.name() << " periodic " << periodic << ", "
                              << per_node << " on a node";
      }
    }
  }
}

TEST(DistinctRanks, AreFewOfMany) {
  const Decomposition decomposition({4096, 4096, 4096}, {32, 32, 64}, true);
  EXPECT_LE(distinct_ranks(decomposition, {128}).size(), 200u);
  EXPECT_THROW(distinct_ranks(decomposition, {0}), BadInput);
}

TEST(PathBetween, IsSharedMemoryOnANodeAndNetworkBetween) {
  const Machine machine = full_machine();
  EXPECT_EQ(path_between(machine, {4}, 0, 3).name, "shared_memory");
  EXPECT_EQ(path_between(machine, {4}, 3, 4).name, "network");
}

TEST(PathBetween, IsTheNetworkWhereSharedMemoryIsNotKnown) {
  Machine machine = full_machine();
  machine.links.erase("shared_memory");
  EXPECT_EQ(path_between(machine, {4}, 0, 3).name, "network");
}

TEST(PathBetween, NamesTheMissingLink) {
  Machine machine = full_machine();
  machine.links.erase("network");
  EXPECT_NO_THROW(path_between(machine, {4}, 0, 3));
  try {
    (void)path_between(machine, {4}, 3, 4);
    FAIL() << "a missing link was not noticed";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("machine full"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("\"network\""), std::string::npos);
  }
}

TEST(RanksOnNode, AreNoMoreThanThereAre) {
  EXPECT_EQ(ranks_on_node(Decomposition({8, 8, 8}, {1, 1, 2}, true), {3}), 2);
  EXPECT_EQ(ranks_on_node(Decomposition({8, 8, 8}, {1, 1, 6}, true), {3}), 3);
}

}  // namespace
}  // namespace bellwether
