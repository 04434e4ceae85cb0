// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/mesh/airfoil_local.hpp"

#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "miniapps/airfoil/airfoil_quads_test.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/mesh/distribute.hpp"
#include "miniapps/mesh/every_partitioner_test.hpp"
#include "models/airfoil/airfoil_partition.hpp"
#include "models/errors.hpp"

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

/// What lies beyond a side, cells by their numbers in the whole mesh, and the side: dx, dy.
using Beyond = std::tuple<std::uint32_t, double, double>;
using Around = std::vector<std::vector<Beyond>>;

/// Round every cell of the mesh.
Around plainly_around(const QuadMesh& mesh) {
  Around around(mesh.cells());
  const auto side = [&](std::int32_t to, std::int32_t from) {
    return std::array{mesh.x[2 * to] - mesh.x[2 * from], mesh.x[2 * to + 1] - mesh.x[2 * from + 1]};
  };
  for (int edge = 0; edge < mesh.edges(); ++edge) {
    const auto [dx, dy] = side(mesh.edge_nodes[2 * edge], mesh.edge_nodes[2 * edge + 1]);
    const auto a = static_cast<std::uint32_t>(mesh.edge_cells[2 * edge]);
    const auto b = static_cast<std::uint32_t>(mesh.edge_cells[2 * edge + 1]);
    around[a].emplace_back(b, dx, dy);
    around[b].emplace_back(a, -dx, -dy);
  }
  for (int edge = 0; edge < mesh.outer(); ++edge) {
    const auto [dx, dy] = side(mesh.outer_nodes[2 * edge], mesh.outer_nodes[2 * edge + 1]);
    const auto cell = static_cast<std::uint32_t>(mesh.outer_cells[edge]);
    const auto kind = mesh.outer_flags[edge] == 1 ? AirfoilSide::wall : AirfoilSide::far_field;
    around[cell].emplace_back(AirfoilSide{cell, kind}.code(), dx, dy);
  }
  for (std::vector<Beyond>& sides : around) std::sort(sides.begin(), sides.end());
  return around;
}

/// Round an own cell of a rank.
std::vector<Beyond> around_cell(const AirfoilLocal& local, int cell) {
  std::vector<Beyond> around;
  for (int k = 0; k < 4; ++k) {
    const AirfoilSide side = AirfoilSide::of(local.surroundings[4 * cell + k]);
    EXPECT_EQ(local.mesh.maps[neighbours_map].targets[4 * cell + k], static_cast<int>(side.cell));
    if (side.kind != AirfoilSide::inner) {
      EXPECT_EQ(static_cast<int>(side.cell), cell);
    }
    if (side.kind == AirfoilSide::nothing) continue;
    const int* const corner = &local.mesh.maps[cell_nodes_map].targets[4 * cell];
    const double* const from = &local.coordinates[2 * corner[k]];
    const double* const to = &local.coordinates[2 * corner[(k + 1) % 4]];
    const std::int64_t number = local.mesh.sets[airfoil_cells].global[side.cell];
    around.emplace_back(AirfoilSide{static_cast<std::uint32_t>(number), side.kind}.code(),
                        to[0] - from[0], to[1] - from[1]);
  }
  std::sort(around.begin(), around.end());
  return around;
}

void expect_surroundings(const QuadMesh& mesh) {
  const Session& session = test_session();
  const Around expected = plainly_around(mesh);
  const AirfoilBlocks blocks = blocks_of(mesh, session.size(), session.rank());
  for (const Partitioner partitioner : every_partitioner()) {
    AirfoilLocal local = distribute_airfoil(session.world(), blocks, partitioner);
    const std::vector<std::int64_t> before = local.mesh.sets[airfoil_cells].global;
    add_surroundings(session.world(), blocks, local);
    const LocalSet& cells = local.mesh.sets[airfoil_cells];
    EXPECT_TRUE(std::is_permutation(before.begin(), before.end(), cells.global.begin()));
    EXPECT_EQ(static_cast<int>(before.size()), cells.size());
    ASSERT_EQ(local.surroundings.size(), 4u * cells.owned());
    for (int cell = 0; cell < cells.owned(); ++cell) {
      EXPECT_EQ(around_cell(local, cell), expected[cells.global[cell]]) << cells.global[cell];
      const int* const beside = &local.mesh.maps[neighbours_map].targets[4 * cell];
      const bool rim =
          std::any_of(beside, beside + 4, [&](int other) { return other >= cells.owned(); });
      EXPECT_EQ(rim, cell >= cells.core);
    }
    // What a rank sends is what the other takes it for.
    for (const SetNeighbour& neighbour : cells.neighbours) {
      std::vector<std::int64_t> sent, taken(neighbour.inh_count);
      for (const int cell : neighbour.read_exports) sent.push_back(cells.global[cell]);
      MPI_Sendrecv(sent.data(), static_cast<int>(sent.size()), MPI_INT64_T, neighbour.rank, 0,
                   taken.data(), neighbour.inh_count, MPI_INT64_T, neighbour.rank, 0,
                   session.world(), MPI_STATUS_IGNORE);
      EXPECT_TRUE(
          std::equal(taken.begin(), taken.end(), cells.global.begin() + neighbour.first_inh));
    }
  }
}

TEST(Surroundings, OfAirfoilsMeshAreItsEdges) {
  for (const AirfoilMesh shape : {AirfoilMesh{2, 3}, {6, 5}, {9, 14}})
    expect_surroundings(plain_mesh<double>(shape));
}

TEST(Surroundings, OfMeshesInAnyOrderAndWithHoles) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Random random(seed);
    const QuadMesh mesh = quad_mesh(17, 9, {true, false, random.below(2) == 0, true}, random);
    expect_surroundings(mesh);
    expect_surroundings(with_holes(mesh, random));
  }
}

/// The message on every rank for a mesh of which something is changed.
std::string refusal(const std::function<void(QuadMesh&)>& change) {
  const Session& session = test_session();
  QuadMesh mesh = plain_mesh<double>({4, 3});
  change(mesh);
  const AirfoilBlocks blocks = blocks_of(mesh, session.size(), session.rank());
  AirfoilLocal local = distribute_airfoil(session.world(), blocks, Partitioner::block);
  try {
    add_surroundings(session.world(), blocks, local);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Surroundings, RefuseEdgesThatAreNoSidesOfTheirCells) {
  const auto expect = [](const std::string& message, const char* pattern) {
    EXPECT_NE(message.find(pattern), std::string::npos) << message;
    EXPECT_NE(message.find("quads, dataset"), std::string::npos) << message;
  };
  expect(refusal([](QuadMesh& mesh) { std::swap(mesh.edge_cells[10], mesh.edge_cells[11]); }),
         "edge 5 is no side of cell");
  expect(refusal([](QuadMesh& mesh) { std::swap(mesh.outer_nodes[4], mesh.outer_nodes[5]); }),
         "boundary edge 2 is no side of cell");
  // Twice in the mesh, the second time as its last edge.
  expect(refusal([](QuadMesh& mesh) {
           for (const int k : {12, 13}) {
             mesh.edge_cells.push_back(mesh.edge_cells[k]);
             mesh.edge_nodes.push_back(mesh.edge_nodes[k]);
           }
         }),
         " is the second on a side of cell");
}

}  // namespace
}  // namespace bellwether
