// SPDX-License-Identifier: MIT
#include "models/stencil/decomposition.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "models/errors.hpp"
#include "models/random_inputs_test.hpp"

namespace bellwether {
namespace {

std::vector<Decomposition> some_decompositions() {
  std::vector<Decomposition> all;
  for (const bool periodic : {false, true}) {
    all.emplace_back(std::array{1, 1, 1}, std::array{1, 1, 1}, periodic);
    all.emplace_back(std::array{7, 5, 3}, std::array{2, 1, 3}, periodic);
    all.emplace_back(std::array{16, 8, 4}, std::array{4, 2, 1}, periodic);
    std::mt19937 random(7);
    for (int trial = 0; trial < 40; ++trial) {
      std::array<int, 3> cells{};
      std::array<int, 3> ranks{};
      for (int direction = 0; direction < 3; ++direction) {
        cells[direction] = 1 + static_cast<int>(random() % 17);
        ranks[direction] = 1 + static_cast<int>(random() % std::min(cells[direction], 7));
      }
      all.emplace_back(cells, ranks, periodic);
    }
  }
  return all;
}

TEST(Decomposition, OwnsEveryCellOnce) {
  for (const Decomposition& decomposition : some_decompositions()) {
    const auto [nx, ny, nz] = decomposition.cells();
    std::vector<int> owners(static_cast<std::size_t>(nx) * ny * nz, 0);
    for (int rank = 0; rank < decomposition.size(); ++rank) {
      const auto first = decomposition.offset(rank);
      const auto local = decomposition.local_cells(rank);
      for (int z = first[2]; z < first[2] + local[2]; ++z)
        for (int y = first[1]; y < first[1] + local[1]; ++y)
          for (int x = first[0]; x < first[0] + local[0]; ++x)
            ++owners.at(x + static_cast<std::size_t>(nx) * (y + static_cast<std::size_t>(ny) * z));
    }
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), std::ssize(owners))
        << decomposition.name();
  }
}

TEST(Decomposition, GivesTheRemainderToTheFirstRanks) {
  const Decomposition decomposition({11, 4, 4}, {4, 1, 1}, false);
  EXPECT_EQ(decomposition.local_cells(0)[0], 3);
  EXPECT_EQ(decomposition.local_cells(2)[0], 3);
  EXPECT_EQ(decomposition.local_cells(3)[0], 2);
  EXPECT_EQ(decomposition.offset(3)[0], 9);
}

TEST(Decomposition, NumbersRanksWithXFastest) {
  const Decomposition decomposition({8, 8, 8}, {2, 3, 4}, false);
  EXPECT_EQ(decomposition.coordinates(1), (std::array{1, 0, 0}));
  EXPECT_EQ(decomposition.coordinates(2), (std::array{0, 1, 0}));
  EXPECT_EQ(decomposition.coordinates(6), (std::array{0, 0, 1}));
  for (int rank = 0; rank < decomposition.size(); ++rank)
    EXPECT_EQ(decomposition.rank_at(decomposition.coordinates(rank)), rank);
}

TEST(Decomposition, NeighboursAreEachOthers) {
  for (const Decomposition& decomposition : some_decompositions()) {
    for (int rank = 0; rank < decomposition.size(); ++rank) {
      for (int direction = 0; direction < 3; ++direction) {
        for (int side = 0; side < 2; ++side) {
          const int other = decomposition.neighbour(rank, direction, side);
          if (other < 0) continue;
          EXPECT_NE(other, rank) << decomposition.name();
          EXPECT_EQ(decomposition.neighbour(other, direction, 1 - side), rank);
          EXPECT_EQ(decomposition.face_cells(other, direction),
                    decomposition.face_cells(rank, direction));
        }
      }
    }
  }
}

TEST(Decomposition, HasNoNeighbourWhereTheDirectionIsNotSplit) {
  for (const bool periodic : {false, true}) {
    const Decomposition decomposition({8, 8, 8}, {1, 2, 1}, periodic);
    for (const int direction : {0, 2})
      for (const int side : {0, 1}) EXPECT_EQ(decomposition.neighbour(0, direction, side), -1);
  }
}

TEST(Decomposition, HasWallsUnlessPeriodic) {
  const Decomposition walls({8, 8, 9}, {1, 1, 3}, false);
  EXPECT_EQ(walls.neighbour(0, 2, 0), -1);
  EXPECT_EQ(walls.neighbour(0, 2, 1), 1);
  EXPECT_EQ(walls.neighbour(2, 2, 1), -1);
  const Decomposition around({8, 8, 9}, {1, 1, 3}, true);
  EXPECT_EQ(around.neighbour(0, 2, 0), 2);
  EXPECT_EQ(around.neighbour(2, 2, 1), 0);
}

TEST(Decomposition, TwoPeriodicRanksMeetOnBothSides) {
  const Decomposition decomposition({8, 8, 8}, {1, 1, 2}, true);
  EXPECT_EQ(decomposition.neighbour(0, 2, 0), 1);
  EXPECT_EQ(decomposition.neighbour(0, 2, 1), 1);
}

TEST(Decomposition, FaceIsTheProductOfTheOtherDirections) {
  const Decomposition decomposition({7, 5, 3}, {2, 1, 1}, false);
  EXPECT_EQ(decomposition.face_cells(0, 0), 5 * 3);
  EXPECT_EQ(decomposition.face_cells(0, 1), 4 * 3);
  EXPECT_EQ(decomposition.face_cells(1, 2), 3 * 5);
}

