// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "miniapps/airfoil/airfoil_plain_test.hpp"
#include "miniapps/airfoil/mesh/airfoil_connectivity.hpp"

namespace bellwether {
namespace {

using Point = std::array<double, 2>;

/// The whole mesh on one rank, read as a user of the maps would.
struct Whole {
  AirfoilBlocks blocks;
  explicit Whole(const AirfoilMesh& shape) : blocks(generate_airfoil(shape, 1, 0)) {}

  [[nodiscard]] std::int64_t target(int map, std::int64_t element, int which) const {
    const BlockMap& of = blocks.mesh.maps[map];
    return of.targets[element * of.arity + which];
  }
  [[nodiscard]] std::int64_t total(int set) const { return blocks.mesh.sets[set].total; }
  [[nodiscard]] Point at(std::int64_t node) const {
    return {blocks.coordinates.values[2 * node], blocks.coordinates.values[2 * node + 1]};
  }
  /// Whether the cell's corners, counterclockwise, go from point `from` to point `to`.
  [[nodiscard]] bool goes(std::int64_t cell, Point from, Point to) const {
    for (int corner = 0; corner < 4; ++corner)
      if (at(target(cell_nodes_map, cell, corner)) == from &&
          at(target(cell_nodes_map, cell, (corner + 1) % 4)) == to)
        return true;
    return false;
  }
  [[nodiscard]] double area(std::int64_t cell) const {
    const Point a = at(target(cell_nodes_map, cell, 0)), b = at(target(cell_nodes_map, cell, 1));
    const Point c = at(target(cell_nodes_map, cell, 2)), d = at(target(cell_nodes_map, cell, 3));
    return ((c[0] - a[0]) * (d[1] - b[1]) - (d[0] - b[0]) * (c[1] - a[1])) / 2;
  }
};

const Whole& reference() {
  static const Whole mesh({400, 600});
  return mesh;
}

TEST(GenerateAirfoil, TheReferencesCounts) {
  const Whole& mesh = reference();
  EXPECT_EQ(mesh.total(airfoil_nodes), 721801);
  EXPECT_EQ(mesh.total(airfoil_cells), 720000);
  EXPECT_EQ(mesh.total(airfoil_edge_set), 1438600);
  EXPECT_EQ(mesh.total(airfoil_bedges), 2800);
  for (const BlockMap& map : mesh.blocks.mesh.maps) {
    EXPECT_EQ(static_cast<std::int64_t>(map.targets.size()), mesh.total(map.from) * map.arity)
        << map.name;
    const auto [low, high] = std::minmax_element(map.targets.begin(), map.targets.end());
    EXPECT_EQ(*low, 0) << map.name;
    EXPECT_LT(*high, mesh.total(map.to)) << map.name;
  }
  EXPECT_EQ(mesh.blocks.coordinates.values.size(), 2 * 721801u);
  EXPECT_EQ(std::ranges::count(mesh.blocks.bounds.values, wall), 400);
  EXPECT_EQ(std::ranges::count(mesh.blocks.bounds.values, far_field), 2400);
}

TEST(GenerateAirfoil, EveryEdgePointsFromItsFirstIntoItsSecondCell) {
  const Whole& mesh = reference();
  for (std::int64_t edge = 0; edge < mesh.total(airfoil_edge_set); ++edge) {
    const Point a = mesh.at(mesh.target(edge_nodes_map, edge, 0));
    const Point b = mesh.at(mesh.target(edge_nodes_map, edge, 1));
    // Left of a counterclockwise side is the cell: (dy, -dx) of a - b points out of the cell that
    // goes from b to a. Told by coordinates, this holds across the wake too.
    ASSERT_TRUE(mesh.goes(mesh.target(edge_cells_map, edge, 0), b, a)) << edge;
    ASSERT_TRUE(mesh.goes(mesh.target(edge_cells_map, edge, 1), a, b)) << edge;
  }
  for (std::int64_t edge = 0; edge < mesh.total(airfoil_bedges); ++edge) {
    const Point a = mesh.at(mesh.target(bedge_nodes_map, edge, 0));
    const Point b = mesh.at(mesh.target(bedge_nodes_map, edge, 1));
    ASSERT_TRUE(mesh.goes(mesh.target(bedge_cell_map, edge, 0), b, a)) << edge;
  }
}

TEST(GenerateAirfoil, CellsAreClosedOfFourSidesAndOfPositiveArea) {
  const Whole& mesh = reference();
  const std::int64_t cells = mesh.total(airfoil_cells);
  std::vector<Point> sum(cells);
  std::vector<double> most(cells);
  std::vector<int> sides(cells);
  const auto add = [&](std::int64_t cell, Point a, Point b, double sign) {
    const Point normal = {a[1] - b[1], b[0] - a[0]};
    for (int d = 0; d < 2; ++d) {
      sum[cell][d] += sign * normal[d];
      // Coordinates up to 18 are rounded to 4e-15; this is what a difference of them may be off by.
      most[cell] = std::max({most[cell], std::abs(a[d]), std::abs(b[d])});
    }
    ++sides[cell];
  };
  for (std::int64_t edge = 0; edge < mesh.total(airfoil_edge_set); ++edge) {
    const Point a = mesh.at(mesh.target(edge_nodes_map, edge, 0));
    const Point b = mesh.at(mesh.target(edge_nodes_map, edge, 1));
    add(mesh.target(edge_cells_map, edge, 0), a, b, 1);
    add(mesh.target(edge_cells_map, edge, 1), a, b, -1);
  }
  for (std::int64_t edge = 0; edge < mesh.total(airfoil_bedges); ++edge)
    add(mesh.target(bedge_cell_map, edge, 0), mesh.at(mesh.target(bedge_nodes_map, edge, 0)),
        mesh.at(mesh.target(bedge_nodes_map, edge, 1)), 1);
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    ASSERT_EQ(sides[cell], 4) << cell;
    const double rounding = 8 * most[cell] * 1.2e-16;
    ASSERT_LE(std::abs(sum[cell][0]), rounding) << cell;
    ASSERT_LE(std::abs(sum[cell][1]), rounding) << cell;
    ASSERT_GT(mesh.area(cell), 0) << cell;
  }
}

TEST(GenerateAirfoil, TheBoundaryIsTheAirfoilAndTheFarField) {
  const Whole& mesh = reference();
  double chord = 0, thickness = 0, nearest = 1e9;
  for (std::int64_t edge = 0; edge < mesh.total(airfoil_bedges); ++edge) {
    const Point a = mesh.at(mesh.target(bedge_nodes_map, edge, 0));
    const double distance = std::hypot(a[0], a[1]);
    if (mesh.blocks.bounds.values[edge] == wall) {
      chord = std::max(chord, a[0]);
      thickness = std::max(thickness, a[1]);
    } else {
      nearest = std::min(nearest, distance);
    }
  }
  EXPECT_NEAR(chord, 1, 1e-6);
  EXPECT_NEAR(thickness, 0.06, 0.001);  // half of 12 % of the chord, with the profile closed
  EXPECT_GT(nearest, 8.9);
}

TEST(GenerateAirfoil, EqualsTheMeshMadeByOtherMeans) {
  for (const auto& [block_columns, rows] :
       {std::pair{1, 1}, {1, 4}, {2, 1}, {3, 2}, {20, 30}, {67, 41}}) {
    const Whole mesh({block_columns, rows});
    const PlainAirfoil plain(block_columns, rows);
    ASSERT_EQ(mesh.total(airfoil_nodes), static_cast<std::int64_t>(plain.nodes.size()));
    ASSERT_EQ(mesh.total(airfoil_cells), static_cast<std::int64_t>(plain.cells.size()));
    ASSERT_EQ(mesh.total(airfoil_edge_set), static_cast<std::int64_t>(plain.edges.size()));
    ASSERT_EQ(mesh.total(airfoil_bedges), static_cast<std::int64_t>(plain.bedges.size()));
    for (std::size_t n = 0; n < plain.nodes.size(); ++n)
      for (int d = 0; d < 2; ++d)  // the last bits differ, and may fall on both sides of a rounding
        ASSERT_NEAR(mesh.at(n)[d], plain.nodes[n][d], 1.01e-6) << n;
    std::size_t other = 0;
    for (std::size_t n = 0; n < plain.nodes.size(); ++n) other += mesh.at(n) != plain.nodes[n];
    EXPECT_LE(other, plain.nodes.size() / 1000);
    for (std::size_t c = 0; c < plain.cells.size(); ++c)
      for (int k = 0; k < 4; ++k) ASSERT_EQ(mesh.target(cell_nodes_map, c, k), plain.cells[c][k]);
    for (std::size_t e = 0; e < plain.edges.size(); ++e)
      for (int k = 0; k < 4; ++k)
        ASSERT_EQ(mesh.target(k < 2 ? edge_nodes_map : edge_cells_map, e, k % 2), plain.edges[e][k])
            << e;
    for (std::size_t e = 0; e < plain.bedges.size(); ++e) {
      for (int k = 0; k < 2; ++k)
        ASSERT_EQ(mesh.target(bedge_nodes_map, e, k), plain.bedges[e][k]) << e;
      ASSERT_EQ(mesh.target(bedge_cell_map, e, 0), plain.bedges[e][2]) << e;
      ASSERT_EQ(mesh.blocks.bounds.values[e], plain.bedges[e][3]) << e;
    }
  }
}

TEST(GenerateAirfoil, RanksHaveTheBlocksOfTheWhole) {
  for (const AirfoilMesh shape : {AirfoilMesh{1, 1}, {2, 3}, {7, 5}}) {
    const Whole whole(shape);
    for (const int ranks : {2, 3, 7, 16}) {
      AirfoilBlocks joined = generate_airfoil(shape, ranks, 0);
      for (int rank = 1; rank < ranks; ++rank) {
        const AirfoilBlocks next = generate_airfoil(shape, ranks, rank);
        for (std::size_t map = 0; map < joined.mesh.maps.size(); ++map) {
          auto& targets = joined.mesh.maps[map].targets;
          const auto& more = next.mesh.maps[map].targets;
          targets.insert(targets.end(), more.begin(), more.end());
        }
        auto& coordinates = joined.coordinates.values;
        coordinates.insert(coordinates.end(), next.coordinates.values.begin(),
                           next.coordinates.values.end());
        auto& bounds = joined.bounds.values;
        bounds.insert(bounds.end(), next.bounds.values.begin(), next.bounds.values.end());
      }
      for (std::size_t map = 0; map < joined.mesh.maps.size(); ++map)
        EXPECT_EQ(joined.mesh.maps[map].targets, whole.blocks.mesh.maps[map].targets);
      EXPECT_EQ(joined.coordinates.values, whole.blocks.coordinates.values);
      EXPECT_EQ(joined.bounds.values, whole.blocks.bounds.values);
    }
  }
}

}  // namespace
}  // namespace bellwether
