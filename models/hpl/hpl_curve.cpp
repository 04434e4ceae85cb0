// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "models/errors.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/hpl/hpl_program.hpp"
#include "models/hpl/hpl_refined.hpp"
#include "models/network/paths.hpp"
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

/// Where the choice is free, of those the ones whose panels the machine's own were calibrated for:
/// beyond them the fastest may be so by extrapolation alone.
std::vector<int> blocks_to_try(const Machine& machine, const HplStudy& study) {
  std::vector<int> fitting = fitting_blocks(study);
  const auto* const own = section<HplParameters>(machine);
  if (study.blocks != usual_blocks() || own == nullptr || !own->kernels ||
      own->kernels->panel.empty())
    return fitting;
  const auto &narrowest = own->kernels->panel.front(), &widest = own->kernels->panel.back();
  std::vector<int> calibrated;
  for (const int block : fitting)
    if (narrowest.width <= block && block <= widest.width) calibrated.push_back(block);
  return calibrated.empty() ? fitting : calibrated;
}

/// Grids nearest to a square first, which is taken among equals.
std::vector<ProcessGrid> grids(const HplStudy& study, int ranks) {
  if (study.grid) return {*study.grid};
  if (study.how.panel == "device") return {{1, ranks}};
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
  const std::size_t most_predicted = 8 * study.bcasts.size();  // which are often estimated alike
  const int ranks_per_node = study.request.ranks_per_node;
  const std::vector<int> blocks = blocks_to_try(machine, study);
  std::vector<std::string> notes;
  std::vector<HplSteps> choices;
  for (const ProcessGrid& grid : grids(study, ranks)) {
    const std::string panel = predicted_panel(machine, study.how.panel, grid);
    const HplPaths paths = hpl_paths(machine, grid, ranks_per_node, Bound::value);
    const int on_node = RankPlacement{ranks_per_node}.on_node(ranks);
    const HplCosts costs = hpl_costs(machine, on_node, Bound::value, notes, panel);
    for (const int block : blocks)
      for (const std::string& bcast : study.bcasts) {
        HplProblem problem = study.problem(block, grid, bcast);
        problem.panel = panel;
        choices.emplace_back(costs, paths, problem);
        if (grid.columns == 1) break;  // nobody to send panels to
      }
  }
  if (choices.size() == 1) return choices.front().problem();
  std::vector<std::pair<double, std::size_t>> ranked;  // estimates; among equals the first choice
  for (const HplSteps& choice : choices)
    ranked.emplace_back(estimated_hpl_s(choice, overlap), ranked.size());
  std::sort(ranked.begin(), ranked.end());
  const std::size_t most_of_grid = most_predicted / 2;
  std::map<int, std::size_t> of_grid;
  std::erase_if(ranked, [&](const auto& one) {
    return ++of_grid[choices[one.second].problem().grid.rows] > most_of_grid;
  });
  ranked.resize(std::min(ranked.size(), most_predicted));
  for (auto& [seconds, choice] : ranked)
    seconds = evaluate_hpl({choices[choice], overlap, ranks_per_node}, nullptr, most_hpl_parts / 2)
                  .total_s;
  return choices[std::min_element(ranked.begin(), ranked.end())->second].problem();
}

