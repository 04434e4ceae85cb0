// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/mesh/airfoil_mesh_checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "miniapps/comm/session/test_session.hpp"

namespace bellwether {
namespace {

using Order = std::vector<std::int64_t>;

/// Rows of `dim` values, the n-th being the order[n]-th.
template <class T>
std::vector<T> reordered(const std::vector<T>& rows, const Order& order, int dim) {
  std::vector<T> result;
  for (const std::int64_t row : order)
    result.insert(result.end(), rows.begin() + row * dim, rows.begin() + (row + 1) * dim);
  return result;
}

/// The whole mesh with its elements in any order, the same on all ranks.
void shuffle_elements(AirfoilBlocks& whole, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Order> orders;
  for (const MeshSet& set : whole.mesh.sets) {
    Order& order = orders.emplace_back(set.total);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
  }
  for (BlockMap& map : whole.mesh.maps) {
    Order number(whole.mesh.sets[map.to].total);
    for (std::size_t at = 0; at < number.size(); ++at)
      number[orders[map.to][at]] = static_cast<std::int64_t>(at);
    map.targets = reordered(map.targets, orders[map.from], map.arity);
    for (std::int64_t& target : map.targets) target = number[target];
  }
  whole.coordinates.values = reordered(whole.coordinates.values, orders[airfoil_nodes], 2);
  whole.bounds.values = reordered(whole.bounds.values, orders[airfoil_bedges], 1);
}

/// This rank's blocks of a whole mesh.
AirfoilBlocks own_blocks(AirfoilBlocks whole) {
  const auto cut = [&](int set, auto& rows, int dim) {
    const Blocks blocks = whole.mesh.blocks(set, test_session().size());
    const int rank = test_session().rank();
    rows.erase(rows.begin() + blocks.end(rank) * dim, rows.end());
    rows.erase(rows.begin(), rows.begin() + blocks.first(rank) * dim);
  };
  for (BlockMap& map : whole.mesh.maps) cut(map.from, map.targets, map.arity);
  cut(airfoil_nodes, whole.coordinates.values, 2);
  cut(airfoil_bedges, whole.bounds.values, 1);
  return whole;
}

std::uint64_t fingerprint(const AirfoilBlocks& whole) {
  return mesh_fingerprint(test_session().world(), own_blocks(whole));
}

TEST(MeshFingerprint, IsOfTheMeshAndNotOfItsNumbers) {
  const AirfoilBlocks mesh = generate_airfoil({4, 5}, 1, 0);
  const std::uint64_t expected = fingerprint(mesh);
  std::uint64_t of_first = expected;
  MPI_Bcast(&of_first, 1, MPI_UINT64_T, 0, test_session().world());
  EXPECT_EQ(of_first, expected);
  for (const unsigned seed : {1u, 2u, 3u}) {
    AirfoilBlocks other = mesh;
    shuffle_elements(other, seed);
    EXPECT_NE(other.mesh.maps[edge_cells_map].targets, mesh.mesh.maps[edge_cells_map].targets);
    EXPECT_EQ(fingerprint(other), expected);
  }
  AirfoilBlocks other = mesh;
  auto& corners = other.mesh.maps[cell_nodes_map].targets;
  std::rotate(corners.begin() + 40, corners.begin() + 41, corners.begin() + 44);
  for (const int map : {edge_nodes_map, edge_cells_map}) {
    auto& row = other.mesh.maps[map].targets;
    std::swap(row[14], row[15]);
  }
  for (double& x : other.coordinates.values)
    if (x == 0) x = -x;
  EXPECT_EQ(fingerprint(other), expected);
}

TEST(MeshFingerprint, EveryValueAndIndexCounts) {
  const AirfoilBlocks mesh = generate_airfoil({4, 5}, 1, 0);
  const std::uint64_t expected = fingerprint(mesh);
  const auto expect_change = [&](const char* what, const std::function<void(AirfoilBlocks&)>& to) {
    AirfoilBlocks other = mesh;
    to(other);
    EXPECT_NE(fingerprint(other), expected) << what;
  };
  expect_change("a coordinate", [](auto& to) { to.coordinates.values[31] += 1e-6; });
  expect_change("a flag", [](auto& to) { to.bounds.values[9] = 1; });
  for (std::size_t map = 0; map < mesh.mesh.maps.size(); ++map)
    expect_change(mesh.mesh.maps[map].name.c_str(), [map](auto& to) {
      std::int64_t& target = to.mesh.maps[map].targets[6];
      target = target > 0 ? target - 1 : 1;
    });
  for (const int map : {edge_nodes_map, edge_cells_map, bedge_nodes_map})
    expect_change("a direction", [map](auto& to) {
      auto& row = to.mesh.maps[map].targets;
      std::swap(row[14], row[15]);
    });
}

TEST(ReferenceMesh, IsToldFromOthersOfItsCounts) {
  const Session& session = test_session();
  const auto is_reference = [&](const AirfoilBlocks& blocks) {
    return is_reference_mesh(session.world(), blocks);
  };
  AirfoilBlocks mesh = generate_airfoil({400, 600}, session.size(), session.rank());
  EXPECT_TRUE(is_reference(mesh));
  if (session.rank() == session.size() - 1) mesh.coordinates.values.back() += 1e-6;
  EXPECT_FALSE(is_reference(mesh));
  EXPECT_FALSE(is_reference(generate_airfoil({8, 9}, session.size(), session.rank())));
}

}  // namespace
}  // namespace bellwether
