// SPDX-License-Identifier: MIT

#include "kernels/airfoil/airfoil_arrays_test.hpp"

namespace bellwether {
namespace {

/// The ways of increments that AirfoilKernels names: all five loops; nothing saved; update_adt as
/// well.
enum class Way { five_loops, two_arrays, fused };

template <class T>
struct Flow {
  std::vector<T> q, change;
};

/// Iterations from q on. `in_order`: by one thread, also on a device of many.
template <class T>
Flow<T> iterated(AirfoilOnDevice<T>& airfoil, const QuadMesh& mesh, const std::vector<T>& q,
                 int iterations, Way way, bool in_order = false) {
  TestBackend& on = airfoil.on();
  Stream& stream = on.stream();
  AirfoilKernels<T>& kernels = airfoil.kernels();
  const ElementRange cells = airfoil.all_cells();
  const InOrder all_edges(mesh.edges()), all_outer(mesh.outer());
  const EdgeRange edges = in_order ? all_edges.range() : EdgeRange{0, mesh.edges()};
  const EdgeRange outer = in_order ? all_outer.range() : EdgeRange{0, mesh.outer()};
  const Buffer<T> a = on.upload(q), b = on.upload(std::vector<T>(q.size(), T(0)));
  Random dirt(1);
  const Buffer<T> res = on.upload(random_steps<T>(mesh.cells() * 4, dirt));
  const Buffer<T> adt(on.device(), q.size() / 4), change(on.device(), q.size() / 4);
  kernels.clear(cells, res.data(), stream);
  if (way == Way::fused) kernels.adt_calc(cells, airfoil.where(), a.data(), adt.data(), stream);
  for (int n = 0; n < iterations; ++n) {
    if (way == Way::five_loops) kernels.save_soln(cells, a.data(), b.data(), stream);
    for (int stage = 0; stage < 2; ++stage) {
      const bool two = way != Way::five_loops;
      const T* const old = two ? a.data() : b.data();
      const T* const in = two && stage == 1 ? b.data() : a.data();
      T* const out = two && stage == 0 ? b.data() : a.data();
      if (way != Way::fused) kernels.adt_calc(cells, airfoil.where(), in, adt.data(), stream);
      kernels.res_calc(edges, airfoil.edges(), in, adt.data(), res.data(), stream);
      kernels.bres_calc(outer, airfoil.boundary(), in, adt.data(), res.data(), stream);
      if (way == Way::fused)
        kernels.update_adt(cells, airfoil.where(), old, adt.data(), out, res.data(), change.data(),
                           stream);
      else
        kernels.update(cells, old, adt.data(), out, res.data(), change.data(), stream);
    }
  }
  return {on.download(a), on.download(change)};
}

template <class T>
std::vector<T> free_stream(AirfoilOnDevice<T>& airfoil) {
  const Buffer<T> q(airfoil.on().device(),
                    4 * static_cast<std::size_t>(airfoil.all_cells().count()));
  airfoil.kernels().set_free_stream(airfoil.all_cells(), q.data(), airfoil.on().stream());
  return airfoil.on().download(q);
}

/// q after iterations of two stages.
template <class T>
std::vector<T> gathered(AirfoilOnDevice<T>& airfoil, const std::vector<T>& q, int iterations) {
  TestBackend& on = airfoil.on();
  AirfoilKernels<T>& kernels = airfoil.kernels();
  const ElementRange cells = airfoil.all_cells();
  const Buffer<T> a = on.upload(q), b = on.upload(std::vector<T>(q.size(), T(0)));
  const Buffer<T> adt_a(on.device(), q.size() / 4), adt_b(on.device(), q.size() / 4);
  kernels.adt_calc(cells, airfoil.where(), a.data(), adt_a.data(), on.stream());
  for (int n = 0; n < iterations; ++n) {
    kernels.stage(cells, airfoil.round(), a.data(), a.data(), adt_a.data(), b.data(), adt_b.data(),
                  on.stream());
    kernels.stage(cells, airfoil.round(), a.data(), b.data(), adt_b.data(), a.data(), adt_a.data(),
                  on.stream());
  }
  return on.download(a);
}

class AirfoilIterationTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, AirfoilIterationTest, every_backend(), backend_in_name);

/// Those of a CPU's five loops.
TEST_P(AirfoilIterationTest, EdgesInOrderGiveTheSameBitsInEveryWay) {
  TestBackend kokkos("kokkos");
  each_quad_mesh(1, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh), other(kokkos, mesh);
    const auto q = random_states<T>(mesh.cells(), random);
    const auto expected = iterated(other, mesh, q, 3, Way::five_loops, true);
    for (const Way way : {Way::five_loops, Way::two_arrays, Way::fused}) {
      const auto found = iterated(airfoil, mesh, q, 3, way, true);
      EXPECT_TRUE(same_bits(found.q, expected.q));
      EXPECT_TRUE(same_bits(found.change, expected.change));
    }
  });
}

