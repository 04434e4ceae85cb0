// SPDX-License-Identifier: MIT
#include "miniapps/mesh/colouring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/airfoil/airfoil_blocks.hpp"

namespace bellwether {
namespace {

/// Every element once, none of a colour with another's target, and how many refer to one target.
int expect_colouring(const LocalMap& map, int first, int end, const Colouring& colouring) {
  std::vector<int> all = colouring.elements, expected(end - first);
  std::sort(all.begin(), all.end());
  std::iota(expected.begin(), expected.end(), first);
  EXPECT_EQ(all, expected);
  EXPECT_EQ(colouring.offsets.back(), end - first);
  const int targets = 1 + *std::max_element(map.targets.begin(), map.targets.end());
  std::vector<int> users(targets), last_colour(targets, -1);
  for (int colour = 0; colour < colouring.colours(); ++colour) {
    EXPECT_LT(colouring.offsets[colour], colouring.offsets[colour + 1]) << "an empty colour";
    for (int at = colouring.offsets[colour]; at < colouring.offsets[colour + 1]; ++at) {
      const int element = colouring.elements[at];
      EXPECT_TRUE(at == colouring.offsets[colour] || colouring.elements[at - 1] < element);
      std::vector<int> row(map.targets.begin() + element * map.arity,
                           map.targets.begin() + (element + 1) * map.arity);
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      for (const int target : row) {
        EXPECT_NE(last_colour[target], colour) << "element " << element;
        last_colour[target] = colour;
        ++users[target];
      }
    }
  }
  return *std::max_element(users.begin(), users.end());
}

TEST(Colouring, OfAirfoilsEdgesIsNearTheBound) {
  for (const AirfoilMesh shape : {AirfoilMesh{1, 1}, {5, 3}, {40, 60}}) {
    const AirfoilBlocks blocks = generate_airfoil(shape, 1, 0);
    const BlockMap& edges = blocks.mesh.maps[edge_cells_map];
    const LocalMap map{"pecell", 0, 0, 2, true, {edges.targets.begin(), edges.targets.end()}};
    const Colouring colouring = colour_elements(map, 0, static_cast<int>(shape.edges()));
    const int most = expect_colouring(map, 0, static_cast<int>(shape.edges()), colouring);
    EXPECT_GE(colouring.colours(), most);
    EXPECT_LE(colouring.colours(), most + 1);
  }
}

TEST(Colouring, OfRandomMapsStaysWithinTheBound) {
  Random random(64);
  for (int n = 0; n < 50; ++n) {
    LocalMap map{"random", 0, 1, 1 + random.below(3), true, {}};
    const int elements = 1 + random.below(300), targets = 1 + random.below(n < 25 ? 4 : 200);
    for (int at = 0; at < elements * map.arity; ++at) map.targets.push_back(random.below(targets));
    const int first = random.below(elements), end = first + random.below(elements - first) + 1;
    const Colouring colouring = colour_elements(map, first, end);
    const int most = expect_colouring(map, first, end, colouring);
    EXPECT_GE(colouring.colours(), most);
    EXPECT_LE(colouring.colours(), map.arity * (most - 1) + 1);
  }
}

TEST(Colouring, OfNothing) {
  const Colouring colouring = colour_elements({"none", 0, 0, 2, true, {}}, 3, 3);
  EXPECT_EQ(colouring.colours(), 0);
  EXPECT_TRUE(colouring.elements.empty());
}

}  // namespace
}  // namespace bellwether
