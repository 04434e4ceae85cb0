// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_model.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "models/network/routes.hpp"
#include "models/stencil/stencil_paper.hpp"
#include "models/stencil/stencil_refined.hpp"

namespace bellwether {
namespace {

/// A rank that is likely to be a slowest: of a largest extent, and with neighbours on both sides
/// where there are three ranks or more.
std::array<int, 3> likely_slowest(const Decomposition& decomposition) {
  std::array<int, 3> coordinates{};
  for (int direction = 0; direction < 3; ++direction) {
    const int parts = decomposition.ranks()[direction];
    const int larger = decomposition.cells()[direction] % parts;
    if (!decomposition.periodic() && parts > 2 && larger != 1) coordinates[direction] = 1;
  }
  return coordinates;
}

/// Seconds of the slowest rank, or of the first found that takes longer than `enough`.
double slowest_seconds(const StencilModel& model, const Decomposition& decomposition,
                       const RankPlacement& placement, double enough) {
  double slowest = 0;
  for (const RankKind& kind : rank_kinds(decomposition, placement)) {
    slowest = std::max(slowest, model.seconds(kind));
    if (slowest > enough) break;
  }
  return slowest;
}

/// Of kinds that stand for a rank each.
double mean_compute_seconds(const StencilModel& model, const std::vector<RankKind>& ranks,
                            Bound bound, double contention_s) {
  double all = 0;
  for (const RankKind& rank : ranks)
    all += model.step(rank, bound, contention_s).terms.compute_seconds();
  return all / static_cast<double>(ranks.size());
}

}  // namespace

double stencil_contention(const Machine& machine, const StencilKernel& kernel,
                          const Decomposition& decomposition, const RankPlacement& placement,
                          const StencilVariant& variant) {
  ExchangeRoutes routes(machine, placement, decomposition.size());
  if (!routes.counts()) return 0;
  for (int rank = 0; rank < decomposition.size(); ++rank)
    for (const StencilMessage& one : stencil_messages(kernel, decomposition, rank, variant))
      routes.add(rank, one.peer, one.bytes);
  return routes.contention().seconds();
}

Prediction predict_slowest(const StencilModel& model, const std::vector<RankKind>& kinds,
                           double contention_s, double mean_cells) {
  const RankKind* slowest = &kinds.front();
  double most = model.seconds(*slowest);
  for (const RankKind& kind : kinds) {
    const double seconds = model.seconds(kind);
    if (seconds <= most) continue;
    most = seconds;
    slowest = &kind;
  }
  return predict_with_bounds(model.form(), [&](Bound bound) {
    RankStep step = model.step(*slowest, bound, contention_s);
    const double compute_s = step.terms.compute_seconds();
    if (slowest->solid)
      step.imbalance_s +=
          std::max(0., compute_s - mean_compute_seconds(model, kinds, bound, contention_s));
    else
      step.add_imbalance(compute_s, slowest->volume(), mean_cells);
    return step;
  });
}

// One rank's time is never more than the slowest rank's. So candidates whose one rank takes longer
// than what is still near enough need not be looked at: exact, whatever the model's shape.
std::array<int, 3> fastest_of(const StencilModel& form, const StencilModel* other,
                              std::array<int, 3> cells, bool periodic,
                              const RankPlacement& placement,
                              const std::vector<std::array<int, 3>>& candidates) {
  constexpr double tied = 1.02;
  struct Candidate {
    double seconds;  // of one of its ranks; of the slowest once that is known
    std::size_t order;
    auto operator<=>(const Candidate&) const = default;
  };
  if (candidates.size() == 1) return candidates.front();
  const auto seconds_of = [&](const StencilModel& model, std::size_t order, double enough) {
    return slowest_seconds(model, Decomposition(cells, candidates[order], periodic), placement,
                           enough);
  };
  const double first = seconds_of(form, 0, std::numeric_limits<double>::infinity());
  double least = first;
  std::vector<Candidate> near = {{first, 0}};
  std::vector<Candidate> queue;
  queue.reserve(candidates.size());
  for (std::size_t order = 1; order < candidates.size(); ++order) {
    const Decomposition decomposition(cells, candidates[order], periodic);
    const RankKind one = rank_kind(decomposition, placement, likely_slowest(decomposition));
    queue.push_back({form.seconds(one), order});
  }
  std::make_heap(queue.begin(), queue.end(), std::greater<>());
  const auto enough = [&] { return std::min(tied * least, first); };
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    Candidate next = queue.back();
    queue.pop_back();
    if (next.seconds > enough()) break;
    next.seconds = seconds_of(form, next.order, enough());
    if (next.seconds > enough()) continue;
    least = std::min(least, next.seconds);
    near.push_back(next);
  }
  std::erase_if(near, [&](const Candidate& one) { return one.seconds > enough(); });
  if (other != nullptr && near.size() > 1) {
    double enough_in_other = std::numeric_limits<double>::infinity();
    for (Candidate& one : near) {
      one.seconds = seconds_of(*other, one.order, enough_in_other);
      enough_in_other = std::min(enough_in_other, one.seconds);
    }
  }
  return candidates[std::min_element(near.begin(), near.end())->order];
}

std::array<int, 3> fastest_decomposition(const Machine& machine, const StencilKernel& kernel,
                                         std::array<int, 3> cells, int ranks, bool periodic,
                                         const StencilVariant& variant,
                                         const RankPlacement& placement) {
  const std::vector<std::array<int, 3>> all = candidates(ranks, cells);
  if (all.empty()) return least_surface(ranks, cells);  // says why
  const int on_node = std::min(ranks, placement.ranks_per_node);
  const auto refined = refined_stencil_model(machine, kernel, variant, on_node);
  const auto paper = paper_stencil_model(machine, kernel, variant, on_node);
  return fastest_of(*refined, paper.get(), cells, periodic, placement, all);
}

}  // namespace bellwether
