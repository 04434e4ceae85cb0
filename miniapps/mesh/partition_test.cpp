// SPDX-License-Identifier: MIT
#include "miniapps/mesh/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/mesh/every_partitioner_test.hpp"
#include "miniapps/mesh/parcels.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Bisection of points that one rank has all of, by sorting.
void bisect_plainly(const std::vector<double>& positions, std::vector<int> points, int first_rank,
                    int ranks, std::vector<int>& owners) {
  if (ranks == 1) {
    for (const int point : points) owners[point] = first_rank;
    return;
  }
  double extent[2];
  for (int d = 0; d < 2; ++d) {
    const auto [low, high] = std::minmax_element(points.begin(), points.end(), [&](int a, int b) {
      return positions[2 * a + d] < positions[2 * b + d];
    });
    extent[d] = positions[2 * *high + d] - positions[2 * *low + d];
  }
  const int d = extent[1] > extent[0] ? 1 : 0;
  std::sort(points.begin(), points.end(), [&](int a, int b) {
    return std::tuple(positions[2 * a + d], a) < std::tuple(positions[2 * b + d], b);
  });
  const auto middle = points.begin() + static_cast<int>(points.size()) * (ranks / 2) / ranks;
  bisect_plainly(positions, {points.begin(), middle}, first_rank, ranks / 2, owners);
  bisect_plainly(positions, {middle, points.end()}, first_rank + ranks / 2, ranks - ranks / 2,
                 owners);
}

TEST(PartitionRcb, EqualsThePlainBisection) {
  Random random(7);
  const int ranks = test_session().size();
  for (int n = 0; n < 20; ++n) {
    const int points = ranks + random.below(200);
    std::vector<double> positions(2 * points);
    for (double& x : positions) {
      // Coarse ones are often equal, and both signs of zero are; the spread varies.
      x = random.below(2) == 0 ? random.below(5) - 2.0 : random.value<double>() * (n % 4);
      if (x == 0 && random.below(2) == 0) x = -0.0;
    }
    const Blocks blocks(points, ranks);
    const auto first = positions.begin() + 2 * blocks.first(test_session().rank());
    const std::vector<double> own(first, first + 2 * blocks.size(test_session().rank()));
    std::vector<int> all(points), expected(points);
    std::iota(all.begin(), all.end(), 0);
    bisect_plainly(positions, all, 0, ranks, expected);
    const auto mine = expected.begin() + blocks.first(test_session().rank());
    EXPECT_EQ(partition_rcb(test_session().world(), own),
              std::vector<int>(mine, mine + blocks.size(test_session().rank())));
  }
}

struct Quality {
  std::vector<std::int64_t> cells;  ///< of each rank
  std::int64_t cut_edges = 0;
};

/// The owners of this rank's block of cells.
std::vector<int> owners_of_airfoil(const AirfoilBlocks& blocks, Partitioner partitioner) {
  const MPI_Comm world = test_session().world();
  const PartitionInput input{
      airfoil_cells, edge_cells_map,
      mean_positions(world, blocks.mesh, cell_nodes_map, blocks.coordinates)};
  return partition_set(world, blocks.mesh, input, partitioner);
}

Quality partition_airfoil(const AirfoilMesh& shape, Partitioner partitioner) {
  const MPI_Comm world = test_session().world();
  const int ranks = test_session().size();
  const AirfoilBlocks blocks = generate_airfoil(shape, ranks, test_session().rank());
  const std::vector<int> owners = owners_of_airfoil(blocks, partitioner);
  Quality quality{std::vector<std::int64_t>(ranks)};
  for (const int owner : owners) ++quality.cells.at(owner);
  MPI_Allreduce(MPI_IN_PLACE, quality.cells.data(), ranks, MPI_INT64_T, MPI_SUM, world);
  const std::vector<int> sides = fetch(world, blocks.mesh.blocks(airfoil_cells, ranks),
                                       blocks.mesh.maps[edge_cells_map].targets, owners);
  for (std::size_t edge = 0; edge < sides.size(); edge += 2)
    quality.cut_edges += sides[edge] != sides[edge + 1];
  MPI_Allreduce(MPI_IN_PLACE, &quality.cut_edges, 1, MPI_INT64_T, MPI_SUM, world);
  return quality;
}

