// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_partition.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "models/airfoil/airfoil_curve.hpp"
#include "models/airfoil/op2_halos.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

/// The mesh written out: the two cells of every edge, the lower column and row first, and the cell
/// of every boundary edge. Cell (i, j) has the number i J + j.
struct ExplicitMesh {
  std::vector<std::vector<int>> edges;
  std::vector<int> bedges;
};
ExplicitMesh write_out(int block_columns, int rows) {
  ExplicitMesh mesh;
  const int columns = 3 * block_columns;
  const auto cell = [rows](int i, int j) { return i * rows + j; };
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < rows; ++j) {
      if (i + 1 < columns) mesh.edges.push_back({cell(i, j), cell(i + 1, j)});
      if (j + 1 < rows) mesh.edges.push_back({cell(i, j), cell(i, j + 1)});
      if (i == 0) mesh.bedges.push_back(cell(i, j));
      if (i == columns - 1) mesh.bedges.push_back(cell(i, j));
    }
    if (i < block_columns) mesh.edges.push_back({cell(i, 0), cell(columns - 1 - i, 0)});
    if (i >= block_columns && i < 2 * block_columns) mesh.bedges.push_back(cell(i, 0));
    mesh.bedges.push_back(cell(i, rows - 1));
  }
  return mesh;
}

/// The sets of every rank by OP2's classes, from the mesh written out. An edge that another's edge
/// brings along counts by its cells alone, because Airfoil's edges read no node that was computed.
void expect_counted(int block_columns, int rows, int ranks, int ranks_per_node) {
  const ExplicitMesh mesh = write_out(block_columns, rows);
  const AirfoilPartition partition({block_columns, rows}, ranks);
  std::vector<int> cell_owner, edge_owner;
  for (int i = 0; i < 3 * block_columns; ++i)
    for (int j = 0; j < rows; ++j) cell_owner.push_back(partition.owner(i, j));
  for (const auto& cells : mesh.edges) edge_owner.push_back(cell_owner[cells[0]]);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<HaloLists> lists =
        op2_halos({edge_owner, cell_owner}, {{0, 1, mesh.edges}}, rank);
    const AirfoilWorkload work = partition.workload(rank, ranks_per_node);
    RC_ASSERT(work.cells == static_cast<double>(lists[1].core.size()));
    RC_ASSERT(work.core_edges == static_cast<double>(lists[0].core.size()));
    RC_ASSERT(work.eeh_edges == static_cast<double>(lists[0].eeh.size()));
    RC_ASSERT(work.ieh_edges == static_cast<double>(lists[0].ieh.size()));
    RC_ASSERT(work.inh_cells == static_cast<double>(lists[1].inh.size()));
    RC_ASSERT(work.ieh_cells == 0 && lists[1].ieh.empty());
    std::set<int> neighbours;
    double near_cells = 0;
    for (const int cell : lists[1].inh) {
      neighbours.insert(cell_owner[cell]);
      near_cells += cell_owner[cell] / ranks_per_node == rank / ranks_per_node;
    }
    int near = 0;
    for (const int other : neighbours) near += other / ranks_per_node == rank / ranks_per_node;
    RC_ASSERT(work.neighbours == static_cast<double>(neighbours.size()));
    RC_ASSERT(work.near_neighbours == near);
    RC_ASSERT(work.near_cells == near_cells);
    int bedges = 0;
    for (const int cell : mesh.bedges) bedges += cell_owner[cell] == rank;
    RC_ASSERT(work.bedges == bedges);
  }
}

TEST(AirfoilMesh, SizesOfThePapersMeshes) {
  const AirfoilMesh small{400, 600};
  EXPECT_EQ(small.cells(), 720000);
  EXPECT_EQ(small.edges(), 1199 * 600 + 1200 * 599 + 400);
  EXPECT_EQ(small.boundary_edges(), 400 + 1200 + 2 * 600);
  const AirfoilMesh large = mesh_with_edges(26'000'000);
  EXPECT_EQ(large.block_columns, 1700);
  EXPECT_EQ(large.rows, 2550);
  EXPECT_NEAR(static_cast<double>(large.edges()), 26e6, 5e3);
  EXPECT_EQ(mesh_with_edges(1438600).rows, 600);
  EXPECT_EQ(mesh_with_edges(1).cells(), 3);
}

