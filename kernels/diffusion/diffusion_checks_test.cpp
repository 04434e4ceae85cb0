// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/diffusion/diffusion.hpp"
#include "kernels/launch/box_test.hpp"
#include "kernels/launch/device.hpp"

namespace bellwether {
namespace {

constexpr std::array<std::array<int, 3>, 7> sizes{
    {{1, 1, 1}, {1, 7, 3}, {2, 2, 2}, {5, 3, 1}, {17, 13, 11}, {33, 5, 66}, {131, 9, 6}}};

/// A random mode's tables, here and on the backend.
class ModeTables {
 public:
  ModeTables(TestBackend& on, const std::array<int, 3>& cells, Random& random) {
    for (int d = 0; d < 3; ++d) {
      table_[d] = random.values<double>(static_cast<std::size_t>(cells[d]));
      for (double& value : table_[d]) value += std::copysign(0.25, value);
      on_device_[d] = on.upload(table_[d]);
    }
  }
  [[nodiscard]] SeparableMode mode() const {
    return {on_device_[0].data(), on_device_[1].data(), on_device_[2].data()};
  }
  [[nodiscard]] double at(int i, int j, int k) const {
    return table_[0][static_cast<std::size_t>(i)] * table_[1][static_cast<std::size_t>(j)] *
           table_[2][static_cast<std::size_t>(k)];
  }

