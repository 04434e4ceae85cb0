// SPDX-License-Identifier: MIT
#include "models/stencil/rank_kind.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "models/errors.hpp"
#include "models/random_inputs_test.hpp"

namespace bellwether {
namespace {

/// Shape and, for each face, nobody, a rank of the same node or of another.
using Kind = std::array<int, 9>;

Kind kind_of(const Decomposition& decomposition, int rank, int per_node) {
  Kind kind{};
  for (int direction = 0; direction < 3; ++direction)
    kind[direction] = decomposition.local_cells(rank)[direction];
  for (int face = 0; face < 6; ++face) {
    const int other = decomposition.neighbour(rank, face / 2, face % 2);
    kind[3 + face] = other < 0 ? 0 : other / per_node == rank / per_node ? 1 : 2;
  }
  return kind;
}

Kind as_kind(const RankKind& kind) {
  Kind numbers{kind.cells[0], kind.cells[1], kind.cells[2]};
  for (int face = 0; face < 6; ++face) numbers[3 + face] = static_cast<int>(kind.across[face]);
  return numbers;
}

/// Every rank's kind, each once, against rank_kinds.
void expect_every_kind(const Decomposition& decomposition, int per_node) {
  std::set<Kind> all;
  for (int rank = 0; rank < decomposition.size(); ++rank) {
    all.insert(kind_of(decomposition, rank, per_node));
    EXPECT_EQ(as_kind(rank_kind(decomposition, {per_node}, decomposition.coordinates(rank))),
              kind_of(decomposition, rank, per_node));
  }
  std::set<Kind> found;
  const std::vector<RankKind> kinds = rank_kinds(decomposition, {per_node});
  for (const RankKind& kind : kinds) found.insert(as_kind(kind));
  EXPECT_EQ(found, all) << decomposition.name() << " periodic " << decomposition.periodic() << ", "
                        << per_node << " on a node";
  EXPECT_EQ(kinds.size(), found.size());
}

TEST(RankKinds, AreEveryKindOfRankOnEveryLayout) {
  for (const bool periodic : {false, true}) {
    for (const std::array<int, 3> parts :
         {std::array{1, 1, 24}, {4, 3, 2}, {7, 5, 3}, {2, 16, 4}, {16, 16, 2}, {1, 9, 9}}) {
      const Decomposition decomposition({37, 32, 50}, parts, periodic);
      for (const int per_node : {1, 2, 3, 4, 6, 7, 16, 48, 1000})
        expect_every_kind(decomposition, per_node);
    }
  }
}

RC_GTEST_PROP(RankKinds, AreEveryKindOfRank, ()) {
  const Decomposition decomposition = random_decomposition(20, 8);
  expect_every_kind(decomposition, *rc::gen::inRange(1, decomposition.size() + 3));
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(RankKinds, AreFewOfMany) {
  const Decomposition decomposition({4096, 4096, 4096}, {33, 35, 64}, true);
  EXPECT_LE(rank_kinds(decomposition, {128}).size(), 200u);
  EXPECT_THROW(rank_kinds(decomposition, {0}), BadInput);
}

/// 2 x 3 ranks across y and z, four on a node: rank 0 has 1 and 2 beside it, and 3 across an edge.
TEST(RankKinds, AnEdgeLeadsToAnotherNodeWhereOneOfItsFacesDoes) {
  const Decomposition decomposition({8, 8, 9}, {1, 2, 3}, false);
  const RankKind first = rank_kind(decomposition, {4}, {0, 0, 0});
  EXPECT_EQ(first.across_edge(3, 5), Across::same_node);
  EXPECT_EQ(first.across_edge(2, 5), Across::nobody);
  const RankKind second = rank_kind(decomposition, {4}, {0, 0, 1});  // rank 2: 3 and 4 beside it
  EXPECT_EQ(second.across_edge(3, 5), Across::other_node);
  EXPECT_EQ(second.across_edge(3, 4), Across::same_node);
  EXPECT_TRUE(second.is_split(1) && second.is_split(2));
  EXPECT_FALSE(second.is_split(0));
}

TEST(RanksOnNode, AreNoMoreThanThereAre) {
  EXPECT_EQ(ranks_on_node(Decomposition({8, 8, 8}, {1, 1, 2}, true), {3}), 2);
  EXPECT_EQ(ranks_on_node(Decomposition({8, 8, 8}, {1, 1, 6}, true), {3}), 3);
}

}  // namespace
}  // namespace bellwether