RC_GTEST_PROP(AirfoilMesh, HasTheEdgesOfTheMeshWrittenOut, ()) {
  const int columns = *rc::gen::inRange(1, 12), rows = *rc::gen::inRange(1, 12);
  const ExplicitMesh written = write_out(columns, rows);
  const AirfoilMesh mesh{columns, rows};
  RC_ASSERT(mesh.edges() == static_cast<std::int64_t>(written.edges.size()));
  RC_ASSERT(mesh.boundary_edges() == static_cast<std::int64_t>(written.bedges.size()));
  // Every cell has four edges, those between two cells shared.
  RC_ASSERT(2 * mesh.edges() + mesh.boundary_edges() == 4 * mesh.cells());
}

RC_GTEST_PROP(AirfoilPartition, CountsWhatTheMeshWrittenOutHolds, ()) {
  const int columns = *rc::gen::inRange(1, 9), rows = *rc::gen::inRange(1, 9);
  const int ranks = *rc::gen::inRange(1, std::min(3 * columns * rows, 24) + 1);
  expect_counted(columns, rows, ranks, *rc::gen::inRange(1, 6));
}

bool alike(const AirfoilWorkload& a, const AirfoilWorkload& b) {
  return a.cells == b.cells && a.core_edges == b.core_edges && a.eeh_edges == b.eeh_edges &&
         a.ieh_edges == b.ieh_edges && a.bedges == b.bedges && a.ieh_bedges == b.ieh_bedges &&
         a.ieh_cells == b.ieh_cells && a.inh_cells == b.inh_cells && a.neighbours == b.neighbours &&
         a.near_cells == b.near_cells && a.near_neighbours == b.near_neighbours;
}

RC_GTEST_PROP(AirfoilPartition, AllRanksAtOnceAreEachByItself, ()) {
  const AirfoilMesh mesh{*rc::gen::inRange(1, 40), *rc::gen::inRange(1, 60)};
  const int ranks =
      *rc::gen::inRange(1, static_cast<int>(std::min<std::int64_t>(mesh.cells(), 300)) + 1);
  const int ranks_per_node = *rc::gen::inRange(1, 40);
  const AirfoilPartition partition(mesh, ranks);
  const std::vector<AirfoilWorkload> all = partition.workloads(ranks_per_node);
  RC_ASSERT(all.size() == static_cast<std::size_t>(ranks));
  std::vector<std::map<int, double>> imported(all.size());
  partition.visit_imports([&](int owner, int rank, double cells) {
    RC_ASSERT(imported[rank].emplace(owner, cells).second);
  });
  std::vector<AirfoilWorkload> busiest;  // the plain way: each against all
  for (int rank = 0; rank < ranks; ++rank) {
    const AirfoilWorkload work = partition.workload(rank, ranks_per_node);
    RC_ASSERT(alike(all[rank], work));
    std::map<int, double> alone;
    for (const CellImport& one : partition.imports(rank)) alone[one.owner] = one.cells;
    RC_ASSERT(imported[rank] == alone);
    if (std::any_of(busiest.begin(), busiest.end(),
                    [&](const AirfoilWorkload& other) { return at_least_as_much(other, work); }))
      continue;
    std::erase_if(busiest,
                  [&](const AirfoilWorkload& other) { return at_least_as_much(work, other); });
    busiest.push_back(work);
  }
  const std::vector<AirfoilWorkload> quickly = busiest_workloads(partition, ranks_per_node);
  RC_ASSERT(quickly.size() == busiest.size());
  for (std::size_t one = 0; one < busiest.size(); ++one)
    RC_ASSERT(alike(quickly[one], busiest[one]));
}

