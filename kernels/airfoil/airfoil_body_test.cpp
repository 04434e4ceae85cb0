// SPDX-License-Identifier: MIT
#include "kernels/airfoil/airfoil_body.hpp"

#include <cmath>

#include "kernels/airfoil/airfoil_gather.hpp"
#include "kernels/airfoil/airfoil_mesh_test.hpp"
#include "kernels/airfoil/airfoil_work.hpp"
#include "kernels/launch/counting_test.hpp"

namespace bellwether {
namespace {

/// The loops' bodies on numbers that count, over a whole mesh.
class AirfoilWorkTest : public testing::Test {
 protected:
  using Number = CountingNumber;

  [[nodiscard]] AirfoilConstants<Number> constants() const {
    return {n_, n_, n_, n_, n_, n_, n_, {n_, n_, n_, n_}};
  }
  [[nodiscard]] std::vector<Number> array(std::size_t size) { return Number::array(size, count_); }
  /// Bytes of the values that were read, each once, with 8 bytes each.
  [[nodiscard]] std::int64_t bytes_read() const {
    return 8 * static_cast<std::int64_t>(count_.distinct_read.size());
  }

  WorkCount count_;
  const Number n_{count_};
  Random random_{1};
  const QuadMesh mesh_ = quad_mesh(7, 5, {true, false, true, false}, random_);
  const AirfoilCounts counts_{mesh_.nodes(), mesh_.cells(), mesh_.edges(), mesh_.outer()};
};

TEST_F(AirfoilWorkTest, OfAdtCalcIsWhatTheBodyDoes) {
  const auto q = array(4 * static_cast<std::size_t>(mesh_.cells())), x = array(mesh_.x.size());
  const AirfoilAdtCalc<Number> loop{
      {mesh_.cell_nodes.data(), x.data(), nullptr}, constants(), q.data(), nullptr};
  for (std::int32_t cell = 0; cell < mesh_.cells(); ++cell) (void)loop.of(cell);
  EXPECT_EQ(count_.flops, airfoil_flops(AirfoilKernel::adt_calc) * mesh_.cells());
  EXPECT_EQ(count_.reads, 12 * mesh_.cells());
  const std::int64_t adt = 8 * mesh_.cells(), map = 16 * mesh_.cells();
  EXPECT_EQ(bytes_read() + adt + map, airfoil_bytes(AirfoilKernel::adt_calc, counts_, 8));
}

TEST_F(AirfoilWorkTest, OfResCalcIsWhatTheBodyDoesAndEightIncrements) {
  const auto q = array(4 * static_cast<std::size_t>(mesh_.cells()));
  const auto adt = array(static_cast<std::size_t>(mesh_.cells()));
  const auto sides = array(mesh_.edge_nodes.size());
  const AirfoilResCalc<Number> loop{
      {mesh_.edge_cells.data(), sides.data()}, q.data(), adt.data(), nullptr, constants()};
  for (std::int32_t edge = 0; edge < mesh_.edges(); ++edge) {
    const std::int32_t* const cell = mesh_.edge_cells.data() + 2 * edge;
    (void)loop.flux(edge, cell[0], cell[1]);
  }
  EXPECT_EQ(count_.flops, (airfoil_flops(AirfoilKernel::res_calc) - 8) * mesh_.edges());
  const std::int64_t res = 2 * 4 * 8 * mesh_.cells(), map = 8 * mesh_.edges();
  EXPECT_EQ(bytes_read() + res + map, airfoil_bytes(AirfoilKernel::res_calc, counts_, 8));
}

TEST_F(AirfoilWorkTest, OfBresCalcIsWhatTheBodiesDoAndTheirIncrements) {
  const auto q = array(4 * static_cast<std::size_t>(mesh_.cells()));
  const auto adt = array(static_cast<std::size_t>(mesh_.cells()));
  const auto sides = array(mesh_.outer_nodes.size());
  const AirfoilBresCalc<Number> loop{
      {mesh_.outer_cells.data(), mesh_.outer_flags.data(), sides.data()},
      q.data(),
      adt.data(),
      nullptr,
      constants()};
  (void)loop.far_flux(0);
  EXPECT_EQ(count_.flops, airfoil_flops(AirfoilKernel::bres_calc) - 4);
  const std::int64_t res = 2 * 4 * 8, indices = 8;
  EXPECT_EQ(bytes_read() + res + indices, airfoil_bytes(AirfoilKernel::bres_calc, {0, 0, 0, 1}, 8));
  count_.flops = 0;
  (void)loop.wall_pressure(0);
  EXPECT_EQ(count_.flops, airfoil_wall_flops - 4);
}

TEST_F(AirfoilWorkTest, OfUpdatesIsWhatTheBodyDoes) {
  const Conserved<Number> q{n_, n_, n_, n_};
  (void)stepped(q, q, n_, constants());
  EXPECT_EQ(count_.flops, airfoil_flops(AirfoilKernel::update));
  const auto x = array(mesh_.x.size());
  (void)area_over_step(sides_of<Number>({mesh_.cell_nodes.data(), x.data(), nullptr}, 0).at, n_, q,
                       constants());
  EXPECT_EQ(count_.flops, airfoil_flops(AirfoilKernel::update_adt));
  count_.flops = 0;
  (void)square_of(q);
  EXPECT_EQ(count_.flops, airfoil_change_flops);
}

/// Of cells with other cells round them. The first stage of an iteration takes q_old from q.
TEST_F(AirfoilWorkTest, OfAStageIsWhatTheBodyDoes) {
  const auto q = array(4 * static_cast<std::size_t>(mesh_.cells())), x = array(mesh_.x.size());
  const auto adt = array(static_cast<std::size_t>(mesh_.cells()));
  const std::vector<std::uint32_t> round = mesh_.surroundings();
  const AirfoilGather<Number> from{{{mesh_.cell_nodes.data(), x.data(), adt.data()}, round.data()},
                                   q.data(),
                                   adt.data(),
                                   constants()};
  int inner = 0;
  for (std::int32_t cell = 0; cell < mesh_.cells(); ++cell) {
    const auto first = round.begin() + 4 * std::ptrdiff_t{cell};
    count_.flops = 0;
    const CellSides<Number> sides = sides_of(from.round.where, cell);
    const Number step = adt[static_cast<std::size_t>(cell)];
    const Conserved<Number> res = from.res(cell, sides, step);
    if (!std::all_of(first, first + 4, [](std::uint32_t code) {
          return AirfoilSide::of(code).kind == AirfoilSide::inner;
        }))
      continue;
    ++inner;
    EXPECT_EQ(count_.flops, airfoil_flops(AirfoilKernel::gather_res));
    const AirfoilStep<Number> stage = stepped(res, res, step, from.c);
    (void)area_over_step(sides.at, n_, stage.q, from.c);
    EXPECT_EQ(count_.flops, airfoil_flops(AirfoilKernel::stage));
  }
  EXPECT_EQ(inner, 5 * 3);
  const std::int64_t maps = 32 * mesh_.cells(), values = 8 * mesh_.cells();
  EXPECT_EQ(bytes_read() + maps + 4 * values, airfoil_bytes(AirfoilKernel::gather_res, counts_, 8));
  // q_old is another array than q in one of two stages; q and adt are written, perimeters read.
  EXPECT_EQ(2 * (bytes_read() + maps + 6 * values) + 4 * values,
            2 * airfoil_bytes(AirfoilKernel::stage, counts_, 8));
}

/// The 720000-cell mesh in double precision moves 565 MB an iteration with the five loops (OP2).
TEST_F(AirfoilWorkTest, OfAnIterationIsThatOfTheFiveLoops) {
  const AirfoilCounts counts{721801, 720000, 1438600, 2800};
  std::int64_t bytes = airfoil_bytes(AirfoilKernel::save_soln, counts, 8);
  for (const AirfoilKernel kernel :
       {AirfoilKernel::adt_calc, AirfoilKernel::res_calc, AirfoilKernel::update})
    bytes += 2 * airfoil_bytes(kernel, counts, 8);
  EXPECT_NEAR(static_cast<double>(bytes), 565e6, 1e6);
  EXPECT_LT(airfoil_bytes(AirfoilKernel::update_adt, counts, 8),
            airfoil_bytes(AirfoilKernel::update, counts, 8) +
                airfoil_bytes(AirfoilKernel::adt_calc, counts, 8));
}

/// From the other cell a flux is the same with the other sign, to the bit: what makes residues sum
/// to the boundary's, and gathers give what increments do. States and sides of any size and sign,
/// sides along an axis and cells alike among them.
TEST(AirfoilBodyTest, FluxIsTheSameFromBothSides) {
  each_precision([]<class T>(T) {
    Random random(2);
    const auto c = airfoil_constants<T>();
    const auto value = [&](int most) {
      return random.below(8) == 0 ? T(0)
                                  : std::ldexp(random.value<T>(), random.below(2 * most) - most);
    };
    for (int n = 0; n < 20000; ++n) {
      const auto state = [&] {
        return Conserved<T>{std::ldexp(T(1) + random.value<T>() / 2, random.below(9) - 4), value(4),
                            value(4), value(4)};
      };
      const Conserved<T> a = state(), b = random.below(8) == 0 ? a : state();
      const T adt_a = std::abs(value(8)), adt_b = std::abs(value(8));
      const PlaneVector<T> side{value(12), value(12)};
      const auto there = flux_between<T>(side, a, b, adt_a, adt_b, c);
      const auto back = flux_between<T>({-side.x, -side.y}, b, a, adt_b, adt_a, c);
      ASSERT_EQ(there.density, -back.density) << n;
      ASSERT_EQ(there.momentum_x, -back.momentum_x) << n;
      ASSERT_EQ(there.momentum_y, -back.momentum_y) << n;
      ASSERT_EQ(there.energy, -back.energy) << n;
    }
  });
}

TEST(AirfoilSideTest, CodesTellTheLastCellFromTheBoundary) {
  for (const std::uint32_t cell : {0u, 1u, AirfoilSide::most_cells - 1}) {
    for (const auto kind :
         {AirfoilSide::inner, AirfoilSide::wall, AirfoilSide::far_field, AirfoilSide::nothing}) {
      const AirfoilSide same = AirfoilSide::of(AirfoilSide{cell, kind}.code());
      EXPECT_EQ(same.cell, cell);
      EXPECT_EQ(same.kind, kind);
    }
    EXPECT_EQ((AirfoilSide{cell, AirfoilSide::inner}.code()), cell);
  }
}

TEST(MeshRangesTest, BlocksCoverARange) {
  for (const std::int32_t count : {0, 1, 4, 5, 9}) {
    const ElementRange range{3, 3 + count};
    std::int32_t next = range.begin;
    for (std::int32_t n = 0; n < block_count(range, 4); ++n) {
      const ElementRange block = block_of(range, 4, n);
      EXPECT_EQ(block.begin, next);
      EXPECT_GT(block.count(), 0);
      EXPECT_LE(block.count(), 4);
      next = block.end;
    }
    EXPECT_EQ(next, range.end);
  }
  EXPECT_EQ(block_count({5, 2}, 4), 0);
  EXPECT_EQ(block_count({0, 2147483647}, 2147483647), 1);
  EXPECT_EQ(block_of({0, 2147483647}, 2000000000, 1).end, 2147483647);
}

}  // namespace
}  // namespace bellwether