TEST_P(AirfoilIterationTest, IsThatOfThePlainLoops) {
  each_quad_mesh(2, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto q = random_states<T>(mesh.cells(), random);
    const auto plain = plainly_iterated(mesh, exact(q), 2).q;
    expect_near(iterated(airfoil, mesh, q, 2, Way::fused).q, plain);
    expect_near(gathered(airfoil, q, 2), plain);
  });
}

TEST_P(AirfoilIterationTest, FreeStreamIsThatOfTheReference) {
  each_quad_mesh(3, [&]<class T>(T, const QuadMesh& mesh, Random&) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto q = free_stream(airfoil);
    const auto far = PlainLoops(mesh).far();
    std::vector<RunningError> expected;
    for (std::size_t n = 0; n < q.size(); ++n) expected.push_back(far[n % 4]);
    expect_near(q, expected);
  });
}

/// Without walls nothing disturbs the free stream but rounding: of the fluxes through four sides.
TEST_P(AirfoilIterationTest, FreeStreamStaysWithoutWalls) {
  each_precision([&]<class T>(T) {
    Random random(4);
    const QuadMesh mesh = quad_mesh(17, 6, {}, random);
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto before = free_stream(airfoil);
    const auto after = iterated(airfoil, mesh, before, 20, Way::fused).q;
    for (std::size_t n = 0; n < after.size(); ++n)
      ASSERT_NEAR(after[n], before[n], 20 * 16 * std::numeric_limits<T>::epsilon()) << n;
  });
}

/// What one cell gains another loses: the sum over all cells is what the boundary adds.
TEST_P(AirfoilIterationTest, ResiduesSumToTheBoundarysFluxes) {
  each_quad_mesh(5, [&]<class T>(T, const QuadMesh& mesh, Random& random) {
    AirfoilOnDevice<T> airfoil(backend(), mesh);
    const auto q = random_states<T>(mesh.cells(), random);
    const auto adt = random_steps<T>(mesh.cells(), random);
    const std::vector<T> zero(q.size(), T(0));
    const auto total = [&](const std::vector<EdgeRange>& inner,
                           const std::vector<EdgeRange>& outer) {
      const Buffer<T> res = backend().upload(airfoil.res(q, adt, zero, inner, outer));
      return airfoil.kernels().sums(airfoil.all_cells(), res.data(), nullptr, stream());
    };
    const EdgeRange edges{0, mesh.edges()}, outer{0, mesh.outer()};
    const AirfoilSums all = total({edges}, {outer}), boundary = total({}, {outer});
    const AirfoilSums inner = total({edges}, {});
    for (std::size_t k = 0; k < 4; ++k) {
      // Five increments of a cell, of about 1 each, of which the larger may cancel: 16 times what
      // is left of them. Threads add those of the boundary in any order.
      const double bound =
          16 * static_cast<double>(std::numeric_limits<T>::epsilon()) *
          (inner.magnitude[k] + boundary.magnitude[k] + mesh.edges() + mesh.outer());
      EXPECT_NEAR(inner.total[k], 0, bound);
      EXPECT_NEAR(all.total[k], boundary.total[k], bound);
    }
  });
}

}  // namespace
}  // namespace bellwether
