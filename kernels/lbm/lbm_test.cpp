// SPDX-License-Identifier: MIT
#include "kernels/lbm/lbm.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/launch/device.hpp"
#include "kernels/lbm/lbm_storage_test.hpp"

namespace bellwether {
namespace {

/// Odd and tiny, and rows that end within, at and after a register's lanes and lines; of 12 and 24
/// cells, dense where x wraps, some begin amid a line.
constexpr std::array<std::array<int, 3>, 12> sizes{{{1, 1, 1},
                                                    {1, 7, 3},
                                                    {2, 2, 2},
                                                    {5, 3, 1},
                                                    {16, 1, 2},
                                                    {17, 3, 5},
                                                    {30, 2, 2},
                                                    {33, 7, 6},
                                                    {64, 2, 1},
                                                    {83, 3, 2},
                                                    {24, 5, 3},
                                                    {12, 6, 2}}};

LbmGrid grid_of(const std::array<int, 3>& cells, int wraps, std::size_t element_bytes) {
  return {LbmLayout(cells, element_bytes, row_ghosts((wraps & 1) != 0)),
          {(wraps & 1) != 0, (wraps & 2) != 0, (wraps & 4) != 0},
          nullptr};
}
/// Parts of the box around random cells, in a random order.
std::vector<Box> random_parts(const Box& box, Random& random) {
  std::vector<Box> parts{box};
  for (int cut = 0; cut < 6; ++cut) {
    const auto n = static_cast<std::size_t>(random.below(static_cast<int>(parts.size())));
    const int d = random.below(3);
    const int at = parts[n].low[d] + random.below(parts[n].extent(d) + 1);
    Box upper = parts[n];
    upper.low[d] = parts[n].high[d] = at;
    parts.push_back(upper);
    std::swap(parts[static_cast<std::size_t>(random.below(static_cast<int>(parts.size())))],
              parts.back());
  }
  return parts;
}

enum class Launches { one_each, one_for_all };

/// `f`, updated on the backend in the boxes.
template <class T>
std::vector<T> updated(TestBackend& on, LbmGrid grid, const std::vector<unsigned char>& solid,
                       const std::vector<Box>& boxes, const std::vector<T>& f, int parity,
                       const LbmCollision<T>& collision, Launches launches = Launches::one_each) {
  const auto kernels = make_kernels<LbmKernels<T>>(on.device());
  const Buffer<T> on_device = on.upload(f);
  const Buffer<unsigned char> mask = on.upload(solid);
  if (!solid.empty()) grid.solid = mask.data();
  const auto update = [&](const Boxes& cells) {
    // Which are the same bits.
    const Prefetch prefetch = launches == Launches::one_each ? Prefetch::near : Prefetch::ahead;
    kernels->update(grid, cells, on_device.data(), parity, collision, prefetch, on.stream());
  };
  if (launches == Launches::one_for_all)
    update(boxes);
  else
    for (const Box& box : boxes) update(box);
  return on.download(on_device);
}

/// A fifth of the cells at random; elsewhere 1, which is to mean nothing.
std::vector<unsigned char> random_mask(const LbmGrid& grid, Random& random) {
  std::vector<unsigned char> mask(grid.layout.field().elements(), 1);
  visit_cells(grid.layout.cells(), [&](int i, int j, int k) {
    mask[static_cast<std::size_t>(grid.layout.field().at(i, j, k))] = random.below(5) == 0 ? 1 : 0;
  });
  return mask;
}
bool is_solid(const LbmGrid& grid, const std::vector<unsigned char>& mask, int i, int j, int k) {
  return !mask.empty() && mask[static_cast<std::size_t>(grid.layout.field().at(i, j, k))] != 0;
}

/// The fluid cells of the box have sent out what the reference does; all else is as before.
template <class T>
void expect_collided(const LbmGrid& grid, const std::vector<unsigned char>& mask, const Box& box,
                     const std::vector<T>& before, std::vector<T> after, int parity,
                     const LbmCollision<T>& collision) {
  const double bound = collision_bound<T>();
  visit_cells(box, [&](int i, int j, int k) {
    if (is_solid(grid, mask, i, j, k)) return;
    const auto expected =
        reference::collided(incoming(grid, before, {i, j, k}, parity), fluid_of(collision));
    const auto found = outgoing(grid, after, {i, j, k}, parity);
    for (std::size_t q = 0; q < 19; ++q)
      ASSERT_NEAR(found[q], expected[q], bound)
          << "population " << q << " of cell " << i << ' ' << j << ' ' << k;
    visit_places(grid, {i, j, k}, parity, [&](std::size_t at) { after[at] = before[at]; });
  });
  ASSERT_TRUE(same_bits(after, before)) << "what is not the box's";
}

/// Calls check(T{}, grid, parity) for both precisions, all sizes, directions that may wrap,
/// parities.
template <class Check>
void each_grid(const Check& check) {
  each_precision([&]<class T>(T zero) {
    for (const auto& cells : sizes) {
      for (int wraps = 0; wraps < 8; ++wraps) {
        for (const int parity : {0, 1}) {
          SCOPED_TRACE(testing::Message() << cells[0] << 'x' << cells[1] << 'x' << cells[2]
                                          << ", wraps " << wraps << ", parity " << parity);
          check(zero, grid_of(cells, wraps, sizeof(T)), parity);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

class LbmTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, LbmTest, every_backend(), backend_in_name);

TEST_P(LbmTest, CollidesInPlaceInABoxAlone) {
  Random random(1);
  each_grid([&]<class T>(T, const LbmGrid& grid, int parity) {
    for (const LbmCollision<T>& collision : collisions<T>()) {
      const auto before = random_state<T>(grid, parity, random);
      for (const Box& box :
           {grid.layout.field().interior(), random_box(grid.layout.cells(), random), Box{}})
        expect_collided(grid, {}, box, before,
                        updated(backend(), grid, {}, {box}, before, parity, collision), parity,
                        collision);
    }
  });
}

TEST_P(LbmTest, LeavesSolidCellsAsTheyAre) {
  Random random(2);
  each_grid([&]<class T>(T, const LbmGrid& grid, int parity) {
    for (const LbmCollision<T>& collision : collisions<T>()) {
      auto before = random_state<T>(grid, parity, random);
      const auto mask = random_mask(grid, random);
      visit_cells(grid.layout.field().interior(), [&](int i, int j, int k) {
        if (is_solid(grid, mask, i, j, k))
          visit_places(grid, {i, j, k}, parity, [&](std::size_t at) { before[at] = T(NAN); });
      });
      const Box box = random_box(grid.layout.cells(), random);
      for (const auto& boxes : {std::vector<Box>{box}, random_parts(box, random)})
        expect_collided(
            grid, mask, box, before,
            updated(backend(), grid, mask, boxes, before, parity, collision, Launches::one_for_all),
            parity, collision);
    }
  });
}

TEST_P(LbmTest, SplitBoxesGiveTheSameBits) {
  Random random(3);
  each_grid([&]<class T>(T, const LbmGrid& grid, int parity) {
    const Box interior = grid.layout.field().interior();
    for (const LbmCollision<T>& collision : collisions<T>()) {
      const auto before = random_state<T>(grid, parity, random);
      for (const auto& mask : {std::vector<unsigned char>{}, random_mask(grid, random)}) {
        const auto whole = updated(backend(), grid, mask, {interior}, before, parity, collision);
        for (const Launches launches : {Launches::one_each, Launches::one_for_all})
          ASSERT_TRUE(same_bits(updated(backend(), grid, mask, random_parts(interior, random),
                                        before, parity, collision, launches),
                                whole));
      }
    }
  });
}

TEST_P(LbmTest, GivesTheSameBitsAsKokkos) {
  Random random(4);
  TestBackend kokkos("kokkos");
  each_grid([&]<class T>(T, const LbmGrid& grid, int parity) {
    for (const LbmCollision<T>& collision : collisions<T>()) {
      const std::vector<Box> box{random_box(grid.layout.cells(), random)};
      const auto before = random_state<T>(grid, parity, random);
      const auto mask = random_mask(grid, random);
      ASSERT_TRUE(same_bits(updated(backend(), grid, mask, box, before, parity, collision),
                            updated(kokkos, grid, mask, box, before, parity, collision)));
    }
  });
}

/// The slots' lines differ modulo a page, and places lie within the storage.
TEST(LbmLayoutTest, KeepsSlotsApart) {
  for (const auto& cells : sizes) {
    for (const std::size_t bytes : {4u, 8u}) {
      for (const RowGhosts ghosts : {RowGhosts::both, RowGhosts::none}) {
        const LbmLayout layout(cells, bytes, ghosts);
        EXPECT_GE(layout.slot_pitch(), layout.field().elements());
        EXPECT_EQ(layout.slot_pitch() * bytes % cache_line_bytes, 0u);
        std::vector<std::size_t> lines;
        for (std::size_t slot = 0; slot < 19; ++slot)
          lines.push_back(slot * layout.slot_pitch() * bytes % 4096 / cache_line_bytes);
        std::sort(lines.begin(), lines.end());
        EXPECT_EQ(std::adjacent_find(lines.begin(), lines.end()), lines.end());
        EXPECT_EQ(layout.elements(), 19 * layout.slot_pitch());
      }
    }
  }
}

/// The lattice has the moments of D3Q19: opposite velocities, weights that sum to 1, isotropy.
TEST(LatticeTest, IsTheTextbooks) {
  double sum = d3q19::rest_weight;
  std::array<std::array<double, 3>, 3> second{};
  for (int pair = 0; pair < d3q19::pairs; ++pair) {
    const auto& c = d3q19::velocity[pair];
    const PairPlaces i = velocities_of(pair);
    ASSERT_LT(i.plus, 19u);
    EXPECT_EQ(reference::velocities[i.plus].weight, d3q19::weight(pair));
    EXPECT_GT(c[0] != 0 ? c[0] : c[1] != 0 ? c[1] : c[2], 0);
    sum += 2 * d3q19::weight(pair);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) second[a][b] += 2 * d3q19::weight(pair) * c[a] * c[b];
  }
  EXPECT_NEAR(sum, 1, 1e-15);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      EXPECT_NEAR(second[a][b], a == b ? d3q19::sound_speed_squared : 0, 1e-15);
}

}  // namespace
}  // namespace bellwether