 private:
  std::array<std::vector<double>, 3> table_;
  std::array<Buffer<double>, 3> on_device_;
};

template <class T>
T& cell(std::vector<T>& storage, const GridLayout& layout, int i, int j, int k) {
  return storage[static_cast<std::size_t>(layout.at(i, j, k))];
}
/// NaN wherever no cell is: what is checked may not depend on ghost cells or padding.
template <class T>
std::vector<T> poisoned(const GridLayout& layout) {
  return std::vector<T>(layout.elements(), std::numeric_limits<T>::quiet_NaN());
}

class DiffusionChecksTest : public BackendTest {
 protected:
  template <class T>
  double error_of(const GridLayout& layout, const std::vector<T>& field, const ModeTables& tables,
                  double amplitude) {
    const auto kernels = make_kernels<DiffusionKernels<T>>(device());
    const Buffer<T> on_device = backend().upload(field);
    return kernels->largest_error(layout, on_device.data(), tables.mode(), amplitude, stream());
  }
  template <class T>
  std::uint64_t fingerprint_of(const GridLayout& layout, const std::vector<T>& field,
                               std::array<int, 3> offset, std::array<int, 3> global) {
    const auto kernels = make_kernels<DiffusionKernels<T>>(device());
    const Buffer<T> on_device = backend().upload(field);
    return kernels->fingerprint(layout, on_device.data(), offset, global, stream());
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, DiffusionChecksTest, every_backend(), backend_in_name);

TEST_P(DiffusionChecksTest, SetModeRoundsTheModeAndClearsTheRest) {
  Random random(1);
  each_precision([&]<class T>(T) {
    for (const auto& cells : sizes) {
      const GridLayout layout(cells, sizeof(T));
      const ModeTables tables(backend(), cells, random);
      const Buffer<T> on_device = backend().upload(poisoned<T>(layout));
      make_kernels<DiffusionKernels<T>>(device())->set_mode(layout, on_device.data(), tables.mode(),
                                                            stream());
      auto field = backend().download(on_device);
      // Two products in double, in any order, and one rounding to T.
      const double bound = 0.5 * static_cast<double>(std::numeric_limits<T>::epsilon()) +
                           2.5 * std::numeric_limits<double>::epsilon();
      visit_cells(cells, [&](int i, int j, int k) {
        T& value = cell(field, layout, i, j, k);
        const double expected = tables.at(i, j, k);
        ASSERT_LE(std::abs(static_cast<double>(value) - expected), bound * std::abs(expected))
            << i << ' ' << j << ' ' << k;
        value = T(0);
      });
      EXPECT_TRUE(same_bits(field, std::vector<T>(layout.elements(), T(0))));
    }
  });
}

TEST_P(DiffusionChecksTest, LargestErrorIsThatOfTheWorstCell) {
  Random random(2);
  each_precision([&]<class T>(T) {
    for (const auto& cells : sizes) {
      const GridLayout layout(cells, sizeof(T));
      const ModeTables tables(backend(), cells, random);
      for (const double amplitude : {1.0, 0.625, -0.5}) {
        auto field = poisoned<T>(layout);
        double expected = 0;
        visit_cells(cells, [&](int i, int j, int k) {
          T& value = cell(field, layout, i, j, k);
          value = static_cast<T>(amplitude * tables.at(i, j, k) + 0.01 * random.value<double>());
          expected = std::max(
              expected, std::abs(static_cast<double>(value) - amplitude * tables.at(i, j, k)));
        });
        // The mode is below 2: its three products and the difference may round otherwise.
        const double bound = 8 * std::numeric_limits<double>::epsilon();
        EXPECT_NEAR(error_of(layout, field, tables, amplitude), expected, bound);
        for (const std::array<int, 3>& worst :
             {std::array<int, 3>{0, 0, 0}, {cells[0] - 1, cells[1] - 1, cells[2] - 1}}) {
          auto changed = field;
          T& value = cell(changed, layout, worst[0], worst[1], worst[2]);
          value = static_cast<T>(amplitude * tables.at(worst[0], worst[1], worst[2]) - 3);
          const double error = std::abs(static_cast<double>(value) -
                                        amplitude * tables.at(worst[0], worst[1], worst[2]));
          EXPECT_NEAR(error_of(layout, changed, tables, amplitude), error, bound);
        }
      }
    }
  });
}

TEST_P(DiffusionChecksTest, LargestErrorOfTheModeItselfIsItsRounding) {
  Random random(3);
  each_precision([&]<class T>(T) {
    const std::array<int, 3> cells{17, 13, 11};
    const GridLayout layout(cells, sizeof(T));
    const ModeTables tables(backend(), cells, random);
    const Buffer<T> field(device(), layout.elements());
    const auto kernels = make_kernels<DiffusionKernels<T>>(device());
    kernels->set_mode(layout, field.data(), tables.mode(), stream());
    EXPECT_LE(kernels->largest_error(layout, field.data(), tables.mode(), 1.0, stream()),
              2 * static_cast<double>(std::numeric_limits<T>::epsilon()));
    double largest = 0;
    visit_cells(cells, [&](int i, int j, int k) {
      largest = std::max(largest, std::abs(tables.at(i, j, k)));
    });
    EXPECT_NEAR(kernels->largest_error(layout, field.data(), tables.mode(), 0.25, stream()),
                0.75 * largest, 2 * static_cast<double>(std::numeric_limits<T>::epsilon()));
  });
}

TEST_P(DiffusionChecksTest, LargestErrorIsInfiniteWhereverAValueIsNotFinite) {
  Random random(4);
  const double infinity = std::numeric_limits<double>::infinity();
  each_precision([&]<class T>(T) {
    const std::array<int, 3> cells{5, 3, 4};
    const GridLayout layout(cells, sizeof(T));
    const ModeTables tables(backend(), cells, random);
    auto field = poisoned<T>(layout);
    visit_cells(cells, [&](int i, int j, int k) {
      cell(field, layout, i, j, k) = static_cast<T>(tables.at(i, j, k));
    });
    ASSERT_LT(error_of(layout, field, tables, 1), 1e-6);
    const T limit = std::numeric_limits<T>::infinity();
    for (const T bad : {std::numeric_limits<T>::quiet_NaN(), limit, -limit}) {
      visit_cells(cells, [&](int i, int j, int k) {
        auto broken = field;
        cell(broken, layout, i, j, k) = bad;
        EXPECT_EQ(error_of(layout, broken, tables, 1), infinity) << bad << " in " << i << j << k;
      });
    }
  });
}

/// A global field in two orders: by global index, and as one part's storage.
template <class T>
std::vector<T> part_of(const std::vector<T>& global, const std::array<int, 3>& cells,
                       const Box& part) {
  const GridLayout layout({part.extent(0), part.extent(1), part.extent(2)}, sizeof(T));
  auto storage = poisoned<T>(layout);
  visit_cells(layout.cells(), [&](int i, int j, int k) {
    const int x = part.low[0] + i, y = part.low[1] + j, z = part.low[2] + k;
    cell(storage, layout, i, j, k) =
        global[static_cast<std::size_t>(x + cells[0] * (y + cells[1] * z))];
  });
  return storage;
}

TEST_P(DiffusionChecksTest, FingerprintIsTheSameForEveryDecomposition) {
  Random random(5);
  const std::array<int, 3> cells{13, 7, 9};
  const std::array<std::array<std::vector<int>, 3>, 5> splits{
      {{{{0, 13}, {0, 7}, {0, 9}}},
       {{{0, 5, 13}, {0, 7}, {0, 9}}},
       {{{0, 13}, {0, 1, 7}, {0, 9}}},
       {{{0, 13}, {0, 7}, {0, 3, 4, 9}}},
       {{{0, 1, 2, 13}, {0, 3, 7}, {0, 8, 9}}}}};
  each_precision([&]<class T>(T) {
    const auto global = random.values<T>(13 * 7 * 9);
    std::vector<std::uint64_t> sums;
    for (const auto& cuts : splits) {
      std::array<int, 3> parts{};
      for (int d = 0; d < 3; ++d) parts[d] = static_cast<int>(cuts[d].size()) - 1;
      std::uint64_t sum = 0;
      visit_cells(parts, [&](int i, int j, int k) {
        const std::array<int, 3> at{i, j, k};
        Box part;
        for (int d = 0; d < 3; ++d) {
          part.low[d] = cuts[d][static_cast<std::size_t>(at[d])];
          part.high[d] = cuts[d][static_cast<std::size_t>(at[d]) + 1];
        }
        const GridLayout layout({part.extent(0), part.extent(1), part.extent(2)}, sizeof(T));
        sum += fingerprint_of(layout, part_of(global, cells, part), part.low, cells);
      });
      sums.push_back(sum);
    }
    EXPECT_EQ(sums, std::vector<std::uint64_t>(splits.size(), sums[0]));
    EXPECT_NE(sums[0], 0u);
  });
}

TEST_P(DiffusionChecksTest, FingerprintChangesWithAnyCell) {
  Random random(6);
  const std::array<int, 3> cells{5, 4, 3};
  each_precision([&]<class T>(T) {
    const GridLayout layout(cells, sizeof(T));
    const auto field = part_of(random.values<T>(60), cells, {{0, 0, 0}, cells});
    const auto sum = [&](const std::vector<T>& of) {
      return fingerprint_of(layout, of, {0, 0, 0}, cells);
    };
    const std::uint64_t original = sum(field);
    EXPECT_NE(fingerprint_of(layout, field, {5, 0, 0}, {10, 4, 3}), original);
    visit_cells(cells, [&](int i, int j, int k) {
      auto swapped = field;
      std::swap(cell(swapped, layout, i, j, k),
                cell(swapped, layout, (i + 1) % 5, (j + i) % 4, (k + j) % 3));
      EXPECT_NE(sum(swapped), original) << i << j << k;
      auto changed = field;
      T& value = cell(changed, layout, i, j, k);
      value = std::nextafter(value, T(2));
      EXPECT_NE(sum(changed), original) << i << j << k;
    });
    auto other_ghosts = field;
    for (T& value : other_ghosts)
      if (std::isnan(value)) value = random.value<T>();
    EXPECT_EQ(sum(other_ghosts), original);
  });
}

TEST_P(DiffusionChecksTest, FingerprintIsTheSameAsKokkos) {
  Random random(7);
  TestBackend kokkos("kokkos");
  each_precision([&]<class T>(T) {
    const std::array<int, 3> cells{17, 5, 3};
    const GridLayout layout(cells, sizeof(T));
    const auto field = part_of(random.values<T>(17 * 5 * 3), cells, {{0, 0, 0}, cells});
    const Buffer<T> there = kokkos.upload(field);
    EXPECT_EQ(fingerprint_of(layout, field, {0, 0, 0}, cells),
              make_kernels<DiffusionKernels<T>>(kokkos.device())
                  ->fingerprint(layout, there.data(), {0, 0, 0}, cells, kokkos.stream()));
  });
}

}  // namespace
}  // namespace bellwether
