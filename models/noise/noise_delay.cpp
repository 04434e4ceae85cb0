// SPDX-License-Identifier: MIT
#include "models/noise/noise_delay.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace bellwether {
namespace {

constexpr double negligible = 1e-16;
constexpr double most_of_a_class = 100;  // detours, on average
constexpr int steps_to_shortest = 8;
constexpr double class_ratio = 4;

/// Detours that are taken to be of one length, and how many there are on average.
struct Atom {
  double seconds;
  double count;
};

/// From the tail's beginning, so large a share of it is longer.
double tail_survival(double scale_s, double shape, double excess_s) {
  return shape > 0 ? std::pow(1 + shape * excess_s / scale_s, -1 / shape)
                   : std::exp(-excess_s / scale_s);
}

/// The integral of tail_survival from there on.
double tail_beyond(double scale_s, double shape, double excess_s) {
  return (scale_s + shape * excess_s) / (1 - shape) * tail_survival(scale_s, shape, excess_s);
}

/// Of every detour: lengths at most a tenth apart, each the mean of those it stands for.
std::vector<Atom> atoms_of(const NoiseParameters& noise, double detours, Bound bound) {
  constexpr double apart = 0.08;
  std::vector<Atom> atoms;
  for (std::size_t index = 1; index < noise.lengths.size(); ++index) {
    const auto& [below, shortest] = noise.lengths[index - 1];
    const auto& [share, longest] = noise.lengths[index];
    for (double from = shortest; from < longest;) {
      double to = from * (1 + apart);
      if (to > longest * (1 - apart / 2)) to = longest;
      atoms.push_back(
          {(from + to) / 2, detours * (share - below) * (to - from) / (longest - shortest)});
      from = to;
    }
  }
  if (!noise.tail) return atoms;
  const auto& [last, begin_s] = noise.lengths.back();
  const double scale = cost_at(noise.tail->scale_s, bound),
               shape = cost_at(noise.tail->shape, bound);
  double from = 0, longer = 1;
  while (longer > negligible) {
    const double to = from + apart * std::max(scale, from + begin_s * (from > 0 ? 1 : 0));
    const double left = tail_survival(scale, shape, to);
    const double here = longer - left;
    const double sum =
        from * longer - to * left + tail_beyond(scale, shape, from) - tail_beyond(scale, shape, to);
    if (here > 0)
      atoms.push_back({begin_s + std::clamp(sum / here, from, to), detours * (1 - last) * here});
    from = to;
    longer = left;
  }
  return atoms;
}

int class_of(double seconds) {
  return static_cast<int>(std::floor(std::log(seconds) / std::log(class_ratio)));
}

/// Probabilities at the multiples of a step, of values whose mean stays.
void put(double value_in_steps, double probability, std::vector<double>& lattice) {
  const double below = std::floor(value_in_steps);
  const auto at = static_cast<std::size_t>(below);
  if (lattice.size() < at + 2) lattice.resize(at + 2);
  lattice[at] += probability * (1 - (value_in_steps - below));
  lattice[at + 1] += probability * (value_in_steps - below);
}

void trim(std::vector<double>& lattice) {
  double left = 0;
  while (lattice.size() > 1 && left + lattice.back() < negligible) {
    left += lattice.back();
    lattice.pop_back();
  }
}

/// Panjer's recursion for a sum of Poisson many, `count` on average, of lengths in steps.
std::vector<double> compound(const std::vector<double>& lengths, double count) {
  int most = 0;
  for (double probability = std::exp(-count); most <= count || probability > negligible;)
    probability *= count / ++most;
  std::vector<double> sums((static_cast<std::size_t>(most) + 1) * lengths.size());
  sums[0] = std::exp(-count);
  for (std::size_t sum = 1; sum < sums.size(); ++sum) {
    double total = 0;
    for (std::size_t length = steps_to_shortest; length < lengths.size() && length <= sum; ++length)
      total += static_cast<double>(length) * lengths[length] * sums[sum - length];
    sums[sum] = count / static_cast<double>(sum) * total;
  }
  trim(sums);
  return sums;
}

std::vector<double> convolved(const std::vector<double>& one, const std::vector<double>& other) {
  std::vector<double> sums(one.size() + other.size() - 1);
  for (std::size_t index = 0; index < one.size(); ++index) {
    if (one[index] == 0) continue;
    for (std::size_t more = 0; more < other.size(); ++more)
      sums[index + more] += one[index] * other[more];
  }
  trim(sums);
  return sums;
}

}  // namespace

