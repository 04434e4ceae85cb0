// SPDX-License-Identifier: MIT
#include "kernels/lbm/lbm_body.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/launch/counting_test.hpp"
#include "kernels/lbm/lbm_update.hpp"

namespace bellwether {
namespace {

template <bool with_force, bool with_eddies>
int flops_of_a_cell() {
  WorkCount count;
  const CountingNumber n(count);
  const LbmPair<CountingNumber> pair{n, n};
  const LbmCell<CountingNumber> cell{n, {pair, pair, pair, pair, pair, pair, pair, pair, pair}};
  const LbmCoefficients<CountingNumber> c{n, n, n, n, n, {n, n, n}, {n, n, n}, {n, n, n},
                                          n, n, n, n, n, {n, n, n}, {n, n, n}};
  (void)collide<with_force, with_eddies>(cell, c);
  return count.flops;
}

TEST(LbmWorkTest, IsWhatTheBodyDoes) {
  EXPECT_EQ((flops_of_a_cell<false, false>()), lbm_flops(false, false));
  EXPECT_EQ((flops_of_a_cell<true, false>()), lbm_flops(true, false));
  EXPECT_EQ((flops_of_a_cell<false, true>()), lbm_flops(false, true));
  EXPECT_EQ((flops_of_a_cell<true, true>()), lbm_flops(true, true));
}

TEST(LbmWorkTest, CountsAdditionsOfMoments) {
  WorkCount count;
  const CountingNumber n(count);
  const LbmPair<CountingNumber> pair{n, n};
  (void)moments_of(
      LbmCell<CountingNumber>{n, {pair, pair, pair, pair, pair, pair, pair, pair, pair}});
  EXPECT_EQ(count.flops, 39);
}

/// Of a slot, by cell and population, as elements from the storage's start.
template <class Index>
std::vector<std::ptrdiff_t> places_of(const LbmGrid& grid, int parity,
                                      const std::vector<std::array<int, 3>>& cells) {
  std::vector<std::ptrdiff_t> found;
  const auto places = lbm_places<Index, float>(grid, nullptr, parity);
  for (const auto& [i, j, k] : cells) {
    const auto cell = places.cell(i, j, k);
    found.push_back(static_cast<std::ptrdiff_t>(cell.at));
    for (const Index other : cell.other) found.push_back(static_cast<std::ptrdiff_t>(other));
  }
  return found;
}

TEST(LbmPlacesTest, AreTheSameWithOffsetsOf32Bits) {
  // The last two have slots of almost 2^32 values.
  for (const std::array<int, 3>& cells :
       {std::array{1, 1, 1}, {3, 4, 5}, {1600, 1600, 1650}, {100000, 2, 10700}})
    for (const bool wraps : {false, true}) {
      const auto ghosts = wraps ? RowGhosts::none : RowGhosts::both;
      const LbmGrid grid{LbmLayout(cells, sizeof(float), ghosts), {wraps, wraps, false}, nullptr};
      ASSERT_TRUE(fits_32_bits(grid.layout));
      std::vector<std::array<int, 3>> corners;
      for (const int i : {0, cells[0] - 1})
        for (const int j : {0, cells[1] - 1})
          for (const int k : {0, cells[2] - 1}) corners.push_back({i, j, k});
      for (const int parity : {0, 1})
        EXPECT_EQ(places_of<std::uint32_t>(grid, parity, corners),
                  places_of<std::ptrdiff_t>(grid, parity, corners));
    }
  EXPECT_FALSE(fits_32_bits(LbmLayout({1600, 1600, 1700}, sizeof(float), RowGhosts::none)));
}

TEST(LbmPlacesTest, AreChosenByTheSlotsSize) {
  const auto bytes_of_offsets = [](const std::array<int, 3>& cells) {
    const LbmGrid grid{LbmLayout(cells, sizeof(float), RowGhosts::none), {true, true, true}};
    std::size_t bytes = 0;
    with_device_update<float>(grid, nullptr, 0, LbmCollision<float>{},
                              [&](const auto& update) { bytes = sizeof update.one.places.origin; });
    return bytes;
  };
  EXPECT_EQ(bytes_of_offsets({4, 4, 4}), 4u);
  EXPECT_EQ(bytes_of_offsets({1600, 1600, 1700}), 8u);
}

/// What the body asks of reciprocal(): the bits of a division, whatever the number.
template <class T>
void expect_division() {
  std::mt19937_64 random(5);
  for (int n = 0; n < 100000; ++n) {
    const auto exponent = static_cast<int>(random() % 200) - 100;
    const T x = std::ldexp(static_cast<T>(random() >> 11), exponent);
    ASSERT_EQ(reciprocal(x), 1 / x);
    ASSERT_EQ(bits_of(reciprocal(-x)), bits_of(1 / -x));
    // Halved above and below, as eddy_rate() has it.
    const T tau = std::ldexp(static_cast<T>(random() >> 40), -23) + T(0.5);
    const T stress = std::ldexp(static_cast<T>(random() >> 40), exponent / 4);
    ASSERT_EQ(reciprocal(tau / 2 + square_root(tau * tau / 4 + T(0.4) / 4 * stress)),
              2 / (tau + square_root(tau * tau + T(0.4) * stress)));
  }
  EXPECT_EQ(reciprocal(T(0)), std::numeric_limits<T>::infinity());
}

TEST(LbmReciprocalTest, HasTheBitsOfADivision) {
  expect_division<float>();
  expect_division<double>();
}

}  // namespace
}  // namespace bellwether
