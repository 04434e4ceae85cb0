// SPDX-License-Identifier: MIT
#include "models/noise/noise_wait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bellwether {
namespace {

/// Ranks at most so many neighbours away, in a regular mesh: of four neighbours in a plane 1 + 2 h
/// (h + 1), of six in space 1 + (4 h^3 + 6 h^2 + 8 h) / 3.
double ranks_within(double hops, const StepWaits& waits) {
  const double h = hops;
  const double of_each = waits.dimensions == 1   ? h
                         : waits.dimensions == 2 ? h * (h + 1) / 2
                                                 : (2 * h * h * h + 3 * h * h + 4 * h) / 9;
  return std::min<double>(waits.ranks, 1 + waits.neighbours * of_each);
}

}  // namespace

std::shared_ptr<const NoiseDelay> NoiseWait::delay(int eighth, Bound bound) const {
  const std::lock_guard lock(mutex_);
  auto& place = kept_[{eighth, bound}];
  if (!place) place = std::make_shared<const NoiseDelay>(*noise_, std::exp2(eighth / 8.), bound);
  return place;
}

double NoiseWait::largest(double work_s, double ranks, double slack_s, Bound bound) const {
  const double place = 8 * std::log2(work_s);
  const int below = static_cast<int>(std::floor(place));
  const double least_s = std::exp2(below / 8.), most_s = std::exp2((below + 1) / 8.);
  const double share = (work_s - least_s) / (most_s - least_s);
  return (1 - share) * delay(below, bound)->expected_maximum(ranks, slack_s) +
         share * delay(below + 1, bound)->expected_maximum(ranks, slack_s);
}

double NoiseWait::seconds(double work_s, const StepWaits& waits, double slack_s,
                          Bound bound) const {
  if (noise_ == nullptr || !(work_s > 0) || waits.ranks < 2) return 0;
  const double shared = rate_at(noise_->shared_fraction, bound);
  const auto independent = [&](double ranks) {
    return independent_ranks(ranks, waits.ranks_per_node, shared);
  };
  const double own = largest(work_s, 1, slack_s, bound);
  const double of_all = largest(work_s, independent(waits.ranks), slack_s, bound);
  if (waits.neighbours == 0 || waits.neighbours + 1 >= waits.ranks)
    return std::max(0., of_all - own);
  constexpr int most_steps = 4096;
  double most = 0, reached = 0;
  for (int step = 1, next = 1; step <= most_steps; ++step) {
    const double here = ranks_within(step, waits);
    reached += here;
    if (step < next) continue;
    next = step + 1 + step / 2;
    const double least = largest(work_s, independent(reached), slack_s, bound) / step;
    if (least < most / (here < waits.ranks ? 8 : 2)) break;
    most = std::max(most, least);
  }
  return std::max(0., std::min(most, of_all) - own);
}

void NoiseWait::add_to(const StepWaits& waits, Prediction& prediction) const {
  if (noise_ == nullptr || waits.ranks < 2 || waits.times < 1) return;
  const double work_s = prediction.total_s / waits.times;
  const double hidden_s = prediction.hidden_fraction * prediction.communication_s;
  const double slack_s =
      waits.overlap ? std::max(0., prediction.hiding_s - hidden_s) / waits.times : 0;
  StepWaits all = waits;
  all.neighbours = 0;
  const auto of = [&](const StepWaits& who, Bound bound) {
    return waits.times * seconds(work_s, who, slack_s, bound);
  };
  Term wait{"wait", of(waits, Bound::value), 0, 0};
  wait.low = std::min(wait.seconds, of(waits, Bound::fastest));
  wait.high = std::max(wait.seconds, of(all, Bound::slowest));
  add_wait(wait, *noise_, waits.ranks, waits.ranks_per_node, prediction);
}

void add_wait(const Term& wait, const NoiseParameters& noise, int ranks, int ranks_per_node,
              Prediction& prediction) {
  if (wait.high <= 0) return;
  const double met = noise.detours_per_s.value * prediction.total_s *
                     independent_ranks(ranks, ranks_per_node, noise.shared_fraction.value);
  if (met > noise.detours)
    prediction.outside_range.push_back(
        fmt::format("noise: the ranks meet {:.3g} detours in a step, {} were seen in all: the "
                    "longest are their tail's",
                    met, noise.detours));
  const auto known = std::find_if(prediction.terms.begin(), prediction.terms.end(),
                                  [](const Term& term) { return term.name == "wait"; });
  if (known == prediction.terms.end()) {
    prediction.terms.push_back(wait);
  } else {
    known->seconds += wait.seconds;
    known->low += wait.low;
    known->high += wait.high;
  }
  prediction.total_s += wait.seconds;
  prediction.low_s += wait.low;
  prediction.high_s += wait.high;
}

}  // namespace bellwether