NoiseDelay::NoiseDelay(const NoiseParameters& noise, double work_s, Bound bound) {
  if (noise.lengths.empty()) return;
  std::map<int, std::vector<Atom>> classes;
  for (const Atom& atom : atoms_of(noise, cost_at(noise.detours_per_s, bound) * work_s, bound)) {
    mean_ += atom.count * atom.seconds;
    if (atom.count > 0) classes[class_of(atom.seconds)].push_back(atom);
  }
  std::vector<double> below{1};  // the sum of all shorter classes
  double below_step = 0;
  for (auto& [order, atoms] : classes) {
    double count = 0;
    for (const Atom& atom : atoms) count += atom.count;
    if (count > most_of_a_class) {
      const double longer = std::sqrt(count / most_of_a_class);
      std::vector<Atom> stay;
      count = 0;
      for (const Atom& atom : atoms) {
        shift_s_ += atom.count * atom.seconds * (1 - 1 / longer);
        const Atom scaled{atom.seconds * longer, atom.count / (longer * longer)};
        const int now = class_of(scaled.seconds);
        if (now == order) {
          stay.push_back(scaled);
          count += scaled.count;
        } else {
          classes[now].push_back(scaled);
        }
      }
      atoms = std::move(stay);
    }
    if (atoms.empty()) continue;
    const double step = std::pow(class_ratio, order) / steps_to_shortest;
    std::vector<double> lengths, coarser;
    for (const Atom& atom : atoms) put(atom.seconds / step, atom.count / count, lengths);
    for (std::size_t index = 0; index < below.size(); ++index)
      put(static_cast<double>(index) * below_step / step, below[index], coarser);
    trim(coarser);
    const std::vector<double> sums = compound(lengths, count);
    below = convolved(coarser, sums);
    below_step = step;
    // Without those that the class is not met in.
    Lattice met{step, below, {}, 1};
    for (std::size_t index = 0; index < std::min(coarser.size(), met.at.size()); ++index)
      met.at[index] = std::max(0., met.at[index] - sums[0] * coarser[index]);
    met.from.assign(met.at.size() + 1, 0);
    for (std::size_t index = met.at.size(); index-- > 0;)
      met.from[index] = met.from[index + 1] + met.at[index];
    for (Lattice& part : parts_) part.weight *= sums[0];
    parts_.push_back(std::move(met));
  }
  if (parts_.empty()) return;
  constexpr double ratio = 1.04;
  double last = 0;
  for (const Lattice& part : parts_)
    last = std::max(last, part.step_s * static_cast<double>(part.at.size() + 1));
  points_.push_back(point(0));
  for (double seconds = parts_.front().step_s; seconds < last * ratio; seconds *= ratio)
    points_.push_back(point(seconds));
}

/// What is at a point is spread over a step around it.
double NoiseDelay::mixed_survival(double seconds) const {
  double all = 0;
  for (const Lattice& part : parts_) {
    const double place = seconds / part.step_s + 0.5;
    const double before = std::floor(place);
    const auto at = static_cast<std::size_t>(before);
    if (at < part.at.size()) all += part.weight * (part.from[at] - (place - before) * part.at[at]);
  }
  return std::min(all, 1.);
}

double NoiseDelay::survival(double seconds) const {
  return seconds < shift_s_ ? 1 : mixed_survival(seconds - shift_s_);
}

NoiseDelay::Point NoiseDelay::point(double seconds) const {
  const double later = mixed_survival(seconds);
  return {seconds, later, std::log1p(-later)};
}

double NoiseDelay::expected_maximum(double ranks, double slack_s) const {
  constexpr double surely = 40, hardly = 1e-12;
  const auto some_later = [&](const Point& point) {
    if (ranks == 1) return point.survival;
    const double none = ranks * point.log_at_most;
    return none > -1e-6 ? -none : none < -surely ? 1 : -std::expm1(none);
  };
  const double slack = std::max(0., slack_s - shift_s_);
  double sum = std::max(0., shift_s_ - slack_s);
  // Up to where somebody is later for sure there is nothing to integrate.
  auto next = std::partition_point(points_.begin(), points_.end(), [&](const Point& point) {
    return point.seconds <= slack || (ranks > 1 && ranks * point.log_at_most < -surely);
  });
  if (next == points_.begin()) return sum;
  const Point& before = *std::prev(next);
  double from_s = std::max(slack, before.seconds);
  sum += from_s - slack;
  double from = some_later(from_s > before.seconds ? point(from_s) : before);
  for (; next != points_.end(); ++next) {
    const double to = some_later(*next);
    sum += (next->seconds - from_s) * (from + to) / 2;
    if (to < hardly) break;
    from_s = next->seconds;
    from = to;
  }
  return sum;
}

double independent_ranks(double ranks, double ranks_per_node, double shared_fraction) {
  const double nodes = std::ceil(ranks / std::min(ranks, ranks_per_node));
  return nodes + (ranks - nodes) * (1 - shared_fraction);
}

}  // namespace bellwether