TEST(Decomposition, RefusesWhatCannotBe) {
  EXPECT_THROW(Decomposition({0, 4, 4}, {1, 1, 1}, true), BadInput);
  EXPECT_THROW(Decomposition({4, -1, 4}, {1, 1, 1}, true), BadInput);
  EXPECT_THROW(Decomposition({4, 4, 4}, {1, 0, 1}, true), BadInput);
  EXPECT_THROW(Decomposition({4, 4, 4}, {1, 1, 5}, true), BadInput);
  EXPECT_THROW(Decomposition({4000, 4000, 4000}, {4000, 4000, 4000}, true), BadInput);
  EXPECT_NO_THROW(Decomposition({4, 4, 4}, {4, 4, 4}, true));
}

TEST(Factorizations, AreAllProductsThatFit) {
  for (const int ranks : {1, 2, 12, 30, 64}) {
    const std::array<int, 3> cells{5, 8, 100};
    std::set<std::array<int, 3>> expected;
    for (int x = 1; x <= cells[0]; ++x)
      for (int y = 1; y <= cells[1]; ++y)
        for (int z = 1; z <= cells[2]; ++z)
          if (x * y * z == ranks) expected.insert({x, y, z});
    const auto found = factorizations(ranks, cells);
    EXPECT_EQ((std::set<std::array<int, 3>>(found.begin(), found.end())), expected);
    EXPECT_EQ(found.size(), expected.size());
  }
  EXPECT_TRUE(factorizations(7, {2, 2, 2}).empty());
}

TEST(LeastSurface, HasTheLeastBusiestRank) {
  const auto busiest = [](const Decomposition& decomposition) {
    long most = 0;
    for (int rank = 0; rank < decomposition.size(); ++rank) {
      long surface = 0;
      for (int face = 0; face < 6; ++face)
        if (decomposition.neighbour(rank, face / 2, face % 2) >= 0)
          surface += decomposition.face_cells(rank, face / 2);
      most = std::max(most, surface);
    }
    return most;
  };
  for (const std::array<int, 3> cells : {std::array{64, 64, 64}, {13, 40, 9}, {512, 4, 4}}) {
    for (const int ranks : {1, 2, 3, 8, 12, 36}) {
      const long chosen = busiest(Decomposition(cells, least_surface(ranks, cells), true));
      for (const auto& parts : factorizations(ranks, cells))
        EXPECT_LE(chosen, busiest(Decomposition(cells, parts, true)));
    }
  }
}

TEST(LeastSurface, SplitsZThenYAmongEquals) {
  EXPECT_EQ(least_surface(2, {8, 8, 8}), (std::array{1, 1, 2}));
  EXPECT_EQ(least_surface(4, {8, 8, 8}), (std::array{1, 1, 4}));
  EXPECT_EQ(least_surface(8, {8, 8, 8}), (std::array{1, 2, 4}));
  EXPECT_THROW(least_surface(7, {2, 2, 2}), BadInput);
  EXPECT_THROW(least_surface(0, {2, 2, 2}), BadInput);
}

TEST(ParseRanks, ReadsThreeCountsOrAuto) {
  EXPECT_EQ(parse_ranks("auto"), (std::array{0, 0, 0}));
  EXPECT_EQ(parse_ranks("1x2x12"), (std::array{1, 2, 12}));
  for (const char* text : {"", "1x2", "1x2x", "1x2x3x4", "0x1x1", "-1x1x1", "axbxc", "1X2X3",
                           "1x2x3 ", " 1x2x3", "1x2x99999999999", "1.5x1x1", "AUTO", "+1x1x1"})
    EXPECT_THROW(parse_ranks(text), BadInput) << text;
}

TEST(ParseRanks, ReadsBackAName) {
  EXPECT_EQ(parse_ranks(Decomposition({8, 8, 8}, {2, 1, 4}, true).name()), (std::array{2, 1, 4}));
}

RC_GTEST_PROP(Decomposition, OwnedCellsAddUpToAllAndDifferByOneAtMost, ()) {
  const Decomposition decomposition = random_decomposition(1000, 12);
  const auto [nx, ny, nz] = decomposition.cells();
  long sum = 0;
  for (int rank = 0; rank < decomposition.size(); ++rank) {
    const auto local = decomposition.local_cells(rank);
    sum += 1L * local[0] * local[1] * local[2];
    for (int direction = 0; direction < 3; ++direction) {
      const int even = decomposition.cells()[direction] / decomposition.ranks()[direction];
      RC_ASSERT(local[direction] == even || local[direction] == even + 1);
    }
  }
  RC_ASSERT(sum == 1L * nx * ny * nz);
}

RC_GTEST_PROP(Candidates, AreAllFactorizationsLedByTheLeastSurface, ()) {
  const std::array<int, 3> cells = random_decomposition(100, 1).cells();
  const int ranks = *rc::gen::inRange(1, 3000);
  auto all = factorizations(ranks, cells);
  auto ordered = candidates(ranks, cells);
  RC_ASSERT(all.size() == ordered.size());
  if (all.empty()) return;
  const std::array<int, 3> first = least_surface(ranks, cells);
  RC_ASSERT(ordered.front() == first);
  all.erase(std::find(all.begin(), all.end(), first));
  ordered.erase(ordered.begin());
  RC_ASSERT(all == ordered);
}

TEST(Decomposition, WeakScalingPutsBoxesNearACube) {
  using Grid = std::array<long long, 3>;
  EXPECT_EQ(cells_of_all({4, 5, 6}, 1), (Grid{4, 5, 6}));
  EXPECT_EQ(cells_of_all({4, 5, 6}, 2), (Grid{4, 5, 12}));
  EXPECT_EQ(cells_of_all({4, 5, 6}, 8), (Grid{8, 10, 12}));
  EXPECT_EQ(cells_of_all({1, 1, 1}, 12), (Grid{2, 2, 3}));
  EXPECT_EQ(cells_of_all({1, 1, 1}, 7), (Grid{1, 1, 7}));
}

}  // namespace
}  // namespace bellwether
