// SPDX-License-Identifier: MIT
#include "kernels/launch/device.hpp"
#include "kernels/lbm/lbm_storage_test.hpp"

namespace bellwether {
namespace {

/// Rows that end within, at and after a warp's threads.
constexpr std::array<std::array<int, 3>, 5> sizes{
    {{1, 1, 1}, {31, 2, 3}, {32, 3, 2}, {33, 7, 6}, {83, 3, 2}}};

/// A random state of a grid in which a fifth of the cells are solid, a table for every part of a
/// flow, and links that need not be the grid's.
template <class T>
struct Input {
  LbmGrid grid;
  int parity;
  std::vector<T> f;
  std::vector<unsigned char> solid;
  std::vector<double> table;
  std::vector<LbmLink> links;
};
template <class T>
Input<T> random_input(const std::array<int, 3>& cells, Random& random) {
  const LbmGrid grid{LbmLayout(cells, sizeof(T), RowGhosts::none), {true, true, true}, nullptr};
  const int parity = random.below(2);
  Input<T> input{grid, parity, random_state<T>(grid, parity, random), {}, {}, {}};
  input.solid.resize(grid.layout.field().elements());
  for (unsigned char& solid : input.solid) solid = random.below(5) == 0 ? 1 : 0;
  input.table = random.values<double>(static_cast<std::size_t>(cells[0] + cells[1] + cells[2]));
  input.links.resize(static_cast<std::size_t>(random.below(1000)));
  for (LbmLink& link : input.links) {
    link.cell = grid.layout.field().at(random.below(cells[0]), random.below(cells[1]),
                                       random.below(cells[2]));
    link.pair = static_cast<std::int8_t>(random.below(d3q19::pairs));
    link.towards = random.below(2) == 0 ? std::int8_t{1} : std::int8_t{-1};
  }
  return input;
}

/// What a backend sums up.
struct Output {
  std::vector<double> sums, force;
  std::uint64_t fingerprint;
};
template <class T>
Output output_of(TestBackend& on, const Input<T>& input) {
  const Buffer<T> f = on.upload(input.f);
  const Buffer<unsigned char> solid = on.upload(input.solid);
  const Buffer<double> table = on.upload(input.table);
  const Buffer<LbmLink> links = on.upload(input.links);
  LbmGrid grid = input.grid;
  grid.solid = solid.data();
  const double* const t = table.data();
  const LbmFlow flow{{0.01, 0.02, 0.03}, {t, t, t}, {t, t, t}, {t, t, t}, {t, t, t}};
  const auto kernels = make_kernels<LbmKernels<T>>(on.device());
  const LbmSums s =
      kernels->sums(grid, f.data(), input.parity, flow, collisions<T>()[1], on.stream());
  const auto force = kernels->link_force(grid.layout, links.data(), links.size(), f.data(),
                                         input.parity, on.stream());
  return {{s.cells, s.excess_mass, s.momentum[0], s.momentum[1], s.momentum[2], s.projection,
           s.reference, s.largest_speed, s.not_finite},
          {force.begin(), force.end()},
          kernels->fingerprint(grid, f.data(), input.parity, {}, grid.layout.cells(), on.stream())};
}

class LbmSumsTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, LbmSumsTest, every_backend(), backend_in_name);

/// In the same order too: a sum's bits say which it was.
TEST_P(LbmSumsTest, HaveTheSameBitsAsOnKokkos) {
  Random random(1);
  TestBackend kokkos("kokkos");
  each_precision([&]<class T>(T) {
    for (const auto& cells : sizes) {
      SCOPED_TRACE(testing::Message() << cells[0] << 'x' << cells[1] << 'x' << cells[2]);
      for (int repeat = 0; repeat < 4; ++repeat) {
        const auto input = random_input<T>(cells, random);
        const Output found = output_of(backend(), input), expected = output_of(kokkos, input);
        EXPECT_TRUE(same_bits(found.sums, expected.sums));
        EXPECT_TRUE(same_bits(found.force, expected.force));
        EXPECT_EQ(found.fingerprint, expected.fingerprint);
      }
    }
  });
}

}  // namespace
}  // namespace bellwether
