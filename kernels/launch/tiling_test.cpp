// SPDX-License-Identifier: MIT
#include "kernels/launch/tiling.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

namespace bellwether::launch {
namespace {

/// How often the threads of all tiles visit each cell of the box grown by `margin` on all sides.
std::vector<int> visits(const Box& box, const Tiling& cut, int margin) {
  const int nx = box.extent(0) + 2 * margin, ny = box.extent(1) + 2 * margin;
  std::vector<int> count(static_cast<std::size_t>(nx) * ny * (box.extent(2) + 2 * margin));
  for (unsigned tile = 0; tile < cut.tiles; ++tile)
    for (int thread = 0; thread < 1 << (cut.bits_x + cut.bits_y + cut.bits_z); ++thread) {
      const Tiling::Part part = cut.part(tile, thread);
      for (int k = part.begin; k < part.end; ++k)
        for (int lane = 0; lane < cut.vector; ++lane) {
          const auto i = part.i + lane;
          if (i < box.low[0] || i >= box.high[0]) continue;
          EXPECT_EQ((part.i % cut.vector + cut.vector) % cut.vector, 0);
          const auto at =
              (i - box.low[0] + margin) + nx * ((part.j - box.low[1] + margin) +
                                                std::ptrdiff_t{ny} * (k - box.low[2] + margin));
          ++count.at(static_cast<std::size_t>(at));
        }
    }
  return count;
}

TEST(Divisor, DividesAsTheProcessorDoes) {
  constexpr unsigned most = 2147483647;
  std::vector<unsigned> numbers;
  for (int bit = 0; bit < 31; ++bit)
    for (const unsigned near : {-2u, -1u, 0u, 1u, 2u})
      if (const unsigned number = (1u << bit) + near; number >= 1 && number <= most)
        numbers.push_back(number);
  for (const unsigned more : {3u, 5u, 7u, 100u, 641u, 65521u, 1000003u, 715827883u, most})
    numbers.push_back(more);
  for (const unsigned by : numbers) {
    const Divisor divisor(by);
    EXPECT_EQ(divisor.value(), by);
    for (const unsigned number : numbers) {
      ASSERT_EQ(divisor.quotient(number), number / by) << number << " / " << by;
      for (const unsigned times : {1u, 2u, 3u, number / by, most / by})
        for (const unsigned near : {-1u, 0u, 1u}) {
          const unsigned edge = times * by + near;
          if (edge > most) continue;
          ASSERT_EQ(divisor.quotient(edge), edge / by) << edge << " / " << by;
        }
    }
    ASSERT_EQ(divisor.quotient(0), 0u);
  }
}

TEST(Tiling, VisitsEveryCellOfTheBoxOnceAndNoOther) {
  const Box boxes[] = {
      {{0, 0, 0}, {1, 1, 1}},    {{0, 0, 0}, {5, 3, 2}},    {{1, 1, 1}, {66, 9, 17}},
      {{-1, -1, -1}, {8, 6, 0}}, {{3, 0, 0}, {4, 40, 37}},  {{0, 7, 0}, {45, 8, 33}},
      {{0, 0, 2}, {130, 31, 3}}, {{6, 2, 1}, {131, 5, 9}},  {{-1, 0, 0}, {0, 300, 3}},
      {{0, 0, 0}, {1, 1, 700}},  {{2, 3, 4}, {259, 12, 5}},
  };
  constexpr int margin = 2;
  for (const Box& box : boxes)
    for (const int vector : {1, 2, 4})
      for (const int planes : {1, 4, 16})
        for (const BlockShape shape :
             {BlockShape{}, BlockShape{64, 8}, BlockShape{32, 32}, BlockShape{512, 256}}) {
          const std::size_t enough = planes == 4 ? 50 : 1;
          const Tiling cut = make_tiling(box, vector, planes, enough, shape);
          EXPECT_EQ(1 << (cut.bits_x + cut.bits_y + cut.bits_z), shape.threads);
          EXPECT_LE(1 << cut.bits_x, shape.row_threads);
          const auto count = visits(box, cut, margin);
          const int nx = box.extent(0) + 2 * margin, ny = box.extent(1) + 2 * margin;
          for (std::size_t at = 0; at < count.size(); ++at) {
            const auto x = static_cast<int>(at) % nx, y = static_cast<int>(at) / nx % ny;
            const auto z = static_cast<int>(at) / nx / ny;
            const auto inside = [](int cell, int cells) {
              return cell >= margin && cell < margin + cells;
            };
            const bool expected =
                inside(x, box.extent(0)) && inside(y, box.extent(1)) && inside(z, box.extent(2));
            ASSERT_EQ(count[at], expected ? 1 : 0)
                << "cell " << x - margin << ' ' << y - margin << ' ' << z - margin;
          }
        }
}

TEST(Tiling, TakesManyPlanesOnlyWhereThereAreManyTiles) {
  const Box box{{0, 0, 0}, {384, 384, 384}};
  EXPECT_EQ(make_tiling(box, 4, 16, 1).planes, 16);
  const Tiling cut = make_tiling(box, 4, 16, 4000);
  EXPECT_EQ(cut.planes, 8);
  EXPECT_EQ(cut.tiles, 3u * 48u * 48u);
}

TEST(LinearCut, NumbersTheVectorsOfABoxAsTheyLie) {
  const Box boxes[] = {{{0, 0, 0}, {1, 1, 1}},   {{0, 0, 0}, {5, 3, 2}},
                       {{1, 1, 1}, {66, 9, 17}}, {{-1, -1, -1}, {8, 6, 0}},
                       {{3, 0, 0}, {4, 40, 37}}, {{0, 0, 2}, {130, 31, 3}},
                       {{6, 2, 1}, {131, 5, 9}}};
  for (const Box& box : boxes)
    for (const int vector : {1, 2, 4})
      for (const int threads : {32, 256}) {
        const LinearCut cut = make_linear_cut(box, vector, threads);
        const auto below = [&](int cell) { return cell & -vector; };
        std::vector<Tiling::Part> expected;
        for (int k = box.low[2]; k < box.high[2]; ++k)
          for (int j = box.low[1]; j < box.high[1]; ++j)
            for (int i = below(box.low[0]); i < box.high[0]; i += vector)
              expected.push_back({i, j, k, k + 1, box.low[0], box.high[0]});
        std::vector<Tiling::Part> found;
        for (unsigned tile = 0; tile < cut.tiles; ++tile)
          for (int thread = 0; thread < threads; ++thread)
            if (const Tiling::Part part = cut.part(tile, thread); part.begin < part.end)
              found.push_back(part);
        EXPECT_EQ(found, expected);
        EXPECT_LT(cut.tiles * static_cast<unsigned>(threads), expected.size() + threads);
      }
}

TEST(LinearCut, TakesFewerThanTwoToTheThirtyFirstVectors) {
  const auto tiles_of = [](const Box& box, int vector) {
    std::size_t tiles = 0;
    with_linear_cuts(box, vector, 128, [&](const auto& cut) { tiles = cut.tiles; });
    return tiles;
  };
  const Box large{{0, 0, 0}, {2000, 1000, 1073}};  // 2^31 - 1.5 million
  EXPECT_EQ(tiles_of(large, 1), 16765625u);
  EXPECT_EQ(make_linear_cut(large, 1, 128).part(16765624u, 127),
            (Tiling::Part{1999, 999, 1072, 1073, 0, 2000}));
  const Box larger{{0, 0, 0}, {2000, 1000, 1074}};
  EXPECT_THROW(tiles_of(larger, 1), std::runtime_error);
  EXPECT_EQ(tiles_of(larger, 4), 4195313u);
}

TEST(Tilings, GoThroughOneBoxAfterAnother) {
  const Box boxes[] = {{{0, 0, 0}, {5, 3, 2}},
                       {{-1, -1, -1}, {8, 6, 0}},
                       {{3, 0, 0}, {4, 40, 37}},
                       {{0, 0, 2}, {130, 31, 3}},
                       {{6, 2, 1}, {131, 5, 9}}};
  for (std::size_t count = 1; count <= std::size(boxes); ++count) {
    Tilings<5> all{};
    for (std::size_t n = 0; n < count; ++n) {
      EXPECT_FALSE(all.full());
      all.add(make_tiling(boxes[n], 4, 4, 1));
    }
    EXPECT_EQ(all.full(), count == 5);
    unsigned tile = 0;
    for (std::size_t n = 0; n < count; ++n) {
      const Tiling one = make_tiling(boxes[n], 4, 4, 1);
      for (unsigned of_one = 0; of_one < one.tiles; ++of_one, ++tile) {
        EXPECT_EQ(all.box_of(tile), static_cast<int>(n));
        for (int thread = 0; thread < block_threads; ++thread)
          EXPECT_EQ(all.part(tile, thread), one.part(of_one, thread));
      }
    }
    EXPECT_EQ(all.tiles, tile);
  }
}

TEST(Tilings, TakeSixBoxesALaunchAndLeaveOutEmptyOnes) {
  const Box box{{2, 0, 1}, {130, 31, 3}}, empty{{0, 0, 0}, {5, 0, 5}};
  for (const auto& [count, expected] :
       {std::pair{0, 0}, {1, 1}, {2, 1}, {6, 1}, {7, 2}, {12, 2}, {13, 3}}) {
    std::vector<Box> boxes(static_cast<std::size_t>(count), box);
    int launches = 0;
    std::size_t tiles = 0;
    const auto count_launch = [&](const auto& cut) {
      ++launches;
      tiles += cut.tiles;
    };
    for (const std::size_t more : {0, 1, 3}) {
      launches = 0;
      tiles = 0;
      boxes.insert(boxes.begin() + count / 2, more, empty);
      with_tilings(boxes, 4, 2, 1, {}, count_launch);
      EXPECT_EQ(launches, expected);
      EXPECT_EQ(tiles, static_cast<std::size_t>(count) * make_tiling(box, 4, 2, 1).tiles);
    }
  }
}

TEST(Tiling, ReachesBeyondTwoToTheThirtyFirstCells) {
  const Box box{{0, 0, 0}, {2000, 2000, 2000}};
  const Tiling cut = make_tiling(box, 1, 1, 1);
  EXPECT_GE(cut.tiles * block_threads, box.cells());
  const Tiling::Part last = cut.part(static_cast<unsigned>(cut.tiles) - 1, 0);
  EXPECT_LT(last.begin, last.end);
  EXPECT_EQ(last.end, 2000);
  const Box thin{{0, 0, 0}, {2147483647, 1, 1}};
  const Tiling line = make_tiling(thin, 4, 16, 1);
  EXPECT_EQ(line.part(static_cast<unsigned>(line.tiles) - 1, block_threads - 1).end, 0);
  EXPECT_GT(line.part(static_cast<unsigned>(line.tiles) - 1, 0).i, 2147480000);
}

}  // namespace
}  // namespace bellwether::launch
