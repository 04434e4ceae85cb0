// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "microbench/noise/noise.hpp"
#include "miniapps/comm/reduce.hpp"
#include "models/median.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

constexpr std::size_t around = 50;  // quanta on either side that a quantum is held against
constexpr double least_late_s = 1e-6;
constexpr double least_deviations = 5;
constexpr std::size_t most_lengths_in_all = 1'000'000;

std::vector<double> quanta_of(const QuantumRun& run) {
  std::vector<double> seconds;
  for (std::size_t index = 1; index < run.size(); ++index)
    seconds.push_back(run[index] - run[index - 1]);
  return seconds;
}

double sum_of(double value, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm);
  return value;
}

/// The share of all ranks' detours that meet their node's others, beyond those that would by
/// chance.
Quantity shared_fraction(const NoiseCases& cases, const std::vector<Detour>& own,
                         double observed_s) {
  int rank = 0;
  MPI_Comm_rank(cases.comm, &rank);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split(cases.comm, cases.node_of_rank[static_cast<std::size_t>(rank)], rank, &node);
  std::vector<double> begins_and_ends;
  for (const Detour& detour : own)
    begins_and_ends.insert(begins_and_ends.end(), {detour.begin_s, detour.end_s});
  std::vector<std::vector<Detour>> of_ranks;
  for (const std::vector<double>& one : gather_values(node, begins_and_ends)) {
    std::vector<Detour>& detours = of_ranks.emplace_back();
    for (std::size_t index = 0; index < one.size(); index += 2)
      detours.push_back({one[index], one[index + 1], 0});
  }
  int on_node = 0;
  MPI_Comm_rank(node, &on_node);
  MPI_Comm_free(&node);
  const SharedDetours counted =
      count_shared(of_ranks, static_cast<std::size_t>(on_node), observed_s);
  const double all = sum_of(counted.all, cases.comm);
  if (all <= 0) return Quantity::exact(0);
  const double seen = sum_of(counted.shared, cases.comm) / all;
  const double chance = sum_of(counted.by_chance, cases.comm) / all;
  const auto beyond_chance = [&](double share) {
    return chance < 1 ? std::clamp((share - chance) / (1 - chance), 0., 1.) : 0;
  };
  const double error = 1.96 * std::sqrt(seen * (1 - seen) / all);
  return {beyond_chance(seen), beyond_chance(seen - error), beyond_chance(seen + error), {}};
}

/// Of a rank's detours a second: of 95 %, by how the runs differ, at least by what a count has.
Quantity rate_of_runs(const std::vector<double>& counts, double observed_s, MPI_Comm comm) {
  double sum = 0, squares = 0;
  for (const double count : counts) {
    sum += count;
    squares += count * count;
  }
  sum = sum_of(sum, comm);
  squares = sum_of(squares, comm);
  const double runs = sum_of(static_cast<double>(counts.size()), comm);
  const double all_s = sum_of(observed_s, comm);
  // Of none seen in T the rate is below 3 / T (the rule of three).
  if (sum <= 0) return {0, 0, 3 / all_s, {}};
  const double variance = std::max(sum, squares - sum * sum / runs);
  const double error = 1.96 * std::sqrt(variance);
  return {sum / all_s, std::max(0., sum - error) / all_s, (sum + error) / all_s, {}};
}

}  // namespace

std::vector<Detour> find_detours(const QuantumRun& run) {
  const std::vector<double> seconds = quanta_of(run);
  std::vector<double> late, deviations;
  for (std::size_t index = 0; index < seconds.size(); ++index) {
    const std::size_t first = index > around ? index - around : 0;
    const std::size_t end = std::min(seconds.size(), index + around + 1);
    const double usual = median_of({seconds.begin() + static_cast<std::ptrdiff_t>(first),
                                    seconds.begin() + static_cast<std::ptrdiff_t>(end)});
    late.push_back(seconds[index] - usual);
    deviations.push_back(std::abs(late.back()));
  }
  std::vector<Detour> detours;
  if (late.empty()) return detours;
  const double least = std::max(least_late_s, least_deviations * median_of(deviations));
  for (std::size_t index = 0; index < late.size(); ++index)
    if (late[index] > least) detours.push_back({run[index], run[index + 1], late[index]});
  return detours;
}

SharedDetours count_shared(std::span<const std::vector<Detour>> of_ranks, std::size_t rank,
                           double observed_s) {
  double others = 0, others_s = 0;
  for (std::size_t other = 0; other < of_ranks.size(); ++other) {
    if (other == rank) continue;
    others += static_cast<double>(of_ranks[other].size());
    for (const Detour& one : of_ranks[other]) others_s += one.end_s - one.begin_s;
  }
  SharedDetours counted;
  for (const Detour& detour : of_ranks[rank]) {
    bool shared = false;
    for (std::size_t other = 0; other < of_ranks.size() && !shared; ++other) {
      if (other == rank) continue;
      const std::vector<Detour>& theirs = of_ranks[other];
      const auto next =
          std::upper_bound(theirs.begin(), theirs.end(), detour.begin_s,
                           [](double begin, const Detour& one) { return begin < one.end_s; });
      shared = next != theirs.end() && next->begin_s < detour.end_s;
    }
    counted.all += 1;
    counted.shared += shared ? 1 : 0;
    const double expected = (others * (detour.end_s - detour.begin_s) + others_s) / observed_s;
    counted.by_chance += 1 - std::exp(-expected);
  }
  return counted;
}

void noise_from_samples(const NoiseCases& cases, const SampleStore& /*store*/, Machine& machine) {
  if (cases.runs->empty()) return;
  NoiseParameters noise;
  std::vector<double> lengths, counts;
  std::vector<Detour> detours;
  double observed_s = 0;
  std::size_t quanta = 0;
  for (const QuantumRun& run : *cases.runs) {
    const std::vector<Detour> late = find_detours(run);
    detours.insert(detours.end(), late.begin(), late.end());
    counts.push_back(static_cast<double>(late.size()));
    observed_s += run.back() - run.front();
    quanta += run.size() - 1;
  }
  const std::size_t most =
      std::max<std::size_t>(64, most_lengths_in_all / cases.node_of_rank.size());
  const std::size_t stride = detours.size() / most + 1;
  for (std::size_t index = 0; index < detours.size(); index += stride)
    lengths.push_back(detours[index].late_s);
  std::vector<double> all;
  for (const std::vector<double>& one : gather_values(cases.comm, lengths))
    all.insert(all.end(), one.begin(), one.end());
  set_detour_lengths(std::move(all), noise);
  noise.detours_per_s = rate_of_runs(counts, observed_s, cases.comm);
  noise.shared_fraction = shared_fraction(cases, detours, observed_s);
  noise.source = fmt::format("{} quanta of {:.0f} us of register arithmetic on each rank at once",
                             quanta, observed_s / static_cast<double>(quanta) * 1e6);
  set_section(machine, std::move(noise));
}

}  // namespace bellwether
