// SPDX-License-Identifier: MIT
#include "miniapps/mesh/distribute.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"
#include "miniapps/mesh/partition.hpp"
#include "miniapps/mesh/random_mesh_test.hpp"

namespace bellwether {
namespace {

using Global = std::vector<std::int64_t>;

/// A stretch of a set's local numbers as ascending global indices.
std::vector<int> part(const LocalSet& set, int first, int count) {
  std::vector<int> elements(set.global.begin() + first, set.global.begin() + first + count);
  std::sort(elements.begin(), elements.end());
  return elements;
}

/// What other ranks import without executing it.
std::vector<int> read_exports(const LocalSet& set) {
  std::vector<int> elements;
  for (const SetNeighbour& neighbour : set.neighbours)
    for (const int number : neighbour.read_exports)
      elements.push_back(static_cast<int>(set.global[number]));
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return elements;
}

void expect_halos(const LocalSet& set, const HaloLists& lists) {
  EXPECT_EQ(part(set, 0, set.core), lists.core);
  EXPECT_EQ(part(set, set.core, set.eeh), lists.eeh);
  EXPECT_EQ(part(set, set.owned(), set.ieh), lists.ieh);
  EXPECT_EQ(part(set, set.executed(), set.inh), lists.inh);
  EXPECT_EQ(read_exports(set), lists.enh);
}

/// Own elements' global indices, sent along the lists, arrive where the other side expects them.
void expect_exchange(const LocalSet& set) {
  std::vector<std::int64_t> counts(test_session().size());
  Global sent, expected;
  int next_ieh = set.owned(), next_inh = set.executed();
  for (const SetNeighbour& neighbour : set.neighbours) {
    EXPECT_NE(neighbour.rank, test_session().rank());
    for (const auto* exports : {&neighbour.execute_exports, &neighbour.read_exports}) {
      for (const int number : *exports) {
        EXPECT_LT(number, set.owned());
        sent.push_back(set.global[number]);
        ++counts[neighbour.rank];
      }
      EXPECT_TRUE(std::is_sorted(exports->begin(), exports->end()));
    }
    EXPECT_EQ(neighbour.first_ieh, next_ieh);
    EXPECT_EQ(neighbour.first_inh, next_inh);
    next_ieh += neighbour.ieh_count;
    next_inh += neighbour.inh_count;
    const auto first = set.global.begin();
    expected.insert(expected.end(), first + neighbour.first_ieh, first + next_ieh);
    expected.insert(expected.end(), first + neighbour.first_inh, first + next_inh);
  }
  EXPECT_EQ(next_ieh, set.executed());
  EXPECT_EQ(next_inh, set.size());
  EXPECT_EQ(exchange_parcels(test_session().world(), sent, counts).items, expected);
}

void expect_rows(const LocalMesh& local, const WholeMesh& whole) {
  for (std::size_t m = 0; m < local.maps.size(); ++m) {
    const LocalMap& map = local.maps[m];
    const LocalSet& from = local.sets[map.from];
    ASSERT_EQ(static_cast<int>(map.targets.size()), from.executed() * map.arity);
    for (std::size_t at = 0; at < map.targets.size(); ++at) {
      ASSERT_GE(map.targets[at], 0);
      EXPECT_EQ(local.sets[map.to].global[map.targets[at]],
                whole.maps[m].targets[from.global[at / map.arity]][at % map.arity]);
    }
  }
}

void expect_all(const WholeMesh& whole, int set_of_order) {
  const LocalMesh local =
      distribute(test_session().world(), whole.blocks(), whole.ownership(), set_of_order);
  const auto lists = op2_halos(whole.owners, whole.maps, test_session().rank());
  for (std::size_t set = 0; set < local.sets.size(); ++set) {
    EXPECT_EQ(local.sets[set].total, whole.sizes[set]);
    EXPECT_EQ(local.sets[set].size(), static_cast<int>(local.sets[set].global.size()));
    expect_halos(local.sets[set], lists[set]);
    expect_exchange(local.sets[set]);
  }
  expect_rows(local, whole);
}

TEST(Distribute, Table1OfThePaper) {
  if (test_session().size() != 2) GTEST_SKIP() << "the paper's example is for two ranks";
  const WholeMesh whole = figure_2();
  expect_all(whole, 1);
  const LocalMesh local = distribute(test_session().world(), whole.blocks(), whole.ownership(), 1);
  const LocalSet &nodes = local.sets[0], &cells = local.sets[1];
  using List = std::vector<int>;
  const bool x = test_session().rank() == 0;
  EXPECT_EQ(part(nodes, 0, nodes.core),
            (x ? List{0, 1, 2, 3, 4, 5, 6, 7} : List{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(nodes.eeh + nodes.ieh, 0);
  EXPECT_EQ(part(nodes, nodes.executed(), nodes.inh), (x ? List{8, 9, 10, 11} : List{4, 5, 6, 7}));
  EXPECT_EQ(read_exports(nodes), (x ? List{4, 5, 6, 7} : List{8, 9, 10, 11}));
  EXPECT_EQ(part(cells, 0, cells.core), (x ? List{0, 1, 2} : List{6, 7, 8}));
  EXPECT_EQ(part(cells, cells.core, cells.eeh), (x ? List{4, 5} : List{3}));
  EXPECT_EQ(part(cells, cells.owned(), cells.ieh), (x ? List{3} : List{4, 5}));
  EXPECT_EQ(cells.inh, 0);
  EXPECT_EQ(read_exports(cells), List{});
}

TEST(Distribute, EqualsTheSerialClassesOnRandomMeshes) {
  Random random(2011);
  for (int n = 0; n < 60; ++n) {
    const WholeMesh whole = random_mesh(random, test_session().size());
    expect_all(whole, random.below(static_cast<int>(whole.sizes.size())));
    if (testing::Test::HasFailure()) FAIL() << "mesh " << n;
  }
}

TEST(FollowOwners, OthersGoWhereTheirElementsAre) {
  // Sets 0: the one dealt out; 1 refers to it; 2 is referred to; 3 refers to 2; 4 is alone.
  WholeMesh whole;
  whole.sizes = {6, 4, 3, 2, 5};
  whole.maps = {{0, 2, {{2, 0}, {1, 0}, {1, 2}, {0, 1}, {2, 2}, {1, 0}}},
                {1, 0, {{5, 0}, {2, 3}, {1, 1}, {4, 0}}},
                {3, 2, {{1}, {2}}}};
  const int ranks = test_session().size(), rank = test_session().rank();
  std::vector<int> of_first;
  for (int element = 0; element < 6; ++element) of_first.push_back((5 - element) % ranks);
  whole.owners = {of_first,
                  {of_first[5], of_first[2], of_first[1], of_first[4]},
                  {of_first[0], of_first[1], of_first[0]},
                  {of_first[1], of_first[0]},
                  {}};
  const Blocks alone(5, ranks);
  for (int element = 0; element < 5; ++element) whole.owners[4].push_back(alone.rank_of(element));
  const Ownership expected = whole.ownership();
  EXPECT_EQ(follow_owners(test_session().world(), whole.blocks(), 0, expected[0]), expected);
  EXPECT_EQ(expected[4], std::vector<int>(alone.size(rank), rank));
}

/// Own elements of all ranks, ascending, are the set.
void expect_every_element_owned_once(const LocalSet& set) {
  const std::vector<std::int64_t> marks(set.size(), 1);
  const std::vector<std::int64_t> block = block_values(test_session().world(), set, marks, 1);
  std::int64_t owned = set.owned(), all = 0;
  MPI_Allreduce(&owned, &all, 1, MPI_INT64_T, MPI_SUM, test_session().world());
  EXPECT_EQ(all, set.total) << set.name;
  EXPECT_EQ(block, std::vector<std::int64_t>(block.size(), 1)) << set.name;
}

TEST(Distribute, ValuesComeFromTheBlocksAndGoBack) {
  const MPI_Comm world = test_session().world();
  const AirfoilBlocks blocks =
      generate_airfoil({5, 7}, test_session().size(), test_session().rank());
  const PartitionInput input{
      airfoil_cells, edge_cells_map,
      mean_positions(world, blocks.mesh, cell_nodes_map, blocks.coordinates)};
  const Ownership owners =
      follow_owners(world, blocks.mesh, airfoil_cells,
                    partition_set(world, blocks.mesh, input, Partitioner::rcb));
  const LocalMesh local = distribute(world, blocks.mesh, owners, airfoil_cells);
  for (const LocalSet& set : local.sets) expect_every_element_owned_once(set);
  const std::vector<double> x = local_values(world, local.sets[airfoil_nodes], blocks.coordinates);
  ASSERT_EQ(static_cast<int>(x.size()), 2 * local.sets[airfoil_nodes].size());
  EXPECT_EQ(block_values(world, local.sets[airfoil_nodes], x, 2), blocks.coordinates.values);
  const auto bounds = local_values(world, local.sets[airfoil_bedges], blocks.bounds);
  EXPECT_EQ(block_values(world, local.sets[airfoil_bedges], bounds, 1), blocks.bounds.values);
}

TEST(Distribute, AirfoilEdgesFollowTheNumbersOfTheirCells) {
  const MPI_Comm world = test_session().world();
  const AirfoilBlocks blocks =
      generate_airfoil({6, 9}, test_session().size(), test_session().rank());
  const Ownership owners = follow_owners(
      world, blocks.mesh, airfoil_cells,
      partition_set(world, blocks.mesh, {airfoil_cells, edge_cells_map, {}}, Partitioner::block));
  const LocalMesh local = distribute(world, blocks.mesh, owners, airfoil_cells);
  const LocalSet& edges = local.sets[airfoil_edge_set];
  const LocalMap& cells = local.maps[edge_cells_map];
  for (const auto& [first, end] :
       {std::pair(0, edges.core), std::pair(edges.core, edges.owned())}) {
    for (int edge = first + 1; edge < end; ++edge) {
      // Where both cells are own; of another's cell only the own one counts.
      const auto lowest = [&](int e) {
        return std::min(cells.targets[2 * e], cells.targets[2 * e + 1]);
      };
      EXPECT_LE(lowest(edge - 1), lowest(edge)) << edge;
    }
  }
  // No halo of cells is executed, and edges bring in no more than the cells beyond the cuts.
  EXPECT_EQ(local.sets[airfoil_cells].ieh, 0);
  EXPECT_LE(local.sets[airfoil_cells].inh, edges.eeh + edges.ieh);
}

}  // namespace
}  // namespace bellwether
