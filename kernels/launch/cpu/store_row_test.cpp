// SPDX-License-Identifier: MIT
#include "kernels/launch/cpu/store_row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace bellwether {
namespace {

constexpr int guard = 64;  // values kept before and after the row, a multiple of a line

/// Rows whose cells are right with lanes<true> alone behind inner_end, as a stencil's are at
/// wrapped ends; it is asked for registers in turn, each with a cell that is wanted. Cell i of row
/// p is 1 + i + 1000 p.
template <class T, int count>
struct TestRows {
  using value_type = T;
  static constexpr int planes = count;
  static constexpr bool has_more_rows = true;
  std::ptrdiff_t inner, end;
  std::ptrdiff_t turn = -1;

  void start(std::ptrdiff_t at) { turn = at; }
  [[nodiscard]] std::ptrdiff_t inner_end(std::ptrdiff_t) const { return inner; }
  template <bool at_end>
  launch::LanesOfRows<T, count> lanes(std::ptrdiff_t at, launch::LaneBits bits) {
    constexpr int size = launch::lane_count<T>;
    EXPECT_EQ(at, turn);
    EXPECT_NE(bits, 0U);
    if (!at_end && (at + size > inner || bits != launch::all_lanes<T>))
      ADD_FAILURE() << "lanes from " << at << " on are not inner ones";
    turn += size;
    launch::LanesOfRows<T, count> values;
    for (int p = 0; p < count; ++p)
      for (int l = 0; l < size; ++l) {
        const bool wanted = (bits >> l & 1) != 0;
        if (wanted) {
          EXPECT_LT(at + l, end);
        }
        values.of[p][l] = wanted ? static_cast<T>(1 + at + l + 1000 * p) : T(-1000);
      }
    return values;
  }
  template <class Visit>
  void first_touched(Visit&&) const {}
};

template <class T>
struct alignas(64) Line {
  T values[64 / sizeof(T)];
};

/// Stores every sub-range of rows, and compares them and what surrounds them.
template <class T, Stores stores, int count>
void check_every_range(std::ptrdiff_t length, std::ptrdiff_t at_end) {
  constexpr int line = 64 / static_cast<int>(sizeof(T));
  const std::ptrdiff_t pitch = (length + 2 * guard) / line * line + line;
  std::vector<Line<T>> lines(static_cast<std::size_t>(count * pitch / line));
  const auto value = [&](int p, std::ptrdiff_t i) -> T& {
    const auto at = static_cast<std::size_t>(p * pitch + guard + i);
    return lines[at / line].values[at % line];
  };
  for (std::ptrdiff_t begin = 0; begin < length; ++begin) {
    for (std::ptrdiff_t end = begin + 1; end <= length; ++end) {
      for (Line<T>& each : lines) std::fill(std::begin(each.values), std::end(each.values), T(-2));
      launch::store_row<stores, prefetch_of(stores)>(
          &value(0, 0), pitch, TestRows<T, count>{std::min(end, length - at_end), end}, begin, end);
      launch::drain_streamed_lines();
      for (int p = 0; p < count; ++p)
        for (std::ptrdiff_t i = -guard; i < pitch - guard; ++i)
          ASSERT_EQ(value(p, i), i >= begin && i < end ? static_cast<T>(1 + i + 1000 * p) : T(-2))
              << "cell " << i << " of [" << begin << ", " << end << ") in " << length;
    }
  }
}

TEST(StoreRowTest, StoresExactlyTheRange) {
  for (const std::ptrdiff_t length : {1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 83}) {
    for (const std::ptrdiff_t at_end : {0, 1}) {
      check_every_range<float, Stores::cached, 1>(length, at_end);
      check_every_range<float, Stores::cached, 2>(length, at_end);
      check_every_range<float, Stores::streaming, 1>(length, at_end);
      check_every_range<float, Stores::streaming, 2>(length, at_end);
      check_every_range<double, Stores::cached, 1>(length, at_end);
      check_every_range<double, Stores::cached, 2>(length, at_end);
      check_every_range<double, Stores::streaming, 1>(length, at_end);
      check_every_range<double, Stores::streaming, 2>(length, at_end);
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
