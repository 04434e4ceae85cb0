// SPDX-License-Identifier: MIT
#include <cmath>

#include "kernels/lbm/lbm_subdomains_test.hpp"

namespace bellwether {
namespace {

constexpr int steps = 4;

/// A domain and two ways to divide it.
struct Case {
  std::array<int, 3> cells;
  std::array<bool, 3> periodic;
  int one_solid_in;  ///< cells; 0: none
  std::array<std::array<int, 3>, 2> divisions;
};
const std::array cases{
    Case{{1, 1, 1}, {true, true, true}, 0, {{{1, 1, 1}, {1, 1, 1}}}},
    Case{{1, 5, 2}, {true, true, true}, 0, {{{1, 2, 1}, {1, 5, 2}}}},
    Case{{17, 3, 5}, {true, true, true}, 0, {{{2, 1, 1}, {3, 3, 2}}}},
    Case{{33, 7, 6}, {true, true, true}, 0, {{{1, 1, 2}, {2, 3, 2}}}},
    Case{{24, 7, 4}, {true, true, true}, 3, {{{1, 1, 2}, {2, 3, 1}}}},
    Case{{12, 6, 3}, {true, false, true}, 2, {{{1, 2, 1}, {2, 1, 3}}}},
    Case{{5, 6, 3}, {true, false, true}, 0, {{{1, 2, 1}, {2, 2, 1}}}},
    Case{{4, 3, 3}, {false, false, false}, 0, {{{2, 1, 1}, {2, 2, 3}}}},
    Case{{18, 5, 4}, {true, true, true}, 4, {{{1, 2, 2}, {3, 1, 2}}}},
    Case{{35, 4, 5}, {false, true, false}, 3, {{{2, 2, 1}, {4, 1, 3}}}},
};

TestDomain domain_of(const Case& c, Random& random) {
  TestDomain domain{c.cells, c.periodic, {}};
  domain.solid.resize(Box{{0, 0, 0}, c.cells}.cells());
  for (std::size_t n = 0; n < domain.solid.size(); ++n)
    domain.solid[n] = c.one_solid_in > 0 && random.below(c.one_solid_in) == 0;
  return domain;
}

/// Calls check(T{}, case, parity of the first step, seed) for both precisions and all cases.
template <class Check>
void each_case(const Check& check) {
  each_precision([&]<class T>(T zero) {
    for (std::size_t n = 0; n < cases.size(); ++n)
      for (const int parity : {0, 1}) {
        SCOPED_TRACE(testing::Message() << "case " << n << ", parity " << parity);
        check(zero, cases[n], parity, 2 * n + static_cast<std::size_t>(parity));
        if (testing::Test::HasFatalFailure()) return;
      }
  });
}

template <class T>
void expect_near(const std::vector<reference::Populations>& found, const TestDomain& domain,
                 reference::Lattice& lattice, int steps_done) {
  // A collision passes on a population's error with a factor of a few at most.
  const double bound = collision_bound<T>() * std::pow(3.0, steps_done - 1);
  visit_cells(domain.cells, [&](int i, int j, int k) {
    if (domain.is_solid({i, j, k})) return;
    for (std::size_t q = 0; q < 19; ++q)
      ASSERT_NEAR(found[domain.index({i, j, k})][q], lattice.at(i, j, k)[q], bound)
          << "population " << q << " of cell " << i << ' ' << j << ' ' << k << " after "
          << steps_done << " steps";
  });
}

class LbmStreamingTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, LbmStreamingTest, every_backend(), backend_in_name);

TEST_P(LbmStreamingTest, FollowsTwoLattices) {
  each_case([&]<class T>(T, const Case& c, int first_parity, std::size_t seed) {
    Random random(seed);
    const TestDomain domain = domain_of(c, random);
    for (const LbmCollision<T>& collision : collisions<T>()) {
      Subdomains<T> kernels(backend(), domain, c.divisions[0]);
      kernels.set_random(first_parity, random);
      reference::Lattice lattice = domain.lattice();
      const auto start = kernels.populations(first_parity);
      visit_cells(domain.cells, [&](int i, int j, int k) {
        lattice.at(i, j, k) = start[domain.index({i, j, k})];
      });
      for (int t = 0; t < steps; ++t) {
        const int parity = (first_parity + t) % 2;
        const auto gained = kernels.step(parity, collision);
        const auto expected = lattice.step(fluid_of(collision));
        expect_near<T>(kernels.populations(1 - parity), domain, lattice, t + 1);
        const double links = 19.0 * static_cast<double>(domain.solid.size());
        for (int d = 0; d < 3; ++d)
          ASSERT_NEAR(gained[d], expected[d], 2 * links * collision_bound<T>() * std::pow(3.0, t));
      }
    }
  });
}

TEST_P(LbmStreamingTest, DivisionsGiveTheSameBits) {
  each_case([&]<class T>(T, const Case& c, int first_parity, std::size_t seed) {
    Random random(seed);
    const TestDomain domain = domain_of(c, random);
    const LbmCollision<T> collision = collisions<T>()[seed % 4];
    const auto run = [&](std::array<int, 3> division, bool wraps) {
      Subdomains<T> kernels(backend(), domain, division, wraps);
      Random same(seed);
      kernels.set_random(first_parity, same);
      for (int t = 0; t < steps; ++t) kernels.step((first_parity + t) % 2, collision);
      return std::pair(kernels.populations(first_parity), kernels.fingerprint(first_parity));
    };
    const auto whole = run({1, 1, 1}, true);
    EXPECT_EQ(run({1, 1, 1}, false), whole);
    for (const auto& division : c.divisions) EXPECT_EQ(run(division, true), whole);
  });
}

TEST_P(LbmStreamingTest, ConservesMass) {
  each_case([&]<class T>(T, const Case& c, int first_parity, std::size_t seed) {
    Random random(seed);
    const TestDomain domain = domain_of(c, random);
    const Buffer<double> zeros = backend().upload(
        std::vector<double>(static_cast<std::size_t>(c.cells[0] + c.cells[1] + c.cells[2])));
    const double* const z = zeros.data();
    const LbmFlow at_rest{{}, {z, z, z}, {z, z, z}, {z, z, z}, {z, z, z}};
    Subdomains<T> kernels(backend(), domain, c.divisions[1]);
    kernels.set_random(first_parity, random);
    const double before = kernels.excess_mass(first_parity, at_rest);
    for (int t = 0; t < steps; ++t) kernels.step((first_parity + t) % 2, collisions<T>()[seed % 4]);
    const double rounding =
        0.5 * 19 * random_deviation * static_cast<double>(std::numeric_limits<T>::epsilon());
    EXPECT_NEAR(kernels.excess_mass(first_parity, at_rest), before,
                steps * rounding * static_cast<double>(domain.solid.size()));
  });
}

}  // namespace
}  // namespace bellwether
