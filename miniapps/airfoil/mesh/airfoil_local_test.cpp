// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/mesh/airfoil_local.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "miniapps/comm/test_session.hpp"
#include "miniapps/mesh/distribute.hpp"
#include "models/airfoil/airfoil_partition.hpp"

namespace bellwether {
namespace {

/// The model's bisection in columns and rows, as owners of this rank's block of cells.
std::vector<int> models_owners(const AirfoilPartition& partition, const AirfoilBlocks& blocks) {
  const Blocks cells = blocks.mesh.blocks(airfoil_cells, test_session().size());
  const std::int64_t columns = partition.mesh().columns();
  std::vector<int> owners;
  for (std::int64_t cell = cells.first(test_session().rank());
       cell < cells.end(test_session().rank()); ++cell)
    owners.push_back(partition.owner(cell % columns, cell / columns));
  return owners;
}

TEST(WorkloadOf, IsTheModelsForTheSamePartition) {
  const int ranks = test_session().size(), rank = test_session().rank();
  for (const AirfoilMesh shape : {AirfoilMesh{2, 3}, {5, 4}, {8, 13}}) {
    const AirfoilPartition partition(shape, ranks);
    const AirfoilBlocks blocks = generate_airfoil(shape, ranks, rank);
    const Ownership owners = follow_owners(test_session().world(), blocks.mesh, airfoil_cells,
                                           models_owners(partition, blocks));
    const LocalMesh mesh = distribute(test_session().world(), blocks.mesh, owners, airfoil_cells);
    std::vector<int> nodes;  // two ranks each
    for (int other = 0; other < ranks; ++other) nodes.push_back(other / 2);
    const AirfoilWorkload found = workload_of(mesh, rank, nodes);
    const AirfoilWorkload counted = partition.workload(rank, 2);
    EXPECT_EQ(found.cells, counted.cells);
    EXPECT_EQ(found.bedges, counted.bedges);
    EXPECT_EQ(found.ieh_bedges, 0);
    EXPECT_EQ(found.ieh_cells, 0);
    EXPECT_EQ(found.inh_cells, counted.inh_cells);
    EXPECT_EQ(found.neighbours, counted.neighbours);
    EXPECT_EQ(found.near_neighbours, counted.near_neighbours);
    EXPECT_EQ(found.near_cells, counted.near_cells);
    // Whose an edge at a cut is, and whether its nodes are, may differ; not which are executed.
    EXPECT_EQ(found.core_edges + found.eeh_edges + found.ieh_edges,
              counted.core_edges + counted.eeh_edges + counted.ieh_edges);
    EXPECT_LE(found.core_edges, counted.core_edges + counted.eeh_edges);
  }
}

TEST(DistributeAirfoil, NodesAndFlagsAreThoseOfTheMesh) {
  const int ranks = test_session().size(), rank = test_session().rank();
  const AirfoilMesh shape{6, 5};
  const AirfoilBlocks whole = generate_airfoil(shape, 1, 0);
  const AirfoilBlocks blocks = generate_airfoil(shape, ranks, rank);
  for (const Partitioner partitioner : {Partitioner::rcb, Partitioner::block}) {
    const AirfoilLocal local = distribute_airfoil(test_session().world(), blocks, partitioner);
    const LocalSet& nodes = local.mesh.sets[airfoil_nodes];
    for (int node = 0; node < nodes.size(); ++node)
      for (int d = 0; d < 2; ++d)
        ASSERT_EQ(local.coordinates[2 * node + d],
                  whole.coordinates.values[2 * nodes.global[node] + d]);
    const LocalSet& bedges = local.mesh.sets[airfoil_bedges];
    for (int edge = 0; edge < bedges.size(); ++edge)
      ASSERT_EQ(local.bounds[edge], whole.bounds.values[bedges.global[edge]]);
    // The cells of all ranks cover the plane that they cover together.
    double area = 0, all = 0, expected = 0;
    const auto area_of = [](const auto& targets, const auto& x, std::size_t cell) {
      const auto at = [&](int corner, int d) { return x[2 * targets[4 * cell + corner] + d]; };
      return ((at(2, 0) - at(0, 0)) * (at(3, 1) - at(1, 1)) -
              (at(3, 0) - at(1, 0)) * (at(2, 1) - at(0, 1))) /
             2;
    };
    for (int cell = 0; cell < local.mesh.sets[airfoil_cells].owned(); ++cell)
      area += area_of(local.mesh.maps[cell_nodes_map].targets, local.coordinates, cell);
    for (int cell = 0; cell < static_cast<int>(shape.cells()); ++cell)
      expected += area_of(whole.mesh.maps[cell_nodes_map].targets, whole.coordinates.values, cell);
    MPI_Allreduce(&area, &all, 1, MPI_DOUBLE, MPI_SUM, test_session().world());
    EXPECT_NEAR(all, expected, 1e-12 * expected);
  }
}

}  // namespace
}  // namespace bellwether