RC_GTEST_PROP(AirfoilPartition, OwnsEveryElementOnce, ()) {
  const AirfoilMesh mesh{*rc::gen::inRange(1, 200), *rc::gen::inRange(1, 200)};
  const int ranks =
      *rc::gen::inRange(1, static_cast<int>(std::min<std::int64_t>(mesh.cells(), 500)) + 1);
  const AirfoilPartition partition(mesh, ranks);
  AirfoilWorkload sum;
  for (int rank = 0; rank < ranks; ++rank) {
    const AirfoilWorkload work = partition.workload(rank, 4);
    RC_ASSERT(work.cells >= 1);
    sum.cells += work.cells;
    sum.core_edges += work.core_edges;
    sum.eeh_edges += work.eeh_edges;
    sum.ieh_edges += work.ieh_edges;
    sum.bedges += work.bedges;
  }
  RC_ASSERT(sum.cells == static_cast<double>(mesh.cells()));
  RC_ASSERT(sum.core_edges + sum.eeh_edges == static_cast<double>(mesh.edges()));
  RC_ASSERT(sum.eeh_edges == sum.ieh_edges);  // a cut edge is one rank's and computed by another
  RC_ASSERT(sum.bedges == static_cast<double>(mesh.boundary_edges()));
}

TEST(AirfoilPartition, ManyRanksHaveAlikeShares) {
  const AirfoilPartition partition({400, 600}, 960);
  for (int rank = 0; rank < 960; ++rank)
    EXPECT_NEAR(static_cast<double>(partition.block(rank).cells()), 750, 0.12 * 750);
}

TEST(AirfoilPartition, RefusesMoreRanksThanCells) {
  EXPECT_NO_THROW(AirfoilPartition({1, 2}, 6));
  for (const int ranks : {0, 7}) {
    try {
      AirfoilPartition({1, 2}, ranks);
      FAIL();
    } catch (const BadInput& bad) {
      EXPECT_EQ(std::string(bad.what()),
                "--ranks: found " + std::to_string(ranks) + ", expected 1 to 6, the mesh's cells");
    }
  }
}

TEST(AirfoilPartition, BusiestWorkloadsOutdoAllOthers) {
  const AirfoilPartition partition({40, 60}, 37);
  const std::vector<AirfoilWorkload> busiest = busiest_workloads(partition, 4);
  EXPECT_LT(busiest.size(), 37u);
  for (int rank = 0; rank < 37; ++rank) {
    const AirfoilWorkload work = partition.workload(rank, 4);
    EXPECT_TRUE(std::any_of(busiest.begin(), busiest.end(), [&](const AirfoilWorkload& other) {
      return at_least_as_much(other, work);
    }));
  }
}

TEST(AirfoilHaloFit, ComesNearACountedPartitionBeyondItsOwn) {
  const AirfoilMesh mesh{400, 600};
  const AirfoilHaloFit fit = fit_halos(mesh, 1024);
  EXPECT_EQ(fit.counted_ranks, 1024);
  const AirfoilPartition counted(mesh, 4096);
  double most = 0;
  for (int rank = 0; rank < 4096; ++rank)
    most = std::max(most, counted.workload(rank, 1).inh_cells);
  const AirfoilWorkload fitted = fitted_workload(fit, mesh, 4096, 1);
  EXPECT_NEAR(fitted.inh_cells, most, 0.1 * most);
  // A square of n cells has 4 sqrt(n) neighbours; none of the blocks is far from square.
  EXPECT_GT(fit.halo_per_root, 4);
  EXPECT_LT(fit.halo_per_root, 5);
  EXPECT_NEAR(fitted.core_edges + fitted.eeh_edges / 2 + fitted.ieh_edges / 2, 2 * fitted.cells,
              1e-9);
}

TEST(AirfoilHaloFit, KnowsWhenOneNodeHoldsAllRanks) {
  const AirfoilMesh mesh{400, 600};
  const AirfoilHaloFit fit = fit_halos(mesh, 256);
  EXPECT_EQ(fitted_workload(fit, mesh, 8, 8).near_neighbours, fit.neighbours);
  EXPECT_EQ(fitted_workload(fit, mesh, 9, 8).near_neighbours, 0);
}

}  // namespace
}  // namespace bellwether
