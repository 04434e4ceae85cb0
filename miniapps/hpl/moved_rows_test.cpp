// SPDX-License-Identifier: MIT
#include "miniapps/hpl/moved_rows.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace bellwether {
namespace {

using Place = std::pair<int, int>;  // process, -1 for the top rows, and row

/// What stands where after the interchanges, one after the other.
std::map<Place, Place> one_by_one(const std::vector<PanelPivot>& pivots) {
  const int width = static_cast<int>(pivots.size());
  std::map<Place, Place> content;
  const auto at = [&](Place place) -> Place& {
    return content.try_emplace(place, place).first->second;
  };
  for (int t = 0; t < width; ++t) at({-1, t});
  for (int t = 0; t < width; ++t) {
    const auto [process, row] = pivots[static_cast<std::size_t>(t)];
    const Place from = row < width ? Place{-1, row} : Place{process, row};
    (void)at(from);
    std::swap(at({-1, t}), at(from));
  }
  return content;
}

TEST(Interchanges, AreThoseOneByOneInOnePermutation) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const int width = 1 + static_cast<int>(random() % 12);
    const int processes = 1 + static_cast<int>(random() % 3);
    std::vector<PanelPivot> pivots;
    for (int t = 0; t < width; ++t) {
      // Few rows below, so that some are taken more than once.
      const int row = t + static_cast<int>(random() % static_cast<unsigned>(width - t + 5));
      pivots.push_back({row < width ? 0 : static_cast<int>(random()) % processes, row});
      if (pivots.back().process < 0) pivots.back().process += processes;
    }
    std::map<Place, Place> expected = one_by_one(pivots);
    const Interchanges found = interchanges_of(pivots.data(), width);
    ASSERT_EQ(found.top.size(), pivots.size());
    for (int t = 0; t < width; ++t) {
      const auto [process, row] = found.top[static_cast<std::size_t>(t)];
      ASSERT_EQ(Place(process, row), (expected[{-1, t}]));
      expected.erase({-1, t});
    }
    for (const Interchanges::Displaced& one : found.displaced) {
      ASSERT_EQ(Place(-1, one.top), (expected[{one.to.process, one.to.row}]));
      expected.erase({one.to.process, one.to.row});
    }
    for (const auto& [place, content] : expected) ASSERT_EQ(place, content) << "moved, not told";
  }
}

}  // namespace
}  // namespace bellwether
