// SPDX-License-Identifier: MIT
#include "models/noise/noise_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "models/machine/json_type.hpp"

namespace bellwether {
namespace {

constexpr double heaviest_shape = 0.5;  // the variance of what is heavier is not finite

JsonType<double> share_type() {
  return restricted<double>(
      json_number(), {{"maximum", 1}}, [](double share) { return share <= 1; },
      "a share from 0 to 1");
}

JsonType<std::vector<DetourLength>> lengths_type() {
  using Length = DetourLength;
  return checked_list<Length>(
      json_ascending("fraction", &Length::fraction, "fractions",
                     json_object<Length>({required("fraction", &Length::fraction, share_type()),
                                          required("seconds", &Length::seconds, json_positive())}),
                     1),
      [](const JsonNode& item, const std::vector<Length>& all, std::size_t index) {
        if (index == 0 && all[0].fraction != 0) item.child("fraction").refuse("0, the first one's");
        if (index > 0)
          require_above(item.child("seconds"), "seconds", all[index - 1].seconds,
                        all[index].seconds);
      });
}

JsonType<DetourTail> tail_type() {
  return json_object<DetourTail>(
      {required("scale_s", &DetourTail::scale_s, json_quantity(Range::positive)),
       required("shape", &DetourTail::shape,
                restricted<Quantity>(
                    json_quantity(Range::fraction),
                    {{"properties", {{"high", {{"maximum", heaviest_shape}}}}}},
                    [](const Quantity& shape) { return shape.high <= heaviest_shape; },
                    "a shape from 0 to 0.5"))});
}

DetourTail fitted(const std::vector<double>& excesses, bool exponential) {
  const auto count = static_cast<double>(excesses.size());
  std::vector<double> ascending = excesses;
  std::sort(ascending.begin(), ascending.end());
  double a0 = 0, a1 = 0;  // means of y and of y (1 - F(y))
  for (std::size_t index = 0; index < ascending.size(); ++index) {
    a0 += ascending[index] / count;
    a1 += ascending[index] * (1 - (static_cast<double>(index) + 0.65) / count) / count;
  }
  // Hosking and Wallis' k is minus the shape.
  double shape = exponential || a0 <= 2 * a1 ? 0 : 2 - a0 / (a0 - 2 * a1);
  shape = std::clamp(std::isfinite(shape) ? shape : 0., 0., heaviest_shape);
  return {Quantity::exact(a0 * (1 - shape)), Quantity::exact(shape)};
}

/// The middle 95 % of the numbers, and the value.
Quantity with_interval(double value, std::vector<double> drawn) {
  std::sort(drawn.begin(), drawn.end());
  const auto at = [&](double share) {
    return drawn[static_cast<std::size_t>(share * static_cast<double>(drawn.size() - 1))];
  };
  return {value, std::min(value, at(0.025)), std::max(value, at(0.975)), {}};
}

DetourTail tail_of(const std::vector<double>& excesses, bool exponential) {
  constexpr int draws = 200;
  const DetourTail all = fitted(excesses, exponential);
  std::mt19937_64 random(1);
  std::vector<double> scales, shapes, drawn(excesses.size());
  for (int draw = 0; draw < draws; ++draw) {
    for (double& one : drawn) one = excesses[random() % excesses.size()];
    const DetourTail again = fitted(drawn, exponential);
    if (again.scale_s.value <= 0) continue;
    scales.push_back(again.scale_s.value);
    shapes.push_back(again.shape.value);
  }
  return {with_interval(all.scale_s.value, scales), with_interval(all.shape.value, shapes)};
}

}  // namespace

JsonType<NoiseParameters> noise_parameters_type() {
  using Noise = NoiseParameters;
  const JsonType<Noise> type = json_object<Noise>(
      {optional("source", &Noise::source, json_text()), retired<Noise>("quantum_s"),
       retired<Noise>("rank_quantum_s"), retired<Noise>("lateness"), retired<Noise>("observed_s"),
       required("detours", &Noise::detours, json_count()),
       required("detours_per_s", &Noise::detours_per_s, json_quantity(Range::nonnegative)),
       optional("lengths", &Noise::lengths, lengths_type()),
       optional("tail", &Noise::tail, tail_type()),
       required("shared_fraction", &Noise::shared_fraction, json_quantity(Range::fraction))},
      [](const JsonNode& node, const Noise& noise) {
        if (noise.detours_per_s.value > 0 && noise.lengths.empty())
          node.refuse("lengths, where detours_per_s is above 0");
        const bool open = !noise.lengths.empty() && noise.lengths.back().fraction < 1;
        if (open != noise.tail.has_value())
          node.refuse("a tail exactly where the last length's fraction is below 1");
      });
  return named(
      "noise",
      "A fixed quantum of work over and over on all ranks at once, and detours: how often, how "
      "long (share of at most that length; beyond the last a generalized Pareto "
      "distribution), and the share that meets all ranks of a node at once.",
      type);
}

void set_detour_lengths(std::vector<double> seconds, NoiseParameters& noise) {
  noise.detours = static_cast<int>(seconds.size());
  noise.lengths.clear();
  noise.tail.reset();
  if (seconds.empty()) return;
  std::sort(seconds.begin(), seconds.end());
  const std::size_t count = seconds.size();
  const bool few = count < 100;
  const std::size_t in_tail = few ? count : std::max<std::size_t>(20, count / 20);
  const double last = 1 - static_cast<double>(in_tail) / static_cast<double>(count);
  // More of them towards the end, where the longest are.
  const int steps = few ? 0 : most_detour_lengths - 1;
  for (int step = 0; step <= steps; ++step) {
    const double part = steps == 0 ? 0 : static_cast<double>(step) / steps;
    const double fraction = last * (1 - (1 - part) * (1 - part));
    const double length =
        seconds[static_cast<std::size_t>(fraction * static_cast<double>(count - 1))];
    // What a clock's grain made equal differs by a part in a million.
    const double above = noise.lengths.empty() ? 0 : noise.lengths.back().seconds * (1 + 1e-6);
    noise.lengths.push_back({fraction, std::max(length, above)});
  }
  const double begin = noise.lengths.back().seconds;
  std::vector<double> excesses;
  for (auto one = seconds.end() - static_cast<std::ptrdiff_t>(in_tail); one != seconds.end(); ++one)
    excesses.push_back(std::max(*one - begin, 1e-6 * begin));
  noise.tail = tail_of(excesses, few);
}

}  // namespace bellwether
