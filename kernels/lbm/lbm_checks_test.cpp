// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/lbm/lbm_subdomains_test.hpp"

namespace bellwether {
namespace {

constexpr std::array<std::array<int, 3>, 4> sizes{{{1, 1, 1}, {5, 3, 1}, {17, 3, 5}, {33, 7, 6}}};

/// Random tables of a flow, velocities and densities up to some per cent, here and on the backend.
class FlowTables {
 public:
  FlowTables(TestBackend& on, const std::array<int, 3>& cells, Random& random) {
    for (int d = 0; d < 3; ++d) {
      for (int component = 0; component < 4; ++component) {
        auto& table = tables_[component][d];
        table = random.values<double>(static_cast<std::size_t>(cells[d]));
        for (double& value : table) value *= component == 3 ? 0.01 : 0.4;
        buffers_[component][d] = on.upload(table);
      }
      mean_[d] = 0.05 * random.value<double>();
    }
  }
  [[nodiscard]] LbmFlow flow() const {
    LbmFlow flow;
    for (int d = 0; d < 3; ++d) {
      flow.mean[d] = mean_[d];
      flow.x[d] = buffers_[d][0].data();
      flow.y[d] = buffers_[d][1].data();
      flow.z[d] = buffers_[d][2].data();
      flow.density[d] = buffers_[3][d].data();
    }
    return flow;
  }
  [[nodiscard]] double mean(int d) const { return mean_[d]; }
  [[nodiscard]] double fluctuation(int d, const std::array<int, 3>& at) const {
    return entry(d, 0, at) * entry(d, 1, at) * entry(d, 2, at);
  }
  [[nodiscard]] double density(const std::array<int, 3>& at) const {
    return 1 + entry(3, 0, at) + entry(3, 1, at) + entry(3, 2, at);
  }

 private:
  [[nodiscard]] double entry(int component, int d, const std::array<int, 3>& at) const {
    return tables_[component][d][static_cast<std::size_t>(at[d])];
  }
  std::array<double, 3> mean_;
  std::array<std::array<std::vector<double>, 3>, 4> tables_;
  std::array<std::array<Buffer<double>, 3>, 4> buffers_;
};

class LbmChecksTest : public BackendTest {
 protected:
  /// A grid in which a fifth of the cells are solid.
  template <class T>
  LbmGrid grid_of(const std::array<int, 3>& cells, int wraps, Random& random) {
    LbmGrid grid{LbmLayout(cells, sizeof(T), row_ghosts((wraps & 1) != 0)),
                 {(wraps & 1) != 0, (wraps & 2) != 0, (wraps & 4) != 0},
                 nullptr};
    mask_.assign(grid.layout.field().elements(), 0);
    for (unsigned char& solid : mask_) solid = random.below(5) == 0 ? 1 : 0;
    on_device_ = backend().upload(mask_);
    grid.solid = on_device_.data();
    return grid;
  }
  [[nodiscard]] bool is_solid(const LbmGrid& grid, int i, int j, int k) const {
    return mask_[static_cast<std::size_t>(grid.layout.field().at(i, j, k))] != 0;
  }
  /// Calls check(T{}, grid, random) for both precisions, all sizes and directions that may wrap.
  template <class Check>
  void each_grid(const Check& check) {
    Random random(1);
    each_precision([&]<class T>(T zero) {
      for (const auto& cells : sizes)
        for (int wraps = 0; wraps < 8; ++wraps) {
          SCOPED_TRACE(testing::Message()
                       << cells[0] << 'x' << cells[1] << 'x' << cells[2] << ", wraps " << wraps);
          check(zero, grid_of<T>(cells, wraps, random), random);
          if (testing::Test::HasFatalFailure()) return;
        }
    });
  }

