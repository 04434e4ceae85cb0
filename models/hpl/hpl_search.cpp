// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "models/errors.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_refined.hpp"
#include "models/scaling/in_parallel.hpp"

namespace bellwether {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Block sizes no larger than N; N itself if all are.
std::vector<int> fitting_blocks(const HplStudy& study) {
  std::vector<int> fitting;
  for (const int block : study.blocks)
    if (block <= study.size) fitting.push_back(block);
  if (fitting.empty()) fitting.push_back(static_cast<int>(study.size));
  return fitting;
}

/// Grids nearest to a square first: likely the best, so that the others can be given up early.
std::vector<ProcessGrid> grids(const HplStudy& study, int ranks) {
  if (study.grid) return {*study.grid};
  std::vector<ProcessGrid> all = process_grids(ranks);
  std::stable_sort(all.begin(), all.end(), [](const ProcessGrid& a, const ProcessGrid& b) {
    return a.rows + static_cast<long>(a.columns) < b.rows + static_cast<long>(b.columns);
  });
  return all;
}

}  // namespace

const std::vector<int>& usual_blocks() {
  static const std::vector<int> blocks{32,  64,  96,  128, 160, 192, 224, 256,
                                       320, 384, 448, 512, 640, 768, 1024};
  return blocks;
}

HplProblem fastest_refined(const Machine& machine, const HplStudy& study, int ranks, bool overlap) {
  const int ranks_per_node = study.request.ranks_per_node;
  std::vector<std::string> notes;
  const HplCosts costs = hpl_costs(machine, ranks_per_node, Bound::value, notes);
  HplProblem best;
  double least = infinite;
  for (const ProcessGrid& grid : grids(study, ranks)) {
    const HplPaths paths = hpl_paths(machine, grid, ranks_per_node, Bound::value);
    for (const int block : fitting_blocks(study)) {
      const HplProblem problem{study.size, block, grid};
      const double total = factor_hpl(costs, paths, problem, overlap, least).total_s;
      if (total < least) {
        least = total;
        best = problem;
      }
    }
  }
  return best;
}

HplProblem fastest_paper(const Machine& machine, const HplStudy& study, int ranks) {
  std::vector<std::string> notes;
  const HplCluster cluster =
      hpl_cluster(machine, ranks, study.request.ranks_per_node, Bound::value, notes);
  const ProcessGrid grid = study.grid ? *study.grid : nearest_square(ranks);
  HplProblem best;
  double least = infinite;
  for (const int block : fitting_blocks(study)) {
    const HplProblem problem{study.size, block, grid};
    const double total =
        simulate_hpl(cluster, {static_cast<double>(study.size), static_cast<double>(block)})
            .total_s();
    if (total < least) {
      least = total;
      best = problem;
    }
  }
  return best;
}

namespace {

std::vector<ScalingPoint> hpl_points(const Machine& machine, const HplStudy& study, int ranks) {
  const PredictionRequest& request = study.request;
  const bool refined =
      std::find(request.forms.begin(), request.forms.end(), "refined") != request.forms.end();
  std::vector<ScalingPoint> points;
  for (const bool overlap : request.overlap) {
    const HplProblem problem = refined ? fastest_refined(machine, study, ranks, overlap)
                                       : fastest_paper(machine, study, ranks);
    for (const std::string& form : request.forms)
      points.push_back(
          {ranks,
           overlap,
           form,
           form == "refined"
               ? predict_hpl_refined(machine, problem, request.ranks_per_node, overlap)
               : predict_hpl_paper(machine, problem, request.ranks_per_node),
           fmt::format("{}, NB {}", problem.grid.name(), problem.block),
           {{"grid", {problem.grid.rows, problem.grid.columns}}, {"block", problem.block}}});
  }
  return points;
}

}  // namespace

std::vector<ScalingPoint> hpl_curve(const Machine& machine, const HplStudy& study) {
  const std::vector<int>& counts = study.request.ranks;
  std::vector<std::vector<ScalingPoint>> by_count(counts.size());
  in_parallel(counts.size(), [&](std::size_t index) {
    const int ranks = counts[index];
    if (study.grid && study.grid->rows * static_cast<long>(study.grid->columns) != ranks)
      throw BadInput(fmt::format("--grid {}: found {} ranks, expected {}", study.grid->name(),
                                 study.grid->rows * static_cast<long>(study.grid->columns), ranks));
    by_count[index] = hpl_points(machine, study, ranks);
  });
  std::vector<ScalingPoint> points;
  for (std::vector<ScalingPoint>& some : by_count)
    std::move(some.begin(), some.end(), std::back_inserter(points));
  return points;
}

}  // namespace bellwether
