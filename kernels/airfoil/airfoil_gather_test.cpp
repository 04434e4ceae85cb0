// SPDX-License-Identifier: MIT
// Gathers against the plain loops, and to the bit against their bodies.
#include "kernels/airfoil/airfoil_gather.hpp"
#include "kernels/airfoil/airfoil_arrays_test.hpp"

namespace bellwether {
namespace {

class AirfoilGatherTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, AirfoilGatherTest, every_backend(), backend_in_name);

/// What a stage reads and writes, here.
template <class T>
struct StageArrays {
  std::vector<T> q_old, q, adt, q_new, adt_new;
};
template <class T>
StageArrays<T> random_arrays(std::int32_t cells, Random& random) {
  const auto q = random_states<T>(cells, random);
  auto adt = random_steps<T>(cells, random);
  for (T& value : adt) value *= T(16);  // so that every state keeps a speed of sound
  return {random_states<T>(cells, random), q, adt, random.values<T>(q.size()),
          random.values<T>(adt.size())};
}

/// Where q_old is to be found.
enum class Old { apart, is_q, is_q_new };

template <class T>
StageArrays<T> after_stage(AirfoilOnDevice<T>& airfoil, const StageArrays<T>& before,
                           const std::vector<ElementRange>& ranges, Old old = Old::apart) {
  TestBackend& on = airfoil.on();
  const Buffer<T> apart = on.upload(before.q_old), q = on.upload(before.q);
  const Buffer<T> adt = on.upload(before.adt), adt_new = on.upload(before.adt_new);
  const Buffer<T> q_new = on.upload(old == Old::is_q_new ? before.q_old : before.q_new);
  const T* const q_old = (old == Old::apart ? apart : old == Old::is_q ? q : q_new).data();
  for (const ElementRange& range : ranges)
    airfoil.kernels().stage(range, airfoil.round(), q_old, q.data(), adt.data(), q_new.data(),
                            adt_new.data(), on.stream());
  return {on.download(apart), on.download(q), on.download(adt), on.download(q_new),
          on.download(adt_new)};
}

template <class T>
std::vector<T> gathered_res(AirfoilOnDevice<T>& airfoil, const StageArrays<T>& from,
                            const std::vector<ElementRange>& ranges) {
  TestBackend& on = airfoil.on();
  const Buffer<T> q = on.upload(from.q), adt = on.upload(from.adt);
  const Buffer<T> res = on.upload(std::vector<T>(from.q.size(), T(-1)));
  for (const ElementRange& range : ranges)
    airfoil.kernels().gather_res(range, airfoil.round(), q.data(), adt.data(), res.data(),
                                 on.stream());
  return on.download(res);
}

/// Meshes as they are, and with holes.
template <class Check>
void each_mesh(std::uint64_t seed, const Check& check) {
  each_quad_mesh(seed, [&]<class T>(T zero, const QuadMesh& mesh, Random& random) {
    check(zero, mesh, random);
    SCOPED_TRACE("with holes");
    check(zero, with_holes(mesh, random), random);
  });
}

TEST_P(AirfoilGatherTest, ResIsThatOfThePlainLoops) {
  each_mesh(1, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto from = random_arrays<T>(mesh.cells(), random);
    std::vector<RunningError> expected(from.q.size());
    const PlainLoops plain(mesh);
    plain.res(exact(from.q), exact(from.adt), 0, static_cast<std::size_t>(mesh.edges()), expected);
    plain.bres(exact(from.q), exact(from.adt), 0, static_cast<std::size_t>(mesh.outer()), expected);
    expect_near(gathered_res(airfoil, from, {airfoil.all_cells()}), expected);
  });
}

/// Registers of cells, some of them at the boundary, and threads of a GPU.
TEST_P(AirfoilGatherTest, ResHasTheBitsOfTheBodyCellByCell) {
  each_mesh(2, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto from = random_arrays<T>(mesh.cells(), random);
    const std::vector<T> x(mesh.x.begin(), mesh.x.end());
    const std::vector<std::uint32_t> round = mesh.surroundings();
    std::vector<T> expected(from.q.size());
    const AirfoilGatherRes<T> body{{{{mesh.cell_nodes.data(), x.data(), nullptr}, round.data()},
                                    from.q.data(),
                                    from.adt.data(),
                                    airfoil_constants<T>()},
                                   expected.data()};
    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) body(cell);
    EXPECT_TRUE(same_bits(gathered_res(airfoil, from, {airfoil.all_cells()}), expected));
  });
}

TEST_P(AirfoilGatherTest, StageIsUpdateAdtOfRes) {
  each_mesh(3, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto before = random_arrays<T>(mesh.cells(), random);
    const auto after = after_stage(airfoil, before, {airfoil.all_cells()});
    const Buffer<T> res = backend().upload(gathered_res(airfoil, before, {airfoil.all_cells()}));
    const Buffer<T> old = backend().upload(before.q_old), adt = backend().upload(before.adt);
    const Buffer<T> q = backend().upload(before.q_new);
    airfoil.kernels().update_adt(airfoil.all_cells(), airfoil.where(), old.data(), adt.data(),
                                 q.data(), res.data(), nullptr, stream());
    EXPECT_TRUE(same_bits(after.q_new, backend().download(q)));
    EXPECT_TRUE(same_bits(after.adt_new, backend().download(adt)));
    EXPECT_TRUE(same_bits(after.q, before.q));
    EXPECT_TRUE(same_bits(after.adt, before.adt));
    EXPECT_TRUE(same_bits(after.q_old, before.q_old));
    const auto in_place = after_stage(airfoil, before, {airfoil.all_cells()}, Old::is_q_new);
    EXPECT_TRUE(same_bits(in_place.q_new, after.q_new));
    EXPECT_TRUE(same_bits(in_place.adt_new, after.adt_new));
    auto first = before;
    first.q_old = first.q;
    EXPECT_TRUE(same_bits(after_stage(airfoil, before, {airfoil.all_cells()}, Old::is_q).q_new,
                          after_stage(airfoil, first, {airfoil.all_cells()}).q_new));
  });
}

TEST_P(AirfoilGatherTest, RangesGiveTheSameBitsAndLeaveOtherCells) {
  each_mesh(4, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto before = random_arrays<T>(mesh.cells(), random);
    const auto whole = after_stage(airfoil, before, {airfoil.all_cells()});
    const auto ranges = random_ranges<ElementRange>(mesh.cells(), random);
    const auto parts = after_stage(airfoil, before, ranges);
    EXPECT_TRUE(same_bits(parts.q_new, whole.q_new));
    EXPECT_TRUE(same_bits(parts.adt_new, whole.adt_new));
    EXPECT_TRUE(same_bits(gathered_res(airfoil, before, ranges),
                          gathered_res(airfoil, before, {airfoil.all_cells()})));
    const std::int32_t begin = random.below(mesh.cells()), end = begin + (mesh.cells() - begin) / 2;
    const auto some = after_stage(airfoil, before, {{begin, end}});
    const auto res = gathered_res(airfoil, before, {{begin, end}});
    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) {
      if (cell >= begin && cell < end) continue;
      const auto at = static_cast<std::size_t>(cell);
      ASSERT_EQ(some.adt_new[at], before.adt_new[at]);
      for (std::size_t n = 4 * at; n < 4 * at + 4; ++n) {
        ASSERT_EQ(some.q_new[n], before.q_new[n]);
        ASSERT_EQ(res[n], T(-1));
      }
    }
  });
}

}  // namespace
}  // namespace bellwether
