// SPDX-License-Identifier: MIT
#include "results/acceptance/outliers.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <map>
#include <random>

#include "models/median.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

constexpr std::size_t fewest_for_deviations = 5;
constexpr std::size_t most_simulated = 200;

/// The largest (x - median) / MAD. Infinite where more than half of them are alike and one is not.
double largest_deviation(const std::vector<double>& numbers, std::vector<double>& scratch) {
  scratch = numbers;
  const double middle = median_in(scratch);
  for (std::size_t i = 0; i < numbers.size(); ++i) scratch[i] = std::abs(numbers[i] - middle);
  const double spread = median_in(scratch);
  const double most = *std::max_element(numbers.begin(), numbers.end()) - middle;
  if (most <= 0) return 0;
  return spread > 0 ? most / spread : HUGE_VAL;
}

/// Ascending: of so many groups of normal numbers each.
const std::vector<double>& simulated_deviations(std::size_t members) {
  static std::map<std::size_t, std::vector<double>> known;
  std::vector<double>& found = known[members];
  if (!found.empty()) return found;
  const std::size_t draws = std::clamp<std::size_t>(4'000'000 / members, 20'000, 200'000);
  std::mt19937_64 engine(20'111);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(members), scratch;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (double& number : numbers) number = normal(engine);
    found.push_back(largest_deviation(numbers, scratch));
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Of many members, whose median absolute deviation is normal about that of the distribution,
/// 0.6745 standard deviations, within 1.166 / sqrt(members) of it (Rousseeuw and Croux 1993:
/// efficiency 36.7 %); the largest of them is then one of independent ones.
double large_group_p(double members, double score) {
  constexpr double middle = 0.674490, step = 0.05;
  const double spread = 1.166 / std::sqrt(members);
  double p = 0, weights = 0;
  for (double z = -5; z <= 5; z += step) {
    const double weight = std::exp(-z * z / 2);
    const double tail = std::erfc(score * middle * (1 + spread * z) / std::sqrt(2.0)) / 2;
    p += weight * -std::expm1(members * std::log1p(-tail));
    weights += weight;
  }
  return p / weights;
}

std::vector<double> column(const Occasions& occasions, std::size_t member) {
  std::vector<double> values;
  for (const auto& occasion : occasions) values.push_back(occasion.at(member));
  return values;
}

/// Of ascending numbers but one of this value.
double median_without(const std::vector<double>& sorted, double value) {
  const auto place = static_cast<std::size_t>(
      std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
  const auto other = [&](std::size_t at) { return sorted[at < place ? at : at + 1]; };
  const std::size_t others = sorted.size() - 1;
  return (other((others - 1) / 2) + other(others / 2)) / 2;
}

}  // namespace

double largest_deviation_p(std::size_t members, double score) {
  if (members > most_simulated) return large_group_p(static_cast<double>(members), score);
  const std::vector<double>& draws = simulated_deviations(members);
  const auto beyond = draws.end() - std::lower_bound(draws.begin(), draws.end(), score);
  return static_cast<double>(beyond + 1) / static_cast<double>(draws.size() + 1);
}

double often_slowest_p(std::size_t members, std::size_t occasions, std::size_t times) {
  const boost::math::binomial slowest(static_cast<double>(occasions),
                                      1 / static_cast<double>(members));
  const double tail =
      times == 0
          ? 1
          : boost::math::cdf(boost::math::complement(slowest, static_cast<double>(times - 1)));
  return std::min(1.0, static_cast<double>(members) * tail);
}

std::size_t occasions_needed(std::size_t members, double alpha) {
  if (members >= fewest_for_deviations) return 1;
  std::size_t occasions = 1;
  while (often_slowest_p(members, occasions, occasions) > alpha) ++occasions;
  return occasions;
}

std::vector<Standing> standings(const Occasions& occasions, double members_spread) {
  if (occasions.empty() || occasions.front().size() < 2) return {};
  const std::size_t members = occasions.front().size();
  // Each against the median of the others, on each occasion.
  Occasions relative = occasions;
  std::vector<std::size_t> times_slowest(members, 0);
  for (std::size_t at = 0; at < occasions.size(); ++at) {
    const std::vector<double>& all = occasions[at];
    ++times_slowest[static_cast<std::size_t>(std::max_element(all.begin(), all.end()) -
                                             all.begin())];
    std::vector<double> sorted = all;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t member = 0; member < members; ++member)
      relative[at][member] = all[member] - median_without(sorted, all[member]);
  }
  std::vector<Standing> found;
  for (std::size_t member = 0; member < members; ++member) {
    const Summary summary = summarize(column(relative, member));
    found.push_back({member, summary.median, summary.low, summary.high, 1, 1});
  }
  if (members >= fewest_for_deviations) {
    std::vector<double> scratch;
    for (const Standing& one : found) scratch.push_back(one.log_ratio);
    const double middle = median_in(scratch);
    for (double& ratio : scratch) ratio = std::abs(ratio - middle);
    const double spread = median_in(scratch) * members_spread;
    const auto p_of = [&](double end) {
      if (end <= middle) return 1.0;
      return largest_deviation_p(members, spread > 0 ? (end - middle) / spread : HUGE_VAL);
    };
    for (Standing& one : found) {
      one.p = p_of(one.log_ratio);
      one.near_p = p_of(one.low);
    }
  } else {
    for (Standing& one : found)
      one.p = one.near_p = often_slowest_p(members, occasions.size(), times_slowest[one.member]);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Standing& a, const Standing& b) { return a.log_ratio > b.log_ratio; });
  return found;
}

}  // namespace bellwether
