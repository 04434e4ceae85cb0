// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "models/errors.hpp"
#include "results/acceptance/judge.hpp"
#include "results/acceptance/test_examples.hpp"

namespace bellwether {
namespace {

const Finding* first(const std::vector<Finding>& found, const std::string& quantity) {
  for (const Finding& one : found)
    if (one.quantity == quantity) return &one;
  return nullptr;
}

std::vector<Finding> judged(const std::vector<SiblingOccasion>& all,
                            const std::vector<SiblingOccasion>& before = {}) {
  return judge_siblings(all, {}, example_material, 0.01, before);
}

TEST(Siblings, NameTheSlowRank) {
  const auto found = judged(occasions({1, 1, 2, 1, 1, 1.01, 1, 0.99}, false));
  const Finding* const slow = first(found, "memory bandwidth");
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(slow->verdict, Verdict::fail);
  EXPECT_EQ(slow->subject, "rank 2");
  EXPECT_NEAR(*slow->value, 0.5, 0.02);
  EXPECT_NE(slow->sentence.find("rank 2: its memory bandwidth is 0.50 of the others'"),
            std::string::npos)
      << slow->sentence;
  const auto alike = judged(occasions({1, 1, 1, 1, 1}, false));
  EXPECT_EQ(first(alike, "memory bandwidth")->verdict, Verdict::pass);
}

TEST(Siblings, OfTwoTheyDifferAndTheBaselineTellsWhich) {
  const auto two = occasions({1, 2}, true);
  const Finding differ = *first(judged(two), "memory bandwidth");
  EXPECT_EQ(differ.verdict, Verdict::fail);
  EXPECT_NE(differ.sentence.find("two alone cannot tell"), std::string::npos);
  EXPECT_EQ(differ.subject, "node0 (rank 0) and node1 (rank 1)");
  const Finding told = *first(judged(two, occasions({1, 1}, true)), "memory bandwidth");
  EXPECT_NE(told.sentence.find("node1 (rank 1) has changed"), std::string::npos) << told.sentence;
  // As it was before: nothing has changed, and it is still said.
  EXPECT_EQ(first(judged(occasions({1, 1.02}, true)), "memory bandwidth")->verdict, Verdict::pass);
}

TEST(Siblings, TooFewAreSaid) {
  EXPECT_EQ(judged({}).front().verdict, Verdict::not_judged);
  EXPECT_EQ(judged(occasions({1}, false)).front().verdict, Verdict::not_judged);
  EXPECT_EQ(first(judged(occasions({1, 3}, false, 4)), "memory bandwidth")->verdict,
            Verdict::not_judged);
}

/// All pairs of four nodes; the links of `slow` (a node or a pair) take twice as long.
std::vector<SiblingOccasion> with_links(int slow_node, std::pair<int, int> slow_pair) {
  std::vector<SiblingOccasion> all = occasions({1, 1, 1, 1}, true);
  std::mt19937_64 engine(10);
  std::normal_distribution<double> normal;
  for (SiblingOccasion& one : all) {
    one.links = {"nodes", 1048576, {}};
    for (int a = 0; a < 4; ++a)
      for (int b = a + 1; b < 4; ++b) {
        const bool slow = a == slow_node || b == slow_node || slow_pair == std::pair(a, b);
        const double small_s = 1e-5 * std::exp(0.02 * normal(engine));
        one.links->pairs.push_back(
            {{a, b}, {small_s, (slow ? 2e-2 : 1e-2) * std::exp(0.02 * normal(engine))}});
      }
  }
  return all;
}

TEST(Siblings, NameTheNodeOrTheLink) {
  const Finding node = *first(judged(with_links(2, {-1, -1})), "link bandwidth");
  EXPECT_EQ(node.verdict, Verdict::fail);
  EXPECT_EQ(node.subject, "node2");
  EXPECT_NE(node.sentence.find("3 of 3 pairs"), std::string::npos) << node.sentence;
  // Between ranks that share a core a small message waits for the core.
  std::vector<SiblingOccasion> crowded = with_links(2, {-1, -1});
  for (SiblingOccasion& one : crowded) one.shared_cores = true;
  EXPECT_EQ(first(judged(crowded), "link latency")->verdict, Verdict::not_judged);
  EXPECT_EQ(first(judged(crowded), "link bandwidth")->subject, "node2");
  const auto found = judged(with_links(-1, {1, 3}));
  int failed = 0;
  for (const Finding& one : found)
    if (one.verdict == Verdict::fail) {
      ++failed;
      EXPECT_EQ(one.subject, "link node1 - node3");
    }
  EXPECT_EQ(failed, 1);
}

TEST(Siblings, ClocksThatRunWrongOrTellAnotherTime) {
  std::vector<SiblingOccasion> all = occasions({1, 1, 1, 1}, true);
  EXPECT_EQ(first(judged(all), "clocks")->verdict, Verdict::pass);
  all.back().clocks.steady_s[3] = 160.0;
  all.back().clocks.system_s[1] = 1e9 + 3600;
  const auto found = judged(all);
  EXPECT_EQ(first(found, "clock rate")->subject, "node3 (rank 3)");
  EXPECT_EQ(first(found, "clock rate")->verdict, Verdict::fail);
  EXPECT_EQ(first(found, "time of day")->subject, "node1 (rank 1)");
  EXPECT_EQ(first(found, "time of day")->verdict, Verdict::warning);
}

TEST(SiblingsFile, PassesOverATornLineAndRefusesOthers) {
  const std::string file = testing::TempDir() + "siblings.jsonl";
  const std::string line = to_json(occasion({1, 2}, false)).dump();
  std::ofstream(file) << line << "\n" << line.substr(0, 40);
  EXPECT_EQ(read_siblings(file).size(), 1U);
  std::ofstream(file) << line << "\n" << to_json(occasion({1, 2, 3}, false)).dump() << "\n";
  EXPECT_THROW(read_siblings(file), BadInput);
  EXPECT_TRUE(read_siblings(file + ".none").empty());
}

}  // namespace
}  // namespace bellwether