TEST(Partition, PartsAreOfEqualSizeAndCutLittle) {
  const int ranks = test_session().size();
  for (const Partitioner partitioner : every_partitioner()) {
    const Quality quality = partition_airfoil({20, 30}, partitioner);
    EXPECT_EQ(std::accumulate(quality.cells.begin(), quality.cells.end(), std::int64_t{0}), 1800);
    for (const std::int64_t cells : quality.cells) {
      EXPECT_GE(static_cast<double>(cells), 0.96 * 1800 / ranks) << name_of(partitioner);
      EXPECT_LE(static_cast<double>(cells), 1.03 * 1800 / ranks) << name_of(partitioner);
    }
    // Straight cuts along columns or rows have 30 and 60 edges; a bisection of the stretched plane
    // runs obliquely, blocks in the order of the cells go along rows and cut the wake.
    EXPECT_LE(quality.cut_edges, 120 * (ranks - 1)) << name_of(partitioner);
    EXPECT_GE(quality.cut_edges, 20 * (ranks > 1)) << name_of(partitioner);
  }
}

TEST(Partition, IsTheSameEveryTime) {
  const AirfoilBlocks blocks =
      generate_airfoil({30, 45}, test_session().size(), test_session().rank());
  for (const Partitioner partitioner : every_partitioner()) {
    const std::vector<int> first = owners_of_airfoil(blocks, partitioner);
    for (int n = 0; n < 3; ++n)
      EXPECT_EQ(owners_of_airfoil(blocks, partitioner), first) << name_of(partitioner);
  }
}

TEST(Partition, AsManyRanksAsCellsAndNoMore) {
  const MPI_Comm world = test_session().world();
  const int ranks = test_session().size();
  BlockMesh mesh;
  mesh.sets = {{"cells", ranks}, {"edges", 0}};
  mesh.maps = {{"pecell", 1, 0, 2, true, {}}};
  const PartitionInput input{0, 0, {0.5 * test_session().rank(), 1}};
  for (const Partitioner partitioner : {Partitioner::rcb, Partitioner::block})
    EXPECT_EQ(partition_set(world, mesh, input, partitioner),
              std::vector<int>{test_session().rank()});
  mesh.sets[0].total = ranks - 1;
  EXPECT_THROW((void)partition_set(world, mesh, input, Partitioner::block), BadInput);
}

TEST(Partition, Names) {
  for (const Partitioner partitioner : {Partitioner::scotch, Partitioner::rcb, Partitioner::block})
    EXPECT_EQ(partitioner_named(name_of(partitioner)), partitioner);
  EXPECT_THROW((void)partitioner_named("metis"), BadInput);
  if (has_scotch()) return;
  EXPECT_THROW((void)partition_airfoil({2, 2}, Partitioner::scotch), BadEnvironment);
}

TEST(BlockGraph, NeighboursAcrossEdges) {
  const AirfoilMesh shape{2, 3};
  const AirfoilBlocks blocks =
      generate_airfoil(shape, test_session().size(), test_session().rank());
  const BlockGraph graph = graph_of_map(test_session().world(), blocks.mesh, edge_cells_map);
  const Blocks cells = blocks.mesh.blocks(airfoil_cells, test_session().size());
  const std::int64_t first = cells.first(test_session().rank());
  ASSERT_EQ(static_cast<std::int64_t>(graph.offsets.size()), cells.size(test_session().rank()) + 1);
  for (std::int64_t cell = first; cell < cells.end(test_session().rank()); ++cell) {
    const std::int64_t i = cell % 6, j = cell / 6;
    std::vector<std::int64_t> expected;
    if (i > 0) expected.push_back(cell - 1);
    if (i < 5) expected.push_back(cell + 1);
    if (j > 0) expected.push_back(cell - 6);
    if (j < 2) expected.push_back(cell + 6);
    if (j == 0 && shape.across_wake(i) >= 0) expected.push_back(shape.across_wake(i));
    std::sort(expected.begin(), expected.end());
    const auto from = graph.neighbours.begin();
    EXPECT_EQ(
        std::vector(from + graph.offsets[cell - first], from + graph.offsets[cell - first + 1]),
        expected)
        << cell;
  }
}

}  // namespace
}  // namespace bellwether
