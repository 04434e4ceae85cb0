// SPDX-License-Identifier: MIT
#include "models/amg/amg_curve.hpp"
#include "models/amg/amg_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/errors.hpp"
#include "models/scaling/scaling_curve.hpp"

namespace bellwether {
namespace {

/// A placement with the hierarchy it meets.
struct Candidate {
  AmgPlacement placement;
  const AmgHierarchy* hierarchy;
};

/// The hierarchies of one rank count by number of processes, which many mixes share.
class Candidates {
 public:
  Candidates(const AmgFamily& family, double unknowns) : family_(family), unknowns_(unknowns) {}
  Candidates(const Candidates&) = delete;  // all_ points into hierarchies_
  Candidates(Candidates&&) = default;

  void add(const AmgPlacement& placement) {
    auto found = hierarchies_.find(placement.processes);
    if (found == hierarchies_.end())
      found = hierarchies_.emplace(placement.processes, family_.at(unknowns_, placement.processes))
                  .first;
    all_.push_back({placement, &found->second});
  }

  [[nodiscard]] const Candidate& fastest(const Machine& machine, const AmgVariant& variant,
                                         const std::string& form, bool overlap) const {
    const auto seconds = [&](const Candidate& one) {
      return amg_step_seconds(machine, *one.hierarchy, one.placement, variant, form, overlap);
    };
    std::size_t best = 0;
    double least = all_.size() > 1 ? seconds(all_.front()) : 0;
    for (std::size_t index = 1; index < all_.size(); ++index)
      if (const double next = seconds(all_[index]); next < least) {
        best = index;
        least = next;
      }
    return all_[best];
  }

 private:
  const AmgFamily& family_;
  double unknowns_;
  std::map<int, AmgHierarchy> hierarchies_;
  std::vector<Candidate> all_;
};

Candidates candidates(const Machine& machine, const AmgFamily& family, const AmgStudy& study,
                      int threads, int threads_per_node) {
  Candidates all(family, study.unknowns);
  if (study.mix) {
    all.add(place_amg(*study.mix, threads, 0));
    return all;
  }
  const int nodes = (threads + threads_per_node - 1) / threads_per_node;
  for (const AmgMix& mix : amg_mixes(machine, std::min(threads, threads_per_node)))
    all.add(place_amg(mix, threads, nodes));
  return all;
}

std::string range_note(const AmgFamily& family) {
  double least = 0, most = 0;
  int fewest = 0, largest = 0;
  for (const AmgHierarchy& one : family.known()) {
    const double size = one.levels.front().unknowns / one.processes;
    least = least == 0 ? size : std::min(least, size);
    most = std::max(most, size);
    fewest = fewest == 0 ? one.processes : std::min(fewest, one.processes);
    largest = std::max(largest, one.processes);
  }
  return fmt::format(
      "hierarchy extrapolated beyond the known ones: {} to {} processes, {:.0f} to {:.0f} unknowns "
      "per process",
      fewest, largest, least, most);
}

class AmgCurve final : public CurveModel {
 public:
  AmgCurve(const Machine& machine, const AmgFamily& family, const AmgStudy& study,
           const PredictionRequest& request)
      : machine_(machine), family_(family), study_(study), request_(request) {}

