// SPDX-License-Identifier: MIT
#include "models/fit/fit_segments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bellwether {
namespace {

constexpr std::size_t fewest_samples = 3;  // of a segment: two parameters and one to judge them by
constexpr std::size_t most_segments = 8;
constexpr double noise = 0.01;  // relative residuals below this count as none

/// Bayesian information criterion of m segments: two parameters each and m - 1 breakpoints.
double criterion(double squares, std::size_t samples, std::size_t segments) {
  const auto n = static_cast<double>(samples);
  return n * std::log(squares / n + noise * noise) +
         static_cast<double>(3 * segments - 1) * std::log(n);
}

/// best[m][end]: the least sum of squares of m + 1 segments over the first `end` samples, and where
/// the last of them begins.
struct Choice {
  double squares = std::numeric_limits<double>::infinity();
  std::size_t first = 0;
};
using Table = std::vector<std::vector<Choice>>;

Table best_choices(std::span<const LinkSample> samples, std::size_t segments) {
  const std::size_t count = samples.size();
  Table best(segments, std::vector<Choice>(count + 1));
  for (std::size_t first = 0; first + fewest_samples <= count; ++first) {
    for (std::size_t end = first + fewest_samples; end <= count; ++end) {
      const double squares =
          fit_line(samples.subspan(first, end - first), intercept_of_segment(first)).squares;
      if (first == 0) best[0][end] = {squares, 0};
      // Ascending `first`: best[m - 1][first] is final, since its segments end before this begins.
      for (std::size_t m = 1; m < segments; ++m) {
        const double sum = best[m - 1][first].squares + squares;
        if (sum < best[m][end].squares) best[m][end] = {sum, first};
      }
    }
  }
  return best;
}

}  // namespace

std::vector<FittedSegment> fit_segments(std::span<const LinkSample> samples) {
  const std::size_t count = samples.size();
  if (count < 2 * fewest_samples) return {{0, fit_line(samples)}};
  const Table best = best_choices(samples, std::min(most_segments, count / fewest_samples));
  std::size_t chosen = 0;
  for (std::size_t m = 1; m < best.size(); ++m)
    if (criterion(best[m][count].squares, count, m + 1) <
        criterion(best[chosen][count].squares, count, chosen + 1))
      chosen = m;

  std::vector<FittedSegment> segments;
  std::size_t end = count;
  for (std::size_t m = chosen + 1; m-- > 0;) {
    const std::size_t first = best[m][end].first;
    segments.push_back(
        {first, fit_line(samples.subspan(first, end - first), intercept_of_segment(first))});
    end = first;
  }
  std::reverse(segments.begin(), segments.end());
  return segments;
}

}  // namespace bellwether