HplProblem fastest_paper(const Machine& machine, const HplStudy& study, int ranks) {
  std::vector<std::string> notes;
  const HplCluster cluster =
      hpl_cluster(machine, ranks, study.request.ranks_per_node, Bound::value, notes);
  const ProcessGrid grid = study.grid                    ? *study.grid
                           : study.how.panel == "device" ? ProcessGrid{1, ranks}
                                                         : nearest_square(ranks);
  HplProblem best;
  double least = longest_s;
  for (const int block : fitting_blocks(study)) {
    HplProblem problem = study.problem(block, grid, study.bcasts.front());
    problem.panel = predicted_panel(machine, study.how.panel, grid);
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

bool alike_on_paper(const HplProblem& one, const HplProblem& other) {
  return one.size == other.size && one.block == other.block && one.ranks() == other.ranks() &&
         !has_idle_ranks(one) && !has_idle_ranks(other);
}

class HplCurve final : public CurveModel {
 public:
  HplCurve(const Machine& machine, const HplStudy& study)
      : machine_(machine), study_(study), fills_memory_(study.size == 0) {}

  /// Both forms get the layout of the refined one, if that is asked.
  void divide(int ranks, bool overlap, const std::string& /*form*/) override {
    if (ranks == ranks_ && overlap == overlap_) return;
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
  }
  [[nodiscard]] std::string layout() const override {
    return fmt::format("{}{}, NB {}{}{}", fills_memory_ ? fmt::format("N {}, ", problem_.size) : "",
                       problem_.grid.name(), problem_.block,
                       study_.bcasts.size() > 1 ? ", " + problem_.bcast : "",
                       problem_.panel.empty() ? "" : ", panel " + problem_.panel);
  }
  [[nodiscard]] nlohmann::json choice() const override {
    nlohmann::json chosen = {{"grid", {problem_.grid.rows, problem_.grid.columns}},
                             {"block", problem_.block}};
    if (fills_memory_) chosen["size"] = problem_.size;
    if (study_.bcasts.size() > 1) chosen["bcast"] = problem_.bcast;
    if (!problem_.panel.empty()) chosen["panel"] = problem_.panel;
    return chosen;
  }
  [[nodiscard]] double units() const override {
    return fills_memory_ ? hpl_flops(static_cast<double>(problem_.size)) : 0;
  }
  [[nodiscard]] double bytes_per_rank() const override { return hpl_bytes(problem_); }
  [[nodiscard]] Prediction predict(const std::string& form) const override {
    const int ranks_per_node = study_.request.ranks_per_node;
    if (form == "refined") return predict_hpl_refined(machine_, problem_, ranks_per_node, overlap_);
    // It knows neither overlap nor grid, so that often both modes are one.
    if (!paper_ || !alike_on_paper(paper_->first, problem_))
      paper_.emplace(problem_, predict_hpl_paper(machine_, problem_, ranks_per_node));
    return paper_->second;
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
  mutable std::optional<std::pair<HplProblem, Prediction>> paper_;
  int ranks_ = 0;  ///< that the problem is divided among
  bool overlap_ = false;
};

/// Who is asked to factor panels must be able to.
void require_panels(const Machine& machine, const HplStudy& study) {
  if (study.how.panel != "device") return;
  if (machine.device.kind != "gpu")
    throw BadInput(
        fmt::format("--panel: found device, expected host: machine {} has no GPU to factor panels",
                    machine.name));
  if (study.grid && study.grid->rows > 1)
    throw BadInput(fmt::format(
        "--panel: found device on a grid of {} rows of processes, expected host there, or --grid "
        "1xQ",
        study.grid->rows));
}

}  // namespace

std::vector<ScalingPoint> hpl_curve(const Machine& machine, const HplStudy& study) {
  require_panels(machine, study);
  return scaling_curve(machine, study.request,
                       [&] { return std::make_unique<HplCurve>(machine, study); });
}

std::unique_ptr<Trace> hpl_trace(const Machine& machine, const HplStudy& study) {
  const ScalingPoint point = hpl_curve(machine, study).front();
  HplStudy sized = study;
  sized.size = point.choice.value("size", study.size);
  sized.how.panel = point.choice.value("panel", "");
  const ProcessGrid grid{point.choice.at("grid")[0], point.choice.at("grid")[1]};
  const HplProblem problem = sized.problem(point.choice.at("block"), grid,
                                           point.choice.value("bcast", study.bcasts.front()));
  const int ranks_per_node = study.request.ranks_per_node;
  const bool look_ahead = study.request.overlap.front();
  std::vector<std::string> notes, all;
  const int on_node = RankPlacement{ranks_per_node}.on_node(grid.rows * grid.columns);
  const HplCosts costs = hpl_costs(machine, on_node, Bound::value, notes, problem.panel);
  const HplPaths paths = hpl_paths(machine, grid, ranks_per_node, Bound::value);
  if (grid.columns > 2)
    all.emplace_back("who passes a panel on looks for it when the model expects it there");
  if (costs.panels_beside())
    all.emplace_back("panels are factored and copied between, not beside, the device's updates");
  if (costs.broadcast_bytes_per_s > 0 && paths.row_within.timing != nullptr)
    all.emplace_back("panels within a node are messages, not copies out of a window");
  return program_trace(
      point,
      std::make_unique<HplProgram>(HplSteps{costs, paths, problem}, look_ahead, ranks_per_node),
      all);
}

}  // namespace bellwether
