// SPDX-License-Identifier: MIT
#include "kernels/airfoil/airfoil_arrays_test.hpp"

namespace bellwether {
namespace {

class AirfoilTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, AirfoilTest, every_backend(), backend_in_name);

TEST_P(AirfoilTest, SidesAreDifferencesOfNodes) {
  each_quad_mesh(1, [&]<class T>(T, const QuadMesh& mesh, Random&) {
    const auto sides = AirfoilOnDevice<T>(backend(), mesh).sides();
    for (std::size_t n = 0; n < sides.size(); ++n) {
      const auto x = [&](std::size_t node) {
        return mesh.x[2 * static_cast<std::size_t>(mesh.edge_nodes[node]) + n % 2];
      };
      ASSERT_EQ(static_cast<double>(sides[n]), x(n / 2 * 2) - x(n / 2 * 2 + 1)) << n;
    }
  });
}

TEST_P(AirfoilTest, AdtIsThatOfThePlainLoopInAnyRanges) {
  each_quad_mesh(2, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto q = random_states<T>(mesh.cells(), random);
    const auto whole = airfoil.adt(q, {airfoil.all_cells()});
    expect_near(whole, PlainLoops(mesh).adt(exact(q)));
    EXPECT_TRUE(
        same_bits(airfoil.adt(q, random_ranges<ElementRange>(mesh.cells(), random)), whole));
  });
}

TEST_P(AirfoilTest, AdtLeavesOtherCells) {
  each_quad_mesh(3, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto q = random_states<T>(mesh.cells(), random);
    const std::int32_t begin = random.below(mesh.cells()), end = begin + (mesh.cells() - begin) / 2;
    const auto adt = airfoil.adt(q, {{begin, end}});
    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) {
      if (cell < begin || cell >= end) {
        ASSERT_EQ(adt[static_cast<std::size_t>(cell)], T(-1)) << cell;
      }
    }
  });
}

TEST_P(AirfoilTest, ResIsThatOfThePlainLoop) {
  each_quad_mesh(4, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto q = random_states<T>(mesh.cells(), random);
    const auto adt = random_steps<T>(mesh.cells(), random);
    const auto before = random.values<T>(q.size());
    auto expected = exact(before);
    const PlainLoops plain(mesh);
    const auto edges = static_cast<std::size_t>(mesh.edges());
    plain.res(exact(q), exact(adt), 0, edges, expected);
    expect_near(airfoil.res(q, adt, before, {{0, mesh.edges()}}, {}), expected);
    expect_near(airfoil.res(q, adt, before, random_ranges<EdgeRange>(mesh.edges(), random), {}),
                expected);
    const std::int32_t begin = random.below(mesh.edges() + 1);
    expected = exact(before);
    plain.res(exact(q), exact(adt), static_cast<std::size_t>(begin), edges, expected);
    expect_near(airfoil.res(q, adt, before, {{begin, mesh.edges()}}, {}), expected);
  });
}

TEST_P(AirfoilTest, BresIsThatOfThePlainLoop) {
  each_quad_mesh(5, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto q = random_states<T>(mesh.cells(), random);
    const auto adt = random_steps<T>(mesh.cells(), random);
    const auto before = random.values<T>(q.size());
    const PlainLoops plain(mesh);
    auto expected = exact(before);
    plain.bres(exact(q), exact(adt), 0, static_cast<std::size_t>(mesh.outer()), expected);
    expect_near(airfoil.res(q, adt, before, {}, {{0, mesh.outer()}}), expected);
    expect_near(airfoil.res(q, adt, before, {}, random_ranges<EdgeRange>(mesh.outer(), random)),
                expected);
  });
}

/// Ranges of edges in their order give the bits of one range where one thread runs them: a rank
/// that computes core edges first and the rest after the exchange rounds alike with and without.
TEST_P(AirfoilTest, ConsecutiveRangesGiveTheSameBits) {
  if (!device().is_sequential()) GTEST_SKIP() << "several threads without colours";
  each_quad_mesh(6, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto q = random_states<T>(mesh.cells(), random);
    const auto adt = random_steps<T>(mesh.cells(), random);
    const auto before = random.values<T>(q.size());
    const std::int32_t cut = random.below(mesh.edges() + 1);
    EXPECT_TRUE(same_bits(airfoil.res(q, adt, before, {{0, cut}, {cut, mesh.edges()}}, {}),
                          airfoil.res(q, adt, before, {{0, mesh.edges()}}, {})));
  });
}

/// The edges put into colours of blocks, greedily; the colours' first edges.
std::vector<std::int32_t> coloured(QuadMesh& mesh, std::int32_t block) {
  std::vector<std::int32_t> order, colours;
  std::vector<bool> done(static_cast<std::size_t>(mesh.edges()));
  while (order.size() < done.size()) {
    colours.push_back(static_cast<std::int32_t>(order.size()));
    std::vector<std::int32_t> block_of_cell(static_cast<std::size_t>(mesh.cells()), -1);
    std::int32_t in_colour = 0;
    for (std::size_t edge = 0; edge < done.size(); ++edge) {
      if (done[edge]) continue;
      const std::int32_t here = in_colour / block;
      const auto free = [&](std::size_t k) {
        const auto cell = static_cast<std::size_t>(mesh.edge_cells[2 * edge + k]);
        return block_of_cell[cell] == -1 || block_of_cell[cell] == here;
      };
      if (!free(0) || !free(1)) continue;
      for (std::size_t k = 0; k < 2; ++k)
        block_of_cell[static_cast<std::size_t>(mesh.edge_cells[2 * edge + k])] = here;
      order.push_back(static_cast<std::int32_t>(edge));
      done[edge] = true;
      ++in_colour;
    }
  }
  mesh.reorder_edges(order);
  return colours;
}

TEST_P(AirfoilTest, ColoursGiveTheBitsOfTheEdgesInOrder) {
  TestBackend kokkos("kokkos");
  each_quad_mesh(7, [&]<class T>(T, QuadMesh mesh, Random& random) {
    for (const std::int32_t block : {1, 3, 16}) {
      const auto colours = coloured(mesh, block);
      const auto q = random_states<T>(mesh.cells(), random);
      const auto adt = random_steps<T>(mesh.cells(), random);
      const auto before = random.values<T>(q.size());
      const EdgeRange range{0, mesh.edges(), colours, block};
      AirfoilOnDevice<T> airfoil(backend(), mesh), other(kokkos, mesh);
      const auto res = airfoil.res(q, adt, before, {range}, {});
      EXPECT_TRUE(same_bits(other.res(q, adt, before, {InOrder(mesh.edges()).range()}, {}), res));
      auto expected = exact(before);
      PlainLoops(mesh).res(exact(q), exact(adt), 0, static_cast<std::size_t>(mesh.edges()),
                           expected);
      expect_near(res, expected);
    }
  });
}

}  // namespace
}  // namespace bellwether
