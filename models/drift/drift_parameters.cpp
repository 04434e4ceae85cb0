// SPDX-License-Identifier: MIT
#include "models/drift/drift_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "models/machine/json_type.hpp"

namespace bellwether {
namespace {

double middle(std::span<const double> ascending) {
  const std::size_t n = ascending.size();
  return (ascending[(n - 1) / 2] + ascending[n / 2]) / 2;
}

double mean(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.) / static_cast<double>(numbers.size());
}

double variance(std::span<const double> numbers) {
  const double centre = mean(numbers);
  double sum = 0;
  for (const double number : numbers) sum += (number - centre) * (number - centre);
  return sum / static_cast<double>(numbers.size());
}

}  // namespace

const std::vector<double>& DriftParameters::slowness(const std::string& of) const {
  static const std::vector<double> none;
  for (const DriftSeries& one : series)
    if (one.of == of) return one.slowness;
  return none;
}

JsonType<DriftParameters> drift_parameters_type() {
  using Drift = DriftParameters;
  const JsonType<DriftSeries> series = named(
      "drift_series", "A probe's times over their median, ascending.",
      json_object<DriftSeries>(
          {required("of", &DriftSeries::of,
                    json_word({"memory", "matrix product", "network", "shared memory"})),
           required("slowness", &DriftSeries::slowness,
                    checked_list<double>(
                        json_list(json_positive(), 1),
                        [](const JsonNode& item, const std::vector<double>& all, std::size_t at) {
                          if (at > 0 && all[at] < all[at - 1])
                            item.refuse("numbers that do not descend");
                        }))}));
  return named("drift",
               "How the machine's speed changed during the calibration: probes repeated between "
               "its parts, over span_s.",
               json_object<Drift>({optional("source", &Drift::source, json_text()),
                                   required("span_s", &Drift::span_s, json_number()),
                                   required("series", &Drift::series, json_list(series))}));
}

DriftSeries drift_series(const std::string& of, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const double median = middle(seconds);
  DriftSeries series{of, {}};
  const std::size_t kept = std::min(seconds.size(), most_drift_probes);
  for (std::size_t n = 0; n < kept; ++n)
    series.slowness.push_back(
        seconds[n * (seconds.size() - 1) / std::max<std::size_t>(1, kept - 1)] / median);
  return series;
}

std::optional<TwoStates> two_states(const std::vector<double>& ascending) {
  constexpr double least_distance = 0.15, least_d = 7;
  constexpr std::size_t fewest = 20;
  const std::size_t n = ascending.size();
  if (n < fewest) return {};
  const std::size_t least = std::max<std::size_t>(4, (n + 9) / 10);
  const std::span<const double> all(ascending);
  std::size_t cut = 0;
  double largest = 0;
  for (std::size_t first = least; first + least <= n; ++first) {
    const double distance = mean(all.subspan(first)) - mean(all.first(first));
    const double between =
        distance * distance * static_cast<double>(first) * static_cast<double>(n - first);
    if (between <= largest) continue;
    largest = between;
    cut = first;
  }
  if (cut == 0) return {};
  const auto fast = all.first(cut), slow = all.subspan(cut);
  const double distance = mean(slow) - mean(fast);
  if (middle(slow) < (1 + least_distance) * middle(fast)) return {};
  if (distance * std::sqrt(2.) <= least_d * std::sqrt(variance(fast) + variance(slow))) return {};
  return TwoStates{middle(fast), middle(slow),
                   static_cast<double>(slow.size()) / static_cast<double>(n)};
}

}  // namespace bellwether