 private:
  std::vector<unsigned char> mask_;
  Buffer<unsigned char> on_device_;
};
INSTANTIATE_TEST_SUITE_P(Backends, LbmChecksTest, every_backend(), backend_in_name);

TEST_P(LbmChecksTest, SetFlowSendsOutTheEquilibrium) {
  each_grid([&]<class T>(T, const LbmGrid& grid, Random& random) {
    const FlowTables tables(backend(), grid.layout.cells(), random);
    for (const LbmCollision<T>& collision : collisions<T>()) {
      const Buffer<T> on_device = backend().upload(poisoned<T>(grid.layout));
      make_kernels<LbmKernels<T>>(device())->set_flow(grid, on_device.data(), tables.flow(),
                                                      collision, stream());
      auto f = backend().download(on_device);
      const double bound = 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) / 10 +
                           4 * std::numeric_limits<double>::epsilon();
      visit_cells(grid.layout.cells(), [&](int i, int j, int k) {
        if (is_solid(grid, i, j, k)) return;
        reference::Moments m{tables.density({i, j, k}), {}};
        for (int d = 0; d < 3; ++d)
          m.velocity[d] = tables.mean(d) + tables.fluctuation(d, {i, j, k}) -
                          static_cast<double>(collision.force[d]) / 2 / m.density;
        const auto found = outgoing(grid, f, {i, j, k}, 1);
        for (std::size_t q = 0; q < 19; ++q)
          ASSERT_NEAR(found[q], reference::equilibrium(q, m), bound)
              << "population " << q << " of cell " << i << ' ' << j << ' ' << k;
        visit_places(grid, {i, j, k}, 1, [&](std::size_t at) { f[at] = T(0); });
      });
      ASSERT_TRUE(same_bits(f, std::vector<T>(f.size(), T(0)))) << "outside of fluid cells";
    }
  });
}

TEST_P(LbmChecksTest, MacroscopicAndSumsAreTheReferences) {
  each_grid([&]<class T>(T, const LbmGrid& grid, Random& random) {
    const FlowTables tables(backend(), grid.layout.cells(), random);
    const LbmCollision<T> collision = collisions<T>()[3];
    const int parity = random.below(2);
    const Box box = random_box(grid.layout.cells(), random);
    const auto f = random_state<T>(grid, parity, random);
    const Buffer<T> on_device = backend().upload(f);
    const Buffer<float> density = backend().upload(std::vector<float>(box.cells())),
                        velocity = backend().upload(std::vector<float>(3 * box.cells()));
    const auto kernels = make_kernels<LbmKernels<T>>(device());
    kernels->macroscopic(grid, box, on_device.data(), parity, collision, density.data(),
                         velocity.data(), stream());
    const auto densities = backend().download(density), velocities = backend().download(velocity);
    std::size_t n = 0;
    visit_cells(box, [&](int i, int j, int k) {
      reference::Moments m{1, {}};
      if (!is_solid(grid, i, j, k))
        m = reference::moments(incoming(grid, f, {i, j, k}, parity), fluid_of(collision).force);
      ASSERT_FLOAT_EQ(densities[n], static_cast<float>(m.density));
      for (std::size_t d = 0; d < 3; ++d)
        ASSERT_NEAR(velocities[3 * n + d], m.velocity[d], 1e-8) << i << ' ' << j << ' ' << k;
      ++n;
    });

    LbmSums expected;
    visit_cells(grid.layout.cells(), [&](int i, int j, int k) {
      if (is_solid(grid, i, j, k)) return;
      const auto m =
          reference::moments(incoming(grid, f, {i, j, k}, parity), fluid_of(collision).force);
      expected.cells += 1;
      expected.excess_mass += m.density - 1;
      double square = 0;
      for (int d = 0; d < 3; ++d) {
        const double u = m.velocity[d], mode = tables.fluctuation(d, {i, j, k});
        expected.momentum[d] += m.density * u;
        expected.projection += (u - tables.mean(d)) * mode;
        expected.reference += mode * mode;
        square += u * u;
      }
      expected.largest_speed = std::max(expected.largest_speed, std::sqrt(square));
    });
    const LbmSums found =
        kernels->sums(grid, on_device.data(), parity, tables.flow(), collision, stream());
    const double bound = 1e-14 * static_cast<double>(grid.layout.field().interior().cells());
    EXPECT_EQ(found.cells, expected.cells);
    EXPECT_NEAR(found.excess_mass, expected.excess_mass, bound);
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(found.momentum[d], expected.momentum[d], bound);
    EXPECT_NEAR(found.projection, expected.projection, bound);
    EXPECT_NEAR(found.reference, expected.reference, bound);
    EXPECT_NEAR(found.largest_speed, expected.largest_speed, 1e-14);
    EXPECT_EQ(found.not_finite, 0);
    EXPECT_EQ(found.first_not_finite, -1);
  });
}

TEST_P(LbmChecksTest, SumsFindWhatIsNotFinite) {
  each_grid([&]<class T>(T, LbmGrid grid, Random& random) {
    grid.solid = nullptr;
    const auto& n = grid.layout.cells();
    const FlowTables tables(backend(), n, random);
    for (int population = 0; population < 19; ++population) {
      const double bad = std::array{std::nan(""), HUGE_VAL, -HUGE_VAL}[random.below(3)];
      auto f = random_state<T>(grid, 0, random);
      std::int64_t first = std::int64_t{n[0]} * n[1] * n[2];
      const int count = 1 + random.below(2);
      std::vector<bool> marked(static_cast<std::size_t>(first));
      for (int b = 0; b < count; ++b) {
        const std::array<int, 3> cell{random.below(n[0]), random.below(n[1]), random.below(n[2])};
        int p = 0;
        visit_places(grid, cell, 0, [&](std::size_t at) {
          if (p++ == population) f[at] = static_cast<T>(bad);
        });
        const std::int64_t index = cell[0] + std::int64_t{n[0]} * (cell[1] + n[1] * cell[2]);
        first = std::min(first, index);
        marked[static_cast<std::size_t>(index)] = true;
      }
      const Buffer<T> on_device = backend().upload(f);
      const LbmSums sums = make_kernels<LbmKernels<T>>(device())->sums(grid, on_device.data(), 0,
                                                                       tables.flow(), {}, stream());
      ASSERT_EQ(sums.not_finite, std::count(marked.begin(), marked.end(), true)) << population;
      ASSERT_EQ(sums.first_not_finite, first) << population;
    }
  });
}

TEST_P(LbmChecksTest, FingerprintIsOfFluidPopulationsAlone) {
  each_grid([&]<class T>(T, const LbmGrid& grid, Random& random) {
    const auto fingerprint = [&](const std::vector<T>& f, int parity) {
      const Buffer<T> on_device = backend().upload(f);
      return make_kernels<LbmKernels<T>>(device())->fingerprint(grid, on_device.data(), parity,
                                                                {2, 3, 4}, {100, 90, 80}, stream());
    };
    const auto f = random_state<T>(grid, 0, random);
    const auto expected = fingerprint(f, 0);
    // The same populations in the other parity's slots.
    auto other = poisoned<T>(grid.layout);
    for (int i = 0; i < 19; ++i) {
      const int from = i == 0 ? 0 : i % 2 == 1 ? i + 1 : i - 1;
      const auto pitch = static_cast<std::ptrdiff_t>(grid.layout.slot_pitch());
      std::copy_n(f.begin() + from * pitch, pitch, other.begin() + i * pitch);
    }
    EXPECT_EQ(fingerprint(other, 1), expected);
    for (int changes = 0; changes < 3; ++changes) {
      const auto& n = grid.layout.cells();
      const std::array<int, 3> cell{random.below(n[0]), random.below(n[1]), random.below(n[2])};
      auto changed = f;
      int population = random.below(19);
      visit_places(grid, cell, 0, [&](std::size_t at) {
        if (population-- == 0) changed[at] = std::nextafter(changed[at], T(1));
      });
      EXPECT_EQ(fingerprint(changed, 0) == expected, is_solid(grid, cell[0], cell[1], cell[2]));
    }
  });
}

/// The flow comes back from what was set, as far as one streaming step leaves it.
TEST_P(LbmChecksTest, SetFlowGivesAUniformFlowExactly) {
  each_precision([&]<class T>(T) {
    const TestDomain domain{{17, 4, 3}, {true, true, true}, std::vector<bool>(17 * 4 * 3)};
    const Buffer<double> zeros = backend().upload(std::vector<double>(17));
    const double* const z = zeros.data();
    const LbmFlow flow{{0.05, -0.02, 0.03}, {z, z, z}, {z, z, z}, {z, z, z}, {z, z, z}};
    const LbmCollision<T> collision = collisions<T>()[1];
    Subdomains<T> kernels(backend(), domain, {2, 2, 1});
    kernels.set_flow(flow, collision);
    for (const auto& f : kernels.populations(0)) {
      const auto m = reference::moments(f, fluid_of(collision).force);
      EXPECT_NEAR(m.density, 1, 20 * static_cast<double>(std::numeric_limits<T>::epsilon()));
      for (int d = 0; d < 3; ++d)
        EXPECT_NEAR(m.velocity[d], flow.mean[d],
                    20 * static_cast<double>(std::numeric_limits<T>::epsilon()));
    }
  });
}

}  // namespace
}  // namespace bellwether
