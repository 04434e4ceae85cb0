// SPDX-License-Identifier: MIT
#include "models/network/trees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/errors.hpp"

namespace bellwether {
namespace {

std::vector<BroadcastTree> all_trees(const std::string& name, int processes, int root) {
  std::vector<BroadcastTree> trees;
  for (int process = 0; process < processes; ++process)
    trees.push_back(broadcast_tree(name, processes, root, process));
  return trees;
}

const BroadcastTree& tree_of(const std::vector<BroadcastTree>& trees, int process) {
  return trees.at(static_cast<std::size_t>(process));
}

std::vector<std::string> every_tree() {
  std::vector<std::string> names = broadcast_names();
  names.emplace_back(nearest_first);
  return names;
}

TEST(Broadcast, ReachesEveryProcessOnceFromEveryRoot) {
  for (const std::string& name : every_tree())
    for (int processes = 1; processes <= 33; ++processes)
      for (const int root : {0, processes / 2, processes - 1}) {
        SCOPED_TRACE(name + " " + std::to_string(processes) + " from " + std::to_string(root));
        const auto trees = all_trees(name, processes, root);
        std::vector<int> reached{root};  // in the order in which they are, so that no circle is
        for (std::size_t next = 0; next < reached.size(); ++next) {
          for (const int child : tree_of(trees, reached[next]).children) {
            ASSERT_GE(child, 0);
            ASSERT_LT(child, processes);
            EXPECT_EQ(tree_of(trees, child).parent, reached[next]);
            reached.push_back(child);
          }
          ASSERT_LE(reached.size(), static_cast<std::size_t>(processes));
        }
        EXPECT_EQ(std::set<int>(reached.begin(), reached.end()).size(),
                  static_cast<std::size_t>(processes));
        EXPECT_EQ(tree_of(trees, root).parent, -1);
        const std::vector<int> parents = broadcast_parents(name, processes);
        for (int distance = 0; distance < processes; ++distance) {
          const int parent = parents.at(static_cast<std::size_t>(distance));
          EXPECT_EQ(tree_of(trees, (root + distance) % processes).parent,
                    parent < 0 ? -1 : (root + parent) % processes);
        }
      }
}

TEST(Broadcast, NextPanelsOwnerIsServedFirst) {
  for (const std::string& name : every_tree())
    for (int processes = 2; processes <= 17; ++processes)
      for (int root = 0; root < processes; ++root) {
        const int next = (root + 1) % processes;
        EXPECT_EQ(broadcast_tree(name, processes, root, root).children.at(0), next) << name;
        if (name.ends_with("-modified") || name == nearest_first) {
          EXPECT_TRUE(broadcast_tree(name, processes, root, next).children.empty()) << name;
        }
      }
}

TEST(Broadcast, TakesAsManyRoundsAsItsNameSays) {
  const auto taken = [](const char* name, int processes) {
    const std::vector<int> rounds = broadcast_rounds(name, processes);
    return *std::max_element(rounds.begin(), rounds.end());
  };
  for (const int processes : {5, 8, 9, 16, 17}) {
    for (const char* name : {"ring", "ring-modified", "pipeline"})
      EXPECT_EQ(taken(name, processes), processes - 1) << name;
    EXPECT_EQ(taken("two-rings", processes), (processes + 1) / 2);
    EXPECT_EQ(taken("two-rings-modified", processes), (processes + 2) / 2);
  }
  EXPECT_EQ(taken("tree", 8), 3);
  EXPECT_EQ(taken("tree", 9), 4);
  EXPECT_EQ(taken("tree", 16), 4);
  EXPECT_EQ(broadcast_rounds("two-rings-modified", 8), (std::vector{0, 1, 2, 3, 4, 3, 4, 5}));
  EXPECT_EQ(broadcast_rounds("tree", 8), (std::vector{0, 1, 2, 2, 3, 3, 3, 3}));
}

TEST(Broadcast, SendsInTheOrderThatHplDoes) {
  const auto children = [](const char* name, int process) {
    return broadcast_tree(name, 8, 0, process).children;
  };
  EXPECT_EQ(children("ring-modified", 0), (std::vector{1, 2}));
  EXPECT_EQ(children("two-rings", 0), (std::vector{1, 5}));
  EXPECT_TRUE(children("two-rings", 4).empty());
  EXPECT_EQ(children("two-rings", 5), std::vector{6});
  EXPECT_EQ(children("two-rings-modified", 0), (std::vector{1, 2, 5}));
  EXPECT_TRUE(children("two-rings-modified", 4).empty());
  EXPECT_EQ(children("tree", 0), (std::vector{1, 2, 4}));
  EXPECT_EQ(children("tree", 1), (std::vector{3, 5}));
  EXPECT_EQ(children("tree", 3), std::vector{7});
}

// Each message after the one before: whose turn it is later waits no longer than for its turn.
TEST(Broadcast, NearestFirstIsInTimeForEachTurn) {
  constexpr int processes = 100;
  const auto trees = all_trees(nearest_first, processes, 0);
  std::vector<int> arrived(processes);
  for (int process = 0; process < processes; ++process) {
    const BroadcastTree& tree = tree_of(trees, process);
    EXPECT_LE(arrived[static_cast<std::size_t>(process)], process);
    int turn = 0;
    for (const int child : tree.children)
      arrived[static_cast<std::size_t>(child)] =
          arrived[static_cast<std::size_t>(process)] + ++turn;
  }
}

TEST(Broadcast, OnlyAPipelineHasSegments) {
  for (const std::string& name : broadcast_names())
    EXPECT_EQ(broadcast_tree(name, 8, 0, 2, 4 << 20).segments, name == "pipeline" ? 8 : 1) << name;
  EXPECT_EQ(broadcast_tree("pipeline", 2, 0, 0, 4 << 20).segments, 1);  // nobody to pass it on
  EXPECT_EQ(pipeline_segments(0), 1);
  EXPECT_EQ(pipeline_segments(64 << 10), 1);
  EXPECT_EQ(pipeline_segments(256 << 10), 2);
  EXPECT_EQ(pipeline_segments(1e12), 64);
}

TEST(Broadcast, RefusesUnknownNames) {
  for (const char* name : {"", "1ring", "Ring", "pipeline "})
    EXPECT_THROW(broadcast_tree(name, 4, 0, 0), BadInput) << name;
}

}  // namespace
}  // namespace bellwether
