// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace bellwether {

/// Values that a level has on either side of a change, at least.
inline constexpr std::size_t shortest_level = 4;
/// Of fewer values no order is rare enough to count as a change; of so many the halves of 2 in 924.
inline constexpr std::size_t fewest_for_change = 12;

/// Where a level ends, and how likely a series without any change looks as changed as this.
struct ChangePoint {
  std::size_t first = 0;  ///< value of the new level
  double chance = 0;
};

/// Changes of level among independent values in order of time, by binary segmentation (Vostrikova
/// 1981): where the largest standardized rank sum of all splits (Hawkins and Deng 2010, after
/// Pettitt 1979) is beyond all but 1/200 of 1999 permutations (Antoch and Hušková 2001), both sides
/// of the two medians that fit best are searched again. So a series without a change has one in at
/// most 1/200 of cases, whatever the values' distribution.
std::vector<ChangePoint> change_points(const std::vector<double>& values);

}  // namespace bellwether
