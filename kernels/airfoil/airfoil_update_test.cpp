// SPDX-License-Identifier: MIT
#include "kernels/airfoil/airfoil_arrays_test.hpp"

namespace bellwether {
namespace {

/// What an update reads and writes, here.
template <class T>
struct UpdateArrays {
  std::vector<T> q_old, q, res, adt, change;
};
template <class T>
UpdateArrays<T> random_arrays(std::int32_t cells, Random& random) {
  const auto q_old = random_states<T>(cells, random);
  auto res = random.values<T>(q_old.size());
  for (T& value : res) value *= T(0.125);  // so that every state keeps a speed of sound
  return {q_old, random.values<T>(q_old.size()), res, random_steps<T>(cells, random),
          random.values<T>(q_old.size() / 4)};
}

enum class Asked { change, no_change };
enum class Loop { update, update_adt };

/// The arrays after an update of the ranges. Where `in_place`, q_old is the array q.
template <class T>
UpdateArrays<T> updated(AirfoilOnDevice<T>& airfoil, const UpdateArrays<T>& before,
                        const std::vector<ElementRange>& ranges, Loop loop,
                        Asked asked = Asked::change, bool in_place = false) {
  TestBackend& on = airfoil.on();
  const Buffer<T> q_old = on.upload(before.q_old), separate = on.upload(before.q);
  const Buffer<T>& q = in_place ? q_old : separate;
  const Buffer<T> res = on.upload(before.res), adt = on.upload(before.adt);
  const Buffer<T> change = on.upload(before.change);
  T* const to = asked == Asked::change ? change.data() : nullptr;
  for (const ElementRange& range : ranges) {
    if (loop == Loop::update)
      airfoil.kernels().update(range, q_old.data(), adt.data(), q.data(), res.data(), to,
                               on.stream());
    else
      airfoil.kernels().update_adt(range, airfoil.where(), q_old.data(), adt.data(), q.data(),
                                   res.data(), to, on.stream());
  }
  return {on.download(q_old), on.download(q), on.download(res), on.download(adt),
          on.download(change)};
}

class AirfoilUpdateTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, AirfoilUpdateTest, every_backend(), backend_in_name);

TEST_P(AirfoilUpdateTest, IsThePlainLoop) {
  each_quad_mesh(1, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto before = random_arrays<T>(mesh.cells(), random);
    const auto after = updated(airfoil, before, {airfoil.all_cells()}, Loop::update);
    auto q = exact(before.q_old);
    std::vector<RunningError> change(before.adt.size());
    for (std::size_t n = 0; n < q.size(); ++n) {
      const RunningError delta = RunningError(before.res[n]) / RunningError(before.adt[n / 4]);
      q[n] -= delta;
      change[n / 4] += delta * delta;
    }
    expect_near(after.q, q);
    expect_near(after.change, change);
    EXPECT_TRUE(same_bits(after.res, std::vector<T>(q.size(), T(0))));
    EXPECT_TRUE(same_bits(after.q_old, before.q_old));
    EXPECT_TRUE(same_bits(after.adt, before.adt));
  });
}

TEST_P(AirfoilUpdateTest, RangesInPlaceAndWithoutChangeGiveTheSameBits) {
  each_quad_mesh(2, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto before = random_arrays<T>(mesh.cells(), random);
    for (const Loop loop : {Loop::update, Loop::update_adt}) {
      const auto whole = updated(airfoil, before, {airfoil.all_cells()}, loop);
      const auto parts =
          updated(airfoil, before, random_ranges<ElementRange>(mesh.cells(), random), loop);
      EXPECT_TRUE(same_bits(parts.q, whole.q));
      EXPECT_TRUE(same_bits(parts.res, whole.res));
      EXPECT_TRUE(same_bits(parts.adt, whole.adt));
      EXPECT_TRUE(same_bits(parts.change, whole.change));
      const auto in_place =
          updated(airfoil, before, {airfoil.all_cells()}, loop, Asked::no_change, true);
      EXPECT_TRUE(same_bits(in_place.q, whole.q));
      EXPECT_TRUE(same_bits(in_place.adt, whole.adt));
      EXPECT_TRUE(same_bits(in_place.change, before.change));
    }
  });
}

TEST_P(AirfoilUpdateTest, UpdateAdtIsUpdateThenAdtCalc) {
  each_quad_mesh(3, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto before = random_arrays<T>(mesh.cells(), random);
    const auto fused = updated(airfoil, before, {airfoil.all_cells()}, Loop::update_adt);
    const auto apart = updated(airfoil, before, {airfoil.all_cells()}, Loop::update);
    EXPECT_TRUE(same_bits(fused.q, apart.q));
    EXPECT_TRUE(same_bits(fused.res, apart.res));
    EXPECT_TRUE(same_bits(fused.change, apart.change));
    EXPECT_TRUE(same_bits(fused.adt, airfoil.adt(apart.q, {airfoil.all_cells()})));
    expect_near(fused.adt, PlainLoops(mesh).adt(exact(fused.q)));
  });
}

TEST_P(AirfoilUpdateTest, LeavesOtherCells) {
  each_quad_mesh(4, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto before = random_arrays<T>(mesh.cells(), random);
    const std::int32_t begin = random.below(mesh.cells()), end = begin + (mesh.cells() - begin) / 2;
    const auto after = updated(airfoil, before, {{begin, end}}, Loop::update_adt);
    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) {
      if (cell >= begin && cell < end) continue;
      const auto at = static_cast<std::size_t>(cell);
      ASSERT_EQ(after.adt[at], before.adt[at]);
      ASSERT_EQ(after.change[at], before.change[at]);
      for (std::size_t n = 4 * at; n < 4 * at + 4; ++n) {
        ASSERT_EQ(after.q[n], before.q[n]);
        ASSERT_EQ(after.res[n], before.res[n]);
      }
    }
  });
}

}  // namespace
}  // namespace bellwether
