// SPDX-License-Identifier: MIT
#include "microbench/diffusion/hand_written.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>

namespace bellwether {
namespace {

template <class T>
std::unique_ptr<T, void (*)(void*)> storage(const GridLayout& layout) {
  const std::size_t bytes = (layout.elements() * sizeof(T) + 4095) / 4096 * 4096;
  return {static_cast<T*>(std::aligned_alloc(4096, bytes)), std::free};
}

/// Against the plain formula in double precision; row lengths that vectors do not divide.
template <class T>
void expect_update(std::array<int, 3> cells, double tolerance) {
  const GridLayout layout(cells, sizeof(T));
  const auto from = storage<T>(layout), to = storage<T>(layout);
  for (std::size_t at = 0; at < layout.elements(); ++at) {
    from.get()[at] = static_cast<T>(1 + std::sin(0.7 * static_cast<double>(at)));
    to.get()[at] = T(-9);
  }
  hand_written_update(layout, layout.interior(), from.get(), to.get(),
                      {T(0.3), T(0.1), T(0.05), T(0.2)});
  const auto f = [&](int i, int j, int k) { return double(from.get()[layout.at(i, j, k)]); };
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      for (int i = 0; i < cells[0]; ++i) {
        const double expected = 0.3 * f(i, j, k) + 0.1 * (f(i - 1, j, k) + f(i + 1, j, k)) +
                                0.05 * (f(i, j - 1, k) + f(i, j + 1, k)) +
                                0.2 * (f(i, j, k - 1) + f(i, j, k + 1));
        ASSERT_NEAR(to.get()[layout.at(i, j, k)], expected, tolerance) << i << ' ' << j << ' ' << k;
      }
  EXPECT_EQ(to.get()[layout.at(-1, 0, 0)], T(-9));
  EXPECT_EQ(to.get()[layout.at(cells[0], 0, 0)], T(-9));
}

TEST(HandWritten, DoesTheSevenPointUpdate) {
  for (const std::array<int, 3> cells : {std::array{1, 1, 1}, {16, 3, 2}, {37, 4, 5}}) {
    expect_update<float>(cells, 1e-6);
    expect_update<double>(cells, 1e-14);
  }
}

}  // namespace
}  // namespace bellwether
