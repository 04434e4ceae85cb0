// SPDX-License-Identifier: MIT
#include "models/airfoil/op2_halos.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

using List = std::vector<int>;

// Figure 2: 4 x 4 nodes, 3 x 3 cells; rank 0 (X) has nodes 0 to 7 and cells 0, 1, 2, 4, 5.
const std::vector<List> owners = {{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
                                  {0, 0, 0, 1, 0, 0, 1, 1, 1}};
const std::vector<ElementMap> cells_to_nodes = {{1,
                                                 0,
                                                 {{0, 1, 5, 4},
                                                  {1, 2, 6, 5},
                                                  {2, 3, 7, 6},
                                                  {4, 5, 9, 8},
                                                  {5, 6, 10, 9},
                                                  {6, 7, 11, 10},
                                                  {8, 9, 13, 12},
                                                  {9, 10, 14, 13},
                                                  {10, 11, 15, 14}}}};

TEST(Op2Halos, Table1OfThePaper) {
  const std::vector<HaloLists> x = op2_halos(owners, cells_to_nodes, 0);
  EXPECT_EQ(x[0].core, (List{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(x[0].ieh, List{});
  EXPECT_EQ(x[0].eeh, List{});
  EXPECT_EQ(x[0].inh, (List{8, 9, 10, 11}));
  EXPECT_EQ(x[0].enh, (List{4, 5, 6, 7}));
  EXPECT_EQ(x[1].core, (List{0, 1, 2}));
  EXPECT_EQ(x[1].ieh, (List{3}));
  EXPECT_EQ(x[1].eeh, (List{4, 5}));
  EXPECT_EQ(x[1].inh, List{});
  EXPECT_EQ(x[1].enh, List{});
  const std::vector<HaloLists> y = op2_halos(owners, cells_to_nodes, 1);
  EXPECT_EQ(y[0].core, (List{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(y[0].inh, (List{4, 5, 6, 7}));
  EXPECT_EQ(y[0].enh, (List{8, 9, 10, 11}));
  EXPECT_EQ(y[1].core, (List{6, 7, 8}));
  EXPECT_EQ(y[1].ieh, (List{4, 5}));
  EXPECT_EQ(y[1].eeh, (List{3}));
}

TEST(Op2Halos, WhatIsOnlyReadThroughIsNotExecutedByOthers) {
  std::vector<ElementMap> read = cells_to_nodes;
  read[0].written = false;
  const std::vector<HaloLists> x = op2_halos(owners, read, 0);
  EXPECT_EQ(x[1].eeh, (List{4, 5}));
  EXPECT_EQ(x[1].ieh, List{});
  EXPECT_EQ(x[0].inh, (List{9, 10, 11}));  // of cells 4 and 5; node 8 came with cell 3
  EXPECT_EQ(x[0].enh, (List{4, 5}));       // of the other's cell 3
}

TEST(Op2Halos, OneRankImportsNothing) {
  const std::vector<List> alone = {List(16, 0), List(9, 0)};
  for (const HaloLists& lists : op2_halos(alone, cells_to_nodes, 0)) {
    EXPECT_TRUE(lists.ieh.empty() && lists.eeh.empty() && lists.inh.empty() && lists.enh.empty());
  }
  EXPECT_EQ(op2_halos(alone, cells_to_nodes, 0)[1].core.size(), 9u);
}

}  // namespace
}  // namespace bellwether
