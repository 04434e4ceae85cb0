// SPDX-License-Identifier: MIT
#include "results/history/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <tuple>
#include <utility>

namespace bellwether {
namespace {

constexpr int permutations = 1999;
constexpr double significance = 1. / 200;

/// Ranks from 1, of equal values their mean, less the mean rank.
std::vector<double> centred_ranks(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double mean = (static_cast<double>(values.size()) + 1) / 2;
  std::vector<double> ranks;
  for (const double value : values) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    ranks.push_back(
        static_cast<double>((first - sorted.begin()) + (last - sorted.begin()) + 1) / 2 - mean);
  }
  return ranks;
}

/// The largest (sum of the first k ranks)^2 / (k (n - k)), which is the standardized rank sum
/// squared, but for a factor that permutations share.
double widest_split(const std::vector<double>& ranks) {
  double widest = 0, sum = 0;
  for (std::size_t k = 1; k + shortest_level <= ranks.size(); ++k) {
    sum += ranks[k - 1];
    if (k >= shortest_level)
      widest = std::max(
          widest, sum * sum / (static_cast<double>(k) * static_cast<double>(ranks.size() - k)));
  }
  return widest;
}

/// Share of permutations, with the series itself, that are split as widely; 1 once it is too large
/// for a change.
double chance_of(double distance, std::vector<double> ranks, std::mt19937_64& random) {
  constexpr double rounding = 1e-9;
  int as_wide = 1;
  for (int permutation = 0; permutation < permutations; ++permutation) {
    for (std::size_t i = ranks.size() - 1; i > 0; --i)
      std::swap(ranks[i], ranks[random() % (i + 1)]);
    as_wide += widest_split(ranks) >= (1 - rounding) * distance;
    if (as_wide > significance * (permutations + 1)) return 1;
  }
  return as_wide / (permutations + 1.);
}

double distance_from_median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  double distance = 0;
  for (const double value : values) distance += std::abs(value - *middle);
  return distance;
}

/// Where two medians leave least of the values' absolute deviations: ranks tell that there is a
/// change, but sides of unequal length pull its place to the shorter one.
std::size_t place_of_change(std::span<const double> values) {
  std::size_t place = 0;
  double least = HUGE_VAL;
  for (std::size_t k = shortest_level; k + shortest_level <= values.size(); ++k) {
    const double left =
        distance_from_median(values.first(k)) + distance_from_median(values.subspan(k));
    if (left < least) std::tie(place, least) = std::tie(k, left);
  }
  return place;
}

void search(std::span<const double> values, std::size_t begin, std::mt19937_64& random,
            std::vector<ChangePoint>& found) {
  if (values.size() < fewest_for_change) return;
  const std::vector<double> ranks = centred_ranks(values);
  const double distance = widest_split(ranks);
  if (distance == 0) return;
  const double chance = chance_of(distance, ranks, random);
  if (chance > significance) return;
  const std::size_t first = place_of_change(values);
  search(values.first(first), begin, random, found);
  found.push_back({begin + first, chance});
  search(values.subspan(first), begin + first, random, found);
}

}  // namespace

std::vector<ChangePoint> change_points(const std::vector<double>& values) {
  std::mt19937_64 random(1);
  std::vector<ChangePoint> found;
  search(values, 0, random, found);
  // One that was found among others is placed again where it stands alone.
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : found[i - 1].first;
    const std::size_t end = i + 1 == found.size() ? values.size() : found[i + 1].first;
    found[i].first = begin + place_of_change(std::span(values).subspan(begin, end - begin));
  }
  return found;
}

}  // namespace bellwether
