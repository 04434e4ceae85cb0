// SPDX-License-Identifier: MIT
#include "models/scaling/scaling_point.hpp"

#include <map>

namespace bellwether {
namespace {

// A part in a million of slack: where both are equal, rounding must not decide.
constexpr double slack = 1 + 1e-6;

}  // namespace

std::optional<int> communication_bound_from(const std::vector<ScalingPoint>& points,
                                            const std::string& form) {
  std::optional<int> least;
  for (const ScalingPoint& point : points) {
    if (!point.overlap || !point.prediction.overlaps || point.form != form ||
        (least && *least <= point.ranks))
      continue;
    if (point.prediction.communication_s > point.prediction.hiding_s * slack) least = point.ranks;
  }
  return least;
}

std::vector<BestOverlap> best_overlap(const std::vector<ScalingPoint>& points,
                                      const std::string& form) {
  constexpr double better = 1.01;
  std::map<int, std::map<bool, double>> totals;
  for (const ScalingPoint& point : points)
    if (point.form == form && point.prediction.overlaps)
      totals[point.ranks][point.overlap] = point.prediction.total_s;
  std::vector<BestOverlap> best;
  for (const auto& [ranks, total] : totals) {
    if (total.size() < 2) continue;
    for (const bool overlap : {false, true})
      if (total.at(!overlap) > better * total.at(overlap) &&
          (best.empty() || best.back().overlap != overlap))
        best.push_back({ranks, overlap});
  }
  return best;
}

}  // namespace bellwether
