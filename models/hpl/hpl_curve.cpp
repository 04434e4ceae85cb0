// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "models/errors.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_refined.hpp"
#include "models/hpl/hpl_schedule.hpp"
#include "models/scaling/scaling_curve.hpp"

namespace bellwether {
namespace {

constexpr double longest_s = std::numeric_limits<double>::infinity();

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
  double least = longest_s;
  for (const ProcessGrid& grid : grids(study, ranks)) {
    const HplPaths paths = hpl_paths(machine, grid, ranks_per_node, Bound::value);
    for (const int block : fitting_blocks(study))
      for (const std::string& bcast : study.bcasts) {
        const HplProblem problem = study.problem(block, grid, bcast);
        const double total = factor_hpl(costs, paths, problem, overlap, least).total_s;
        if (total < least) {
          least = total;
          best = problem;
        }
        if (grid.columns == 1) break;  // nobody to send panels to
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
  double least = longest_s;
  for (const int block : fitting_blocks(study)) {
    const HplProblem problem = study.problem(block, grid, study.bcasts.front());
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

class HplCurve final : public CurveModel {
 public:
  HplCurve(const Machine& machine, const HplStudy& study)
      : machine_(machine), study_(study), fills_memory_(study.size == 0) {}

  /// Both forms get the layout of the refined one, if that is asked.
  bool divide(int ranks, bool overlap, const std::string& /*form*/) override {
    if (ranks == ranks_ && overlap == overlap_) return true;
    if (study_.grid && study_.grid->rows * static_cast<long>(study_.grid->columns) != ranks)
      throw BadInput(fmt::format("--grid {}: found {} ranks, expected {}", study_.grid->name(),
                                 study_.grid->rows * static_cast<long>(study_.grid->columns),
                                 ranks));
    if (fills_memory_) study_.size = size_that_fills(rank_bytes(), ranks);
    const std::vector<std::string>& forms = study_.request.forms;
    const bool refined = std::find(forms.begin(), forms.end(), "refined") != forms.end();
    problem_ = refined ? fastest_refined(machine_, study_, ranks, overlap)
                       : fastest_paper(machine_, study_, ranks);
    if (fills_memory_) problem_.size = whole_blocks(problem_.size, problem_.block);
    ranks_ = ranks;
    overlap_ = overlap;
    return true;
  }
  [[nodiscard]] std::string layout() const override {
    return fmt::format("{}{}, NB {}{}", fills_memory_ ? fmt::format("N {}, ", problem_.size) : "",
                       problem_.grid.name(), problem_.block,
                       study_.bcasts.size() > 1 ? ", " + problem_.bcast : "");
  }
  [[nodiscard]] nlohmann::json choice() const override {
    nlohmann::json chosen = {{"grid", {problem_.grid.rows, problem_.grid.columns}},
                             {"block", problem_.block}};
    if (fills_memory_) chosen["size"] = problem_.size;
    if (study_.bcasts.size() > 1) chosen["bcast"] = problem_.bcast;
    return chosen;
  }
  [[nodiscard]] double units() const override {
    return fills_memory_ ? hpl_flops(static_cast<double>(problem_.size)) : 0;
  }
  [[nodiscard]] double bytes_per_rank() const override { return hpl_bytes(problem_); }
  [[nodiscard]] Prediction predict(const std::string& form) const override {
    const int ranks_per_node = study_.request.ranks_per_node;
    return form == "refined" ? predict_hpl_refined(machine_, problem_, ranks_per_node, overlap_)
                             : predict_hpl_paper(machine_, problem_, ranks_per_node);
  }

 private:
  [[nodiscard]] double rank_bytes() const {
    if (machine_.device.memory_bytes > 0) return machine_.device.memory_bytes;
    throw BadInput(
        fmt::format("--size auto: machine {}: found no device.memory_bytes, expected the memory of "
                    "a rank, or another --size",
                    machine_.name));
  }

  const Machine& machine_;
  HplStudy study_;
  bool fills_memory_;
  HplProblem problem_;
  int ranks_ = 0;  ///< that the problem is divided among
  bool overlap_ = false;
};

}  // namespace

std::vector<ScalingPoint> hpl_curve(const Machine& machine, const HplStudy& study) {
  return scaling_curve(machine, study.request,
                       [&] { return std::make_unique<HplCurve>(machine, study); });
}

}  // namespace bellwether
