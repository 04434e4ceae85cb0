// SPDX-License-Identifier: MIT
#include "models/noise/drawn_delays.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/noise/noise_delay.hpp"
#include "models/noise/noise_wait.hpp"

namespace bellwether {
namespace {

/// Of one rank's piece; beyond it fewer and longer ones of equal mean and variance.
constexpr double most_detours = 64;
constexpr std::size_t pieces_kept = 4;  // of each node

/// Seconds that detours take of a second of work.
double delay_per_second(const NoiseParameters& noise, Bound bound) {
  constexpr double little_s = 1e-6;
  return NoiseDelay(noise, little_s, bound).mean() / little_s;
}

}  // namespace

DrawnDelays::DrawnDelays(NoiseParameters noise, int ranks_per_node, unsigned draw)
    : noise_(std::move(noise)), random_(20101113 + draw) {
  const double per_s = noise_.detours_per_s.value;
  const double shared = ranks_per_node > 1 ? noise_.shared_fraction.value : 0;
  own_per_s_ = (1 - shared) * per_s;
  shared_per_s_ = shared * per_s;
  if (per_s > 0) mean_length_s_ = delay_per_second(noise_, Bound::value) / per_s;
}

double DrawnDelays::uniform() {
  ++drawn_;
  return static_cast<double>(random_() >> 11) * 0x1p-53;  // of 53 bits, the same everywhere
}

double DrawnDelays::length() {
  const double share = uniform();
  const auto& lengths = noise_.lengths;
  if (lengths.empty()) return 0;
  const auto [last, longest_s] = lengths.back();
  if (share >= last) {
    if (!noise_.tail) return longest_s;
    const double left = (1 - share) / (1 - last);
    const double scale = noise_.tail->scale_s.value, shape = noise_.tail->shape.value;
    return longest_s +
           (shape > 0 ? scale / shape * (std::pow(left, -shape) - 1) : -scale * std::log(left));
  }
  const auto above =
      std::upper_bound(lengths.begin(), lengths.end(), share,
                       [](double value, const DetourLength& one) { return value < one.fraction; });
  const auto& below = *std::prev(above);
  return below.seconds + (share - below.fraction) / (above->fraction - below.fraction) *
                             (above->seconds - below.seconds);
}

DrawnDelays::Sums DrawnDelays::sums(int members, double detours_each) {
  Sums sums;
  if (!(detours_each > 0)) return sums;
  const double longer = std::sqrt(std::max(1., detours_each / most_detours));
  const double all = detours_each / (longer * longer) * members;
  sums.latest_s = (1 - 1 / longer) * detours_each * mean_length_s_;
  sums.all_s = members * sums.latest_s;
  // Poisson many in steps of a mean that exp() can hold.
  long count = 0;
  for (double left = all; left > 0; left -= most_detours) {
    const double none = std::exp(-std::min(left, most_detours));
    double product = uniform();
    for (; product > none; product *= uniform()) ++count;
  }
  if (count == 0) return sums;
  members_.assign(static_cast<std::size_t>(members), 0);
  for (; count > 0; --count) {
    const double seconds = longer * length();
    const auto member = static_cast<std::size_t>(members == 1 ? 0 : uniform() * members);
    members_[member] += seconds;
    sums.all_s += seconds;
  }
  sums.latest_s += *std::max_element(members_.begin(), members_.end());
  return sums;
}

Delay DrawnDelays::next(const WorkGroup& group, std::uint64_t piece, double work_s) {
  const Sums own = sums(group.ranks, own_per_s_ * work_s);
  Delay delay{own.latest_s, own.all_s / group.ranks, own.all_s};
  if (!(shared_per_s_ > 0)) return delay;
  const std::size_t place = pieces_kept * group.node + piece % pieces_kept;
  if (of_nodes_.size() <= place) of_nodes_.resize(place + 1);
  Shared& shared = of_nodes_[place];
  if (shared.piece != piece) shared = {piece, sums(group.nodes, shared_per_s_ * work_s)};
  delay.latest_s += shared.sums.latest_s;
  delay.mean_s += shared.sums.all_s / group.nodes;
  delay.sum_s += shared.sums.all_s;
  return delay;
}

void add_drawn_wait(const Machine& machine, int ranks, int ranks_per_node,
                    const std::function<DelayedRun(DrawnDelays& delays)>& run,
                    Prediction& prediction) {
  constexpr int fewest_draws = 4, most_draws = 64;
  constexpr double numbers = 1 << 17, of_90_percent = 1.645;
  const auto* const noise = section<NoiseParameters>(machine);
  if (noise == nullptr || ranks < 2 || !(noise->detours_per_s.value > 0) || noise->lengths.empty())
    return;
  double sum = 0, squares = 0;
  int draws = 0;
  for (int wanted = 1; draws < wanted; ++draws) {
    DrawnDelays delays(*noise, ranks_per_node, static_cast<unsigned>(draws));
    const DelayedRun one = run(delays);
    const double wait_s = one.total_s - prediction.total_s - one.own_s;
    sum += wait_s;
    squares += wait_s * wait_s;
    if (draws == 0)
      wanted = static_cast<int>(
          std::clamp(numbers / (1 + delays.drawn()), 1. * fewest_draws, 1. * most_draws));
  }
  const double mean = sum / draws;
  const double deviation =
      std::sqrt(std::max(0., squares / draws - mean * mean) * draws / (draws - 1));
  const double usual = delay_per_second(*noise, Bound::value);
  const auto at = [&](Bound bound, double seconds) {
    return std::max(0., seconds) * delay_per_second(*noise, bound) / usual;
  };
  Term wait{"wait", std::max(0., mean), 0, 0};
  wait.low = std::min(wait.seconds, at(Bound::fastest, mean - of_90_percent * deviation));
  wait.high = std::max(wait.seconds, at(Bound::slowest, mean + of_90_percent * deviation));
  add_wait(wait, *noise, ranks, ranks_per_node, prediction);
}

}  // namespace bellwether
