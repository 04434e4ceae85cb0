// SPDX-License-Identifier: MIT
#include "models/network/routes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <set>

#include "models/errors.hpp"

namespace bellwether {
namespace {

Machine machine_on(const char* topology) {
  Machine machine;
  machine.name = "wired";
  LinkTiming& timing = machine.links["network"].one_way;
  timing.latency_s = Quantity::exact(1e-6);
  timing.bandwidth_bytes_per_s = Quantity::exact(1e9);
  machine.topology = parse_topology(topology);
  return machine;
}

TEST(Topology, IsReadFromText) {
  EXPECT_FALSE(parse_topology("flat"));
  const Topology tree = *parse_topology("fat-tree:32x64/4");
  EXPECT_EQ(tree.arity, (std::vector<int>{32, 64}));
  EXPECT_EQ(tree.taper->value, 4);
  EXPECT_EQ(parse_topology("torus:3x4")->dimensions, (std::vector<int>{3, 4}));
  for (const char* wrong : {"", "torus", "torus:", "torus:0x2", "torus:2x", "torus:2x2/2", "tree:2",
                            "fat-tree:4x4/0.5", "fat-tree:4x4/", "fat-tree:4,4", "flat:2",
                            "torus:100000x100000", "dragonfly:4x4", "dragonfly:4x4x4/0"})
    EXPECT_THROW((void)parse_topology(wrong), BadInput) << wrong;
}

TEST(FatTree, HoldsTheNodes) {
  const Topology topology = *parse_topology("fat-tree:8x4/2");
  EXPECT_EQ(fat_tree_of(topology, 5).children, (std::vector<int>{5}));
  EXPECT_EQ(fat_tree_of(topology, 20).children, (std::vector<int>{8, 3}));
  EXPECT_EQ(fat_tree_of(topology, 100).children, (std::vector<int>{8, 13}));
  EXPECT_EQ(fat_tree_of(topology, 20).parents, (std::vector<int>{1, 4}));
}

TEST(Routes, OfATreeGoUpAsFarAsTheyMust) {
  const Routes routes(*parse_topology("fat-tree:4x3x2"), 24);
  std::vector<int> route;
  for (int from = 0; from < 24; ++from)
    for (int to = 0; to < 24; ++to) {
      routes.find(from, to, route);
      const std::size_t levels = from == to             ? 0
                                 : from / 4 == to / 4   ? 1
                                 : from / 12 == to / 12 ? 2
                                                        : 3;
      EXPECT_EQ(route.size(), 2 * levels);
      EXPECT_EQ(std::set<int>(route.begin(), route.end()).size(), route.size());
      for (const int link : route) {
        EXPECT_GE(link, 0);
        EXPECT_LT(link, routes.links());
      }
    }
}

TEST(Routes, OfATorusTakeTheShorterWay) {
  const Routes routes(*parse_topology("torus:4x5"), 20);
  std::vector<int> route;
  for (int from = 0; from < 20; ++from)
    for (int to = 0; to < 20; ++to) {
      const auto steps = [](int a, int b, int length) {
        const int up = (b - a + length) % length;
        return std::min(up, length - up);
      };
      routes.find(from, to, route);
      EXPECT_EQ(static_cast<int>(route.size()),
                steps(from % 4, to % 4, 4) + steps(from / 4, to / 4, 5));
    }
}

TEST(Routes, OfADragonflyAreMinimal) {
  // Five groups of four routers with three nodes each.
  const Routes routes(*parse_topology("dragonfly:5x4x3"), 60);
  std::vector<int> route;
  for (int from = 0; from < 60; ++from)
    for (int to = 0; to < 60; ++to) {
      routes.find(from, to, route);
      const int group = from / 12, other = to / 12;
      const int first = from / 3 % 4, last = to / 3 % 4;
      std::size_t links = from == to ? 0 : 2;
      if (group == other)
        links += first != last;
      else  // the routers that bear the link between the groups
        links += (first != other % 4) + 1 + (last != group % 4);
      EXPECT_EQ(route.size(), links) << from << " to " << to;
      EXPECT_EQ(std::set<int>(route.begin(), route.end()).size(), route.size());
      for (const int link : route) EXPECT_TRUE(link >= 0 && link < routes.links());
    }
  EXPECT_EQ(routes.longest(), 5U);
  // Both ways on links of their own, and each pair of groups on one of its own.
  std::set<int> between;
  for (int from = 0; from < 60; from += 12)
    for (int to = 0; to < 60; to += 12) {
      routes.find(from, to, route);
      for (const int link : route)
        if (link >= 2 * 60 + 20 * 4) between.insert(link);
    }
  EXPECT_EQ(between.size(), 20U);
}

TEST(Contention, OfADragonflyIsTheLinkBetweenGroups) {
  const auto seconds = [](const char* topology, int groups) {
    const Machine machine = machine_on(topology);
    ExchangeRoutes routes(machine, {1}, 8 * groups);
    for (int rank = 0; rank < 8; ++rank) routes.add(rank, rank + 8, 1e6);
    return routes.contention().bandwidth_s;
  };
  // All eight nodes of a group to the next one's over one link, or two.
  EXPECT_DOUBLE_EQ(seconds("dragonfly:2x4x2", 2), 8e-3 - 1e-3);
  EXPECT_DOUBLE_EQ(seconds("dragonfly:2x4x2/0.5", 2), 4e-3 - 1e-3);
  // A whole machine of five groups: 4 routers x 1 link over 4 others.
  EXPECT_DOUBLE_EQ(seconds("dragonfly:5x4x2/1", 2), 8e-3 - 1e-3);
  EXPECT_DOUBLE_EQ(dragonfly_of(*parse_topology("dragonfly:5x4x2/2"), 100).groups, 13);
}

TEST(Contention, OfATaperedTreeIsItsUplinks) {
  // All of a switch's eight nodes to the next switch's: through two links up of four to one.
  const Machine machine = machine_on("fat-tree:8x2/4");
  ExchangeRoutes routes(machine, {1}, 16);
  for (int rank = 0; rank < 8; ++rank) routes.add(rank, rank + 8, 1e6);
  EXPECT_DOUBLE_EQ(routes.contention().seconds(), 4e-3 - 1e-3);
  ExchangeRoutes within(machine, {1}, 16);
  for (int rank = 0; rank < 8; ++rank) within.add(rank, (rank + 1) % 8, 1e6);
  EXPECT_DOUBLE_EQ(within.contention().bandwidth_s, 0);
  EXPECT_DOUBLE_EQ(within.contention().latency_s, -0.5e-6);  // two of four links
}

TEST(Contention, OfATorusIsItsBusiestLink) {
  Machine machine = machine_on("torus:8");
  EXPECT_FALSE(ExchangeRoutes(machine, {1}, 8).counts());  // its links are not known
  machine.topology->link_bandwidth_bytes_per_s = Quantity::exact(1e9);
  machine.topology->hop_latency_s = Quantity::exact(1e-7);
  ExchangeRoutes near(machine, {1}, 8);
  for (int rank = 0; rank < 8; ++rank)
    for (const int step : {1, 7}) near.add(rank, (rank + step) % 8, 1e6);
  EXPECT_DOUBLE_EQ(near.contention().bandwidth_s, 1e-3 - 2e-3);  // each on a link of its own
  EXPECT_EQ(near.contention().latency_s, 0);
  ExchangeRoutes far(machine, {1}, 8);
  for (int rank = 0; rank < 8; ++rank) far.add(rank, (rank + 3) % 8, 1e6);
  EXPECT_DOUBLE_EQ(far.contention().bandwidth_s, 3e-3 - 1e-3);
  EXPECT_DOUBLE_EQ(far.contention().latency_s, 2e-7);
}

TEST(Contention, OfOneMessageIsThatOfItsOwnLinks) {
  const Machine machine = machine_on("fat-tree:4x2/4");  // one link up from each switch
  ExchangeRoutes routes(machine, {1}, 8);
  for (const int to : {1, 4, 5}) routes.add(0, to, 1e6);
  routes.add(1, 6, 1e6);
  EXPECT_DOUBLE_EQ(routes.passing_s(0, 1), 3e-3);
  EXPECT_DOUBLE_EQ(routes.passing_s(1, 6), 3e-3);  // the switch's
  EXPECT_DOUBLE_EQ(routes.passing_s(2, 3), 0);
  EXPECT_DOUBLE_EQ(routes.added_latency_s(0, 1), -0.5e-6);
  EXPECT_DOUBLE_EQ(routes.added_latency_s(0, 7), 0);
  routes.clear();
  EXPECT_DOUBLE_EQ(routes.passing_s(0, 1), 0);
  EXPECT_EQ(routes.contention().seconds(), 0);
}

TEST(Contention, IsNothingWithinANode) {
  const Machine machine = machine_on("fat-tree:2x2/2");
  EXPECT_FALSE(ExchangeRoutes(machine, {4}, 4).counts());
  ExchangeRoutes routes(machine, {4}, 16);
  routes.add(0, 3, 1e6);
  EXPECT_EQ(routes.contention().seconds(), 0);
}

TEST(ExchangeRoutes, AMessagesWay) {
  const Machine machine = machine_on("fat-tree:4x2");
  const ExchangeRoutes tree(machine, {1}, 8);
  std::vector<int> near, far, flat;
  tree.route(0, 1, near);
  tree.route(0, 5, far);
  EXPECT_EQ(near.size(), 2u);
  EXPECT_EQ(far.size(), 4u);
  EXPECT_EQ(near.front(), far.front()) << "out of the node";
  EXPECT_LT(*std::max_element(far.begin(), far.end()), tree.links());
  // Nothing is known between the nodes: out of one, into the other.
  Machine unknown = machine;
  unknown.topology.reset();
  const ExchangeRoutes between(unknown, {2}, 8);
  between.route(1, 6, flat);
  EXPECT_EQ(flat, (std::vector<int>{0, 4 + 3}));
  EXPECT_EQ(between.links(), 8);
  EXPECT_EQ(between.link_bandwidth(), network_bandwidth(unknown));
  between.route(6, 7, flat);
  EXPECT_TRUE(flat.empty());
}

}  // namespace
}  // namespace bellwether
