// SPDX-License-Identifier: MIT
#include "kernels/launch/cpu/store_row.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace bellwether {
namespace {

constexpr int guard = 64;  // values kept before and after the row, a multiple of a line

/// A row whose inner() is wrong outside of its range, as a stencil's is at wrapped ends, and is not
/// called beyond its last line, or beyond its end where nothing stands there.
template <class T, bool padded>
struct TestRow {
  static constexpr bool ends_in_padding = padded;
  const T* expected;
  std::ptrdiff_t inner_begin, inner_end;
  std::ptrdiff_t length;

  T operator()(std::ptrdiff_t i) const { return expected[i]; }
  T inner(std::ptrdiff_t i) const {
    constexpr std::ptrdiff_t line = 64 / sizeof(T);
    const std::ptrdiff_t allocated = padded ? (length + line - 1) / line * line : length;
    if (i < 0 || i >= allocated) ADD_FAILURE() << "inner(" << i << ") of " << length << " cells";
    return i >= inner_begin && i < inner_end ? expected[i] : T(-1000);
  }
  template <class Visit>
  void first_touched(Visit&& visit) const {
    visit(expected);
  }
};

template <class T>
struct alignas(64) Line {
  T values[64 / sizeof(T)];
};

/// Stores every sub-range of a row, and compares the row and what surrounds it.
template <class T, Stores stores, bool padded>
void check_every_range(std::ptrdiff_t length, bool wraps) {
  constexpr int line = 64 / static_cast<int>(sizeof(T));
  std::vector<T> expected(static_cast<std::size_t>(length));
  for (std::ptrdiff_t i = 0; i < length; ++i) expected[static_cast<std::size_t>(i)] = T(1 + i);
  const std::ptrdiff_t inner_begin = wraps ? 1 : -1, inner_end = wraps ? length - 1 : length;
  const TestRow<T, padded> row{expected.data(), inner_begin, inner_end, length};
  std::vector<Line<T>> lines(static_cast<std::size_t>((length + 2 * guard) / line + 1));
  const auto value = [&](std::ptrdiff_t i) -> T& {
    const auto at = static_cast<std::size_t>(guard + i);
    return lines[at / line].values[at % line];
  };
  for (std::ptrdiff_t begin = 0; begin <= length; ++begin) {
    for (std::ptrdiff_t end = begin; end <= length; ++end) {
      for (std::ptrdiff_t i = -guard; i < length + guard; ++i) value(i) = T(-2);
      launch::store_row<stores, prefetch_of(stores)>(&value(0), row, begin, end, inner_begin,
                                                     inner_end);
      launch::drain_streamed_lines();
      for (std::ptrdiff_t i = -guard; i < length + guard; ++i)
        ASSERT_EQ(value(i), i >= begin && i < end ? T(1 + i) : T(-2))
            << "cell " << i << " of [" << begin << ", " << end << ") in " << length
            << (wraps ? " wrapped" : "") << (padded ? " padded" : "");
    }
  }
}

TEST(StoreRowTest, StoresExactlyTheRange) {
  for (const std::ptrdiff_t length : {1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 83}) {
    for (const bool wraps : {false, true}) {
      check_every_range<float, Stores::cached, true>(length, wraps);
      check_every_range<float, Stores::cached, false>(length, wraps);
      check_every_range<float, Stores::streaming, true>(length, wraps);
      check_every_range<float, Stores::streaming, false>(length, wraps);
      check_every_range<double, Stores::cached, true>(length, wraps);
      check_every_range<double, Stores::cached, false>(length, wraps);
      check_every_range<double, Stores::streaming, true>(length, wraps);
      check_every_range<double, Stores::streaming, false>(length, wraps);
    }
  }
}

TEST(StoreRowTest, StreamsOneWholeLine) {
  Line<std::uint8_t> from{}, to[3]{};
  for (int byte = 0; byte < 64; ++byte) from.values[byte] = static_cast<std::uint8_t>(byte + 1);
  launch::stream_line(&to[1], &from);
  launch::drain_streamed_lines();
  for (int byte = 0; byte < 64; ++byte) {
    EXPECT_EQ(to[0].values[byte], 0);
    EXPECT_EQ(to[1].values[byte], byte + 1);
    EXPECT_EQ(to[2].values[byte], 0);
  }
}

}  // namespace
}  // namespace bellwether
