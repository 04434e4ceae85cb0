// SPDX-License-Identifier: MIT
#include "kernels/diffusion/diffusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/launch/box_test.hpp"
#include "kernels/launch/device.hpp"

namespace bellwether {
namespace {

/// Odd and tiny, and rows that end within, at and after a launcher's lines and blocks.
constexpr std::array<std::array<int, 3>, 11> sizes{{{1, 1, 1},
                                                    {1, 7, 3},
                                                    {2, 2, 2},
                                                    {5, 3, 1},
                                                    {16, 3, 2},
                                                    {17, 13, 11},
                                                    {33, 5, 66},
                                                    {64, 2, 5},
                                                    {80, 3, 3},
                                                    {131, 9, 6},
                                                    {259, 1, 2}}};
/// Their sum is not 1 and no two are equal: an exchanged coefficient shows.
template <class T>
constexpr DiffusionCoefficients<T> coefficients{T(0.37), T(0.11), T(0.07), T(0.13)};

DiffusionGrid grid_of(const std::array<int, 3>& cells, int wraps, std::size_t element_bytes) {
  return {GridLayout(cells, element_bytes), {(wraps & 1) != 0, (wraps & 2) != 0, (wraps & 4) != 0}};
}

template <class T>
T& cell(std::vector<T>& storage, const GridLayout& layout, int i, int j, int k) {
  return storage[static_cast<std::size_t>(layout.at(i, j, k))];
}

/// Random cells and ghost cells. What an update may not read is NaN: ghost cells of directions that
/// wrap, edges, corners, and padding.
template <class T>
std::vector<T> random_field(const DiffusionGrid& grid, Random& random) {
  const auto& n = grid.layout.cells();
  std::vector<T> field(grid.layout.elements(), std::numeric_limits<T>::quiet_NaN());
  visit_cells({{-1, -1, -1}, {n[0] + 1, n[1] + 1, n[2] + 1}}, [&](int i, int j, int k) {
    const std::array<int, 3> at{i, j, k};
    int outside = 0, outside_wrapping = 0;
    for (int d = 0; d < 3; ++d) {
      if (at[d] >= 0 && at[d] < n[d]) continue;
      ++outside;
      if (grid.wraps[d]) ++outside_wrapping;
    }
    if (outside <= 1 && outside_wrapping == 0)
      cell(field, grid.layout, i, j, k) = random.value<T>();
  });
  return field;
}

/// A step at one cell in double precision, and how far rounding may take a T from it: a value
/// passes a sum, a product and three more sums of the kernel, and a product and six sums here, so
/// seven roundings at most and gamma_7 of the sum of magnitudes (Higham 2002, 3.1), for both.
struct Reference {
  double value = 0, bound = 0;
};
template <class T>
Reference reference_step(const DiffusionGrid& grid, const std::vector<T>& from, int i, int j,
                         int k) {
  Reference result;
  const auto add = [&](T coefficient, std::array<int, 3> at) {
    for (int d = 0; d < 3; ++d) {
      const int n = grid.layout.cells()[d];
      if (grid.wraps[d]) at[d] = (at[d] + n) % n;
    }
    const T value = from[static_cast<std::size_t>(grid.layout.at(at[0], at[1], at[2]))];
    const double term = static_cast<double>(coefficient) * static_cast<double>(value);
    result.value += term;
    result.bound += std::abs(term);
  };
  const DiffusionCoefficients<T>& c = coefficients<T>;
  add(c.centre, {i, j, k});
  for (const int side : {-1, 1}) {
    add(c.x, {i + side, j, k});
    add(c.y, {i, j + side, k});
    add(c.z, {i, j, k + side});
  }
  const double roundings = 3.5 * (static_cast<double>(std::numeric_limits<T>::epsilon()) +
                                  std::numeric_limits<double>::epsilon());
  result.bound *= roundings / (1 - roundings);
  return result;
}

enum class Launches { one_each, one_for_all };

constexpr std::array<SweepWay, 4> all_ways{SweepWay(Stores::cached),
                                           {Stores::streaming, Prefetch::rows},
                                           {Stores::streaming, Prefetch::rows_to_l2},
                                           {Stores::streaming, Prefetch::ahead}};

/// `before`, updated on the backend for the cells of the boxes.
template <class T>
std::vector<T> updated(TestBackend& on, const DiffusionGrid& grid, const std::vector<Box>& boxes,
                       const std::vector<T>& from, const std::vector<T>& before, SweepWay way,
                       Launches launches = Launches::one_each) {
  const auto kernels = make_kernels<DiffusionKernels<T>>(on.device());
  const Buffer<T> source = on.upload(from), target = on.upload(before);
  const auto update = [&](const Boxes& cells) {
    kernels->update(grid, cells, source.data(), target.data(), coefficients<T>, way, on.stream());
  };
  if (launches == Launches::one_for_all)
    update(boxes);
  else
    for (const Box& box : boxes) update(box);
  EXPECT_TRUE(same_bits(on.download(source), from));
  return on.download(target);
}

/// Every cell of the box is a step of `from`; every other value of the storage is as before.
template <class T>
void expect_step(const DiffusionGrid& grid, const Box& box, const std::vector<T>& from,
                 const std::vector<T>& before, std::vector<T> after) {
  visit_cells(box, [&](int i, int j, int k) {
    const Reference expected = reference_step(grid, from, i, j, k);
    T& value = cell(after, grid.layout, i, j, k);
    ASSERT_LE(std::abs(static_cast<double>(value) - expected.value), expected.bound)
        << "cell " << i << ' ' << j << ' ' << k << ": " << value << ", not " << expected.value;
    value = before[static_cast<std::size_t>(grid.layout.at(i, j, k))];
  });
  ASSERT_TRUE(same_bits(after, before)) << "outside of the box";
}

/// Takes the cells below `cut` in a direction off the box.
Box cut_off(Box& box, int direction, int cut) {
  Box taken = box;
  taken.high[direction] = box.low[direction] =
      std::clamp(cut, box.low[direction], box.high[direction]);
  return taken;
}
/// The outermost layer as six slabs, and the rest: what overlap by kernel division launches.
std::vector<Box> shell_and_rest(const std::array<int, 3>& cells) {
  Box rest{{0, 0, 0}, cells};
  std::vector<Box> boxes;
  for (int d = 2; d >= 0; --d) {
    boxes.push_back(cut_off(rest, d, 1));
    Box middle = cut_off(rest, d, cells[d] - 1);
    boxes.push_back(rest);
    rest = middle;
  }
  boxes.push_back(rest);
  return boxes;
}
/// Eight boxes around a random cell, in no order of theirs.
std::vector<Box> eight_parts(const std::array<int, 3>& cells, Random& random) {
  std::vector<Box> boxes{{{0, 0, 0}, cells}};
  for (int d = 0; d < 3; ++d) {
    const int cut = random.below(cells[d] + 1);
    for (std::size_t n = 0, parts = boxes.size(); n < parts; ++n)
      boxes.push_back(cut_off(boxes[n], d, cut));
  }
  return boxes;
}

/// Calls check(T{}, grid) for both precisions, all sizes and all directions that may wrap.
template <class Check>
void each_grid(const Check& check) {
  each_precision([&]<class T>(T zero) {
    for (const auto& cells : sizes) {
      for (int wraps = 0; wraps < 8; ++wraps) {
        SCOPED_TRACE(testing::Message()
                     << cells[0] << 'x' << cells[1] << 'x' << cells[2] << ", wraps " << wraps);
        check(zero, grid_of(cells, wraps, sizeof(T)));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

class DiffusionTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, DiffusionTest, every_backend(), backend_in_name);

TEST_P(DiffusionTest, UpdatesTheWholeInterior) {
  Random random(1);
  each_grid([&]<class T>(T, const DiffusionGrid& grid) {
    const Box interior = grid.layout.interior();
    const auto from = random_field<T>(grid, random);
    const auto before = random.values<T>(grid.layout.elements());
    const auto cached = updated(backend(), grid, {interior}, from, before, Stores::cached);
    const auto streamed = updated(backend(), grid, {interior}, from, before, Stores::streaming);
    expect_step(grid, interior, from, before, cached);
    EXPECT_TRUE(same_bits(streamed, cached));
  });
}

TEST_P(DiffusionTest, LeavesEverythingOutsideOfTheBox) {
  Random random(2);
  each_grid([&]<class T>(T, const DiffusionGrid& grid) {
    const auto from = random_field<T>(grid, random);
    const auto before = random.values<T>(grid.layout.elements());
    for (const SweepWay way : all_ways) {
      for (int n = 0; n < 3; ++n) {
        const Box box = random_box(grid.layout.cells(), random);
        expect_step(grid, box, from, before, updated(backend(), grid, {box}, from, before, way));
      }
      const Box nothing{{0, 0, 0}, {grid.layout.cells()[0], 0, 1}};
      expect_step(grid, nothing, from, before,
                  updated(backend(), grid, {nothing}, from, before, way));
    }
  });
}

TEST_P(DiffusionTest, SplitBoxesGiveTheSameBits) {
  Random random(3);
  each_grid([&]<class T>(T, const DiffusionGrid& grid) {
    const auto& cells = grid.layout.cells();
    const auto from = random_field<T>(grid, random);
    const auto before = random.values<T>(grid.layout.elements());
    const auto whole =
        updated(backend(), grid, {grid.layout.interior()}, from, before, Stores::cached);
    for (const SweepWay way : all_ways)
      for (const Launches launches : {Launches::one_each, Launches::one_for_all})
        for (const auto& parts : {eight_parts(cells, random), shell_and_rest(cells)})
          EXPECT_TRUE(
              same_bits(updated(backend(), grid, parts, from, before, way, launches), whole));
  });
}

TEST_P(DiffusionTest, LeavesEverythingOutsideOfSeveralBoxes) {
  Random random(7);
  each_grid([&]<class T>(T, const DiffusionGrid& grid) {
    const auto from = random_field<T>(grid, random);
    const auto before = random.values<T>(grid.layout.elements());
    std::vector<Box> parts = eight_parts(grid.layout.cells(), random);
    const Box left_out = parts[static_cast<std::size_t>(random.below(8))];
    std::erase(parts, left_out);
    auto after =
        updated(backend(), grid, parts, from, before, Stores::streaming, Launches::one_for_all);
    const auto rest = updated(backend(), grid, {left_out}, from, before, Stores::streaming);
    const auto copy = [&](std::vector<T>& to, const std::vector<T>& values) {
      visit_cells(left_out, [&](int i, int j, int k) {
        cell(to, grid.layout, i, j, k) = values[static_cast<std::size_t>(grid.layout.at(i, j, k))];
      });
    };
    auto untouched = after;
    copy(untouched, before);
    EXPECT_TRUE(same_bits(untouched, after));
    copy(after, rest);
    expect_step(grid, grid.layout.interior(), from, before, after);
  });
}

TEST_P(DiffusionTest, WrappingEqualsFilledGhosts) {
  Random random(4);
  each_grid([&]<class T>(T, const DiffusionGrid& grid) {
    const auto& n = grid.layout.cells();
    const auto from = random_field<T>(grid, random);
    std::vector<T> filled = from;
    visit_cells({{-1, -1, -1}, {n[0] + 1, n[1] + 1, n[2] + 1}}, [&](int i, int j, int k) {
      std::array<int, 3> at{i, j, k};
      for (int d = 0; d < 3; ++d)
        if (grid.wraps[d]) at[d] = (at[d] + n[d]) % n[d];
      cell(filled, grid.layout, i, j, k) =
          from[static_cast<std::size_t>(grid.layout.at(at[0], at[1], at[2]))];
    });
    const auto before = random.values<T>(grid.layout.elements());
    const Box interior = grid.layout.interior();
    EXPECT_TRUE(same_bits(
        updated(backend(), grid, {interior}, from, before, Stores::cached),
        updated(backend(), {grid.layout, {}}, {interior}, filled, before, Stores::cached)));
  });
}

TEST_P(DiffusionTest, GivesTheSameBitsAsKokkos) {
  Random random(5);
  TestBackend kokkos("kokkos");
  each_grid([&]<class T>(T, const DiffusionGrid& grid) {
    const std::vector<Box> box{random_box(grid.layout.cells(), random)};
    const auto from = random_field<T>(grid, random);
    const auto before = random.values<T>(grid.layout.elements());
    EXPECT_TRUE(same_bits(updated(backend(), grid, box, from, before, Stores::streaming),
                          updated(kokkos, grid, box, from, before, Stores::streaming)));
  });
}

/// Rows so long that a CPU's sweep divides the planes into several tiles.
TEST_P(DiffusionTest, SweepsLongRowsInTiles) {
  Random random(6);
  each_precision([&]<class T>(T) {
    const DiffusionGrid grid = grid_of({static_cast<int>(60001 / sizeof(T)), 19, 6}, 5, sizeof(T));
    const Box box{{3, 1, 0}, {grid.layout.cells()[0], 18, 6}};  // 17 rows: no whole tiles
    const auto from = random_field<T>(grid, random);
    const auto before = random.values<T>(grid.layout.elements());
    expect_step(grid, box, from, before,
                updated(backend(), grid, {box}, from, before, Stores::streaming));
  });
}

}  // namespace
}  // namespace bellwether
