// SPDX-License-Identifier: MIT
#include "kernels/launch/kokkos/kokkos_launcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/diffusion/diffusion_lanes.hpp"
#include "kernels/launch/box_test.hpp"

namespace bellwether::launch {
namespace {

/// What Kokkos runs on a GPU, on whatever it runs here.
class KokkosLauncherTest : public testing::Test {
 protected:
  [[nodiscard]] const Exec& exec() { return kokkos_exec(backend_.stream()); }

 private:
  TestBackend backend_{"kokkos"};
};

const std::vector<Box> boxes{{{0, 0, 0}, {1, 1, 1}},    {{0, 0, 0}, {5, 3, 2}},
                             {{1, 1, 1}, {66, 9, 17}},  {{-1, -1, -1}, {8, 6, 0}},
                             {{0, 0, 2}, {130, 31, 3}}, {{2, 3, 4}, {259, 12, 5}},
                             {{0, 0, 0}, {1, 1, 700}},  {{3, 2, 1}, {3, 9, 9}}};

/// A number for each cell.
std::uint64_t number_of(int i, int j, int k) {
  return mixed_bits(static_cast<std::uint64_t>((i + 2) + 1000 * ((j + 2) + 1000 * (k + 2))));
}

TEST_F(KokkosLauncherTest, ReducesABoxAsAPlainLoopDoes) {
  for (const Box& box : boxes) {
    std::uint64_t sum_of = 0;
    double most = 0;
    visit_cells(box, [&](int i, int j, int k) {
      sum_of += number_of(i, j, k);
      most = std::max(most, static_cast<double>(number_of(i, j, k)));
    });
    EXPECT_EQ(sum(exec(), box, [](int i, int j, int k) { return number_of(i, j, k); }), sum_of);
    EXPECT_EQ(largest(exec(), box,
                      [](int i, int j, int k) { return static_cast<double>(number_of(i, j, k)); }),
              most);
  }
}

TEST_F(KokkosLauncherTest, VisitsTheCellsOfAllBoxesOnce) {
  constexpr std::array<int, 3> cells{130, 31, 9};
  const std::vector<Box> parts{{{0, 0, 0}, {130, 31, 1}}, {{0, 0, 1}, {1, 31, 9}},
                               {{1, 0, 1}, {66, 7, 9}},   {{4, 4, 4}, {4, 4, 4}},
                               {{66, 0, 1}, {130, 7, 9}}, {{1, 7, 1}, {130, 31, 2}}};
  std::vector<int> visits(130 * 31 * 9), expected(visits.size());
  const auto at = [](int i, int j, int k) {
    return static_cast<std::size_t>(i + 130 * (j + 31 * k));
  };
  int* const counted = visits.data();
  for_each(exec(), parts, [=](int i, int j, int k) { ++counted[at(i, j, k)]; });
  for (const Box& part : parts)
    visit_cells(part, [&](int i, int j, int k) { ++expected[at(i, j, k)]; });
  visit_cells(cells, [&](int i, int j, int k) {
    ASSERT_EQ(visits[at(i, j, k)], expected[at(i, j, k)]) << i << ' ' << j << ' ' << k;
  });
}

TEST_F(KokkosLauncherTest, StoresPointsAsItStoresRows) {
  Random random(29);
  for (const std::array<int, 3>& cells :
       {std::array{1, 1, 1}, {3, 5, 2}, {37, 9, 11}, {130, 4, 3}}) {
    const GridLayout layout(cells, sizeof(float));
    const auto field = random.values<float>(layout.elements());
    const DiffusionBody<float> body{field.data() + layout.origin(),
                                    layout.row_pitch(),
                                    layout.plane_pitch(),
                                    cells[0],
                                    0,
                                    cells[2],
                                    {0.4F, 0.1F, 0.2F, 0.3F}};
    std::vector<float> points(layout.elements(), -7), rows = points;
    const std::vector<Box> parts{random_box(cells, random), {{0, 0, 0}, {0, 1, 1}}};
    store_cells(std::false_type{}, exec(), layout, parts, points.data() + layout.origin(), body,
                Stores::cached);
    store_cells(std::true_type{}, exec(), layout, parts, rows.data() + layout.origin(), body,
                Stores::cached);
    visit_cells(parts[0], [&](int i, int j, int k) {
      const auto n = static_cast<std::size_t>(layout.at(i, j, k));
      EXPECT_EQ(points[n], rows[n]);
      points[n] = -7;
    });
    EXPECT_EQ(points, std::vector<float>(layout.elements(), -7));
  }
}

}  // namespace
}  // namespace bellwether::launch