  /// Both forms get the layout of the refined one, if that is asked.
  void divide(int threads, bool overlap, const std::string& /*form*/) override {
    if (best_ != nullptr && threads == threads_ && overlap == overlap_) return;
    if (!candidates_ || threads != threads_)
      candidates_.emplace(candidates(machine_, family_, study_, threads, request_.ranks_per_node));
    threads_ = threads;
    overlap_ = overlap;
    best_ = &candidates_->fastest(machine_, study_.variant, request_.forms.back(), overlap);
  }
  [[nodiscard]] std::string layout() const override {
    const auto plural = [](int number, const char* what) {
      return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
    };
    return plural(best_->placement.ranks_per_node, "rank") + " x " +
           plural(best_->placement.threads_per_rank, "thread");
  }
  [[nodiscard]] nlohmann::json choice() const override {
    return {{"nodes", best_->placement.nodes},
            {"mpi_ranks", best_->placement.processes},
            {"ranks_per_node", best_->placement.ranks_per_node},
            {"threads_per_rank", best_->placement.threads_per_rank},
            {"unknowns", best_->hierarchy->levels.front().unknowns},
            {"levels", best_->hierarchy->levels.size()}};
  }
  [[nodiscard]] double bytes_per_rank() const override {
    return amg_bytes(*best_->hierarchy) / threads_;
  }
  [[nodiscard]] Prediction predict(const std::string& form) const override {
    const AmgPlacement& at = best_->placement;
    Prediction prediction =
        predict_amg_run(machine_, *best_->hierarchy, at, study_.variant, form, overlap_);
    if (!family_.covers(best_->hierarchy->levels.front().unknowns, at.processes))
      prediction.outside_range.push_back(range_note(family_));
    if (const auto* measured = amg_published(machine_)) {
      const std::vector<int>& known = measured->ranks_per_node;
      if (at.processes >= at.ranks_per_node * at.nodes &&
          std::find(known.begin(), known.end(), at.ranks_per_node) == known.end()) {
        std::string runs;
        for (const int ranks : known) runs += (runs.empty() ? "" : ", ") + std::to_string(ranks);
        prediction.outside_range.push_back(
            fmt::format("{} ranks per node: the machine runs {}", at.ranks_per_node, runs));
      }
    }
    return prediction;
  }

 private:
  const Machine& machine_;
  const AmgFamily& family_;
  const AmgStudy& study_;
  const PredictionRequest& request_;
  std::optional<Candidates> candidates_;  ///< of so many threads
  int threads_ = 0;
  bool overlap_ = false;
  const Candidate* best_ = nullptr;
};

}  // namespace

std::vector<AmgMix> amg_mixes(const Machine& machine, int threads_per_node) {
  const auto* measured = amg_published(machine);
  if (!measured) {
    const auto* const kernels = amg_kernels(machine);
    const int threads = kernels != nullptr ? std::min(kernels->threads, threads_per_node) : 1;
    return {{threads_per_node / threads, threads}};
  }
  const int cores = machine.layout.cores_per_node;
  const int most_per_core = cores == 0 ? 1 : static_cast<int>(measured->core_sharing.size());
  std::vector<AmgMix> all;
  for (const int ranks : measured->ranks_per_node)
    for (const AmgThreads& known : measured->threads) {
      const long long threads = 1LL * ranks * known.threads;
      if (threads > threads_per_node) continue;
      if (cores > 0 && threads > cores && (threads % cores != 0 || threads / cores > most_per_core))
        continue;
      all.push_back({ranks, known.threads});
    }
  if (all.empty())
    throw BadInput(fmt::format(
        "machine {}: key /amg/ranks_per_node: found none for {} hardware threads per node",
        machine.name, threads_per_node));
  return all;
}

AmgPlacement place_amg(const AmgMix& mix, int threads, int nodes) {
  const int most = threads / mix.threads_per_rank;
  if (most < 1)
    throw BadInput(fmt::format("--ranks: found {}, expected at least {}, the threads of one rank",
                               threads, mix.threads_per_rank));
  if (nodes == 0) nodes = (most + mix.ranks_per_node - 1) / mix.ranks_per_node;
  const auto processes =
      static_cast<int>(std::min<long long>(most, 1LL * nodes * mix.ranks_per_node));
  return {nodes, processes, std::min(mix.ranks_per_node, processes), mix.threads_per_rank};
}

std::vector<ScalingPoint> amg_curve(const Machine& machine, const AmgFamily& family,
                                    const AmgStudy& study, const PredictionRequest& request) {
  return scaling_curve(machine, request,
                       [&] { return std::make_unique<AmgCurve>(machine, family, study, request); });
}

}  // namespace bellwether
