// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "models/errors.hpp"
#include "models/hpl/hpl_floor.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_parameters.hpp"
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

/// The fastest NB, grid and broadcast of rank count after rank count: of all choices that with the
/// least lower bound (HplFloor) first, until what is left cannot be faster than the best so far.
class RefinedSearch {
 public:
  /// The machine must outlive it.
  RefinedSearch(const Machine& machine, const HplStudy& study)
      : machine_(machine),
        study_(study),
        blocks_(blocks_to_try(machine, study)),
        one_row_(machine, study, blocks_, {1, 1}),
        more_rows_(machine, study, blocks_, {2, 1}) {}
  RefinedSearch(const RefinedSearch&) = delete;
  RefinedSearch& operator=(const RefinedSearch&) = delete;

  [[nodiscard]] long size() const { return study_.size; }
  [[nodiscard]] HplProblem fastest(int ranks, bool overlap) const;

 private:
  /// Of grids that have their panels factored alike.
  struct OfPanels {
    OfPanels(const Machine& machine, const HplStudy& study, const std::vector<int>& blocks,
             const ProcessGrid& grid)
        : panel(predicted_panel(machine, study.how.panel, grid)),
          costs(hpl_costs(machine, study.request.ranks_per_node, Bound::value, notes, panel)) {
      floors.reserve(blocks.size());
      for (const int block : blocks) floors.emplace_back(costs, study.size, block);
    }
    std::vector<std::string> notes;
    std::string panel;
    HplCosts costs;
    std::vector<HplFloor> floors;  ///< by block
  };
  [[nodiscard]] const OfPanels& of(const ProcessGrid& grid) const {
    return grid.rows == 1 ? one_row_ : more_rows_;
  }
  [[nodiscard]] double floor(std::size_t block, const HplSteps& steps, bool overlap,
                             bool closely) const {
    return of(steps.problem().grid)
        .floors[block]
        .seconds(steps, overlap, closely, is_sampled(steps.problem()));
  }

  const Machine& machine_;
  HplStudy study_;
  std::vector<int> blocks_;
  OfPanels one_row_, more_rows_;
};

HplProblem RefinedSearch::fastest(int ranks, bool overlap) const {
  struct Choice {
    double floor_s;
    std::size_t block;
    std::size_t place;  ///< among equals the first is taken
    bool closely;
    bool operator<(const Choice& other) const {  // for a heap of the least
      return floor_s != other.floor_s ? floor_s > other.floor_s : place > other.place;
    }
  };
  const std::vector<ProcessGrid> all = grids(study_, ranks);
  std::vector<HplPaths> paths;
  paths.reserve(all.size());
  std::vector<HplSteps> steps;  // of a grid, a block and a broadcast
  steps.reserve(all.size() * blocks_.size() * study_.bcasts.size());
  std::vector<Choice> choices;
  choices.reserve(steps.capacity());
  for (const ProcessGrid& grid : all) {
    paths.push_back(hpl_paths(machine_, grid, study_.request.ranks_per_node, Bound::value));
    for (std::size_t block = 0; block < blocks_.size(); ++block)
      for (const std::string& bcast : study_.bcasts) {
        HplProblem problem = study_.problem(blocks_[block], grid, bcast);
        problem.panel = of(grid).panel;
        steps.emplace_back(of(grid).costs, paths.back(), problem);
        const double floor_s = floor(block, steps.back(), overlap, false);
        choices.push_back({floor_s, block, choices.size(), false});
        if (grid.columns == 1) break;  // nobody to send panels to
      }
  }
  std::make_heap(choices.begin(), choices.end());
  constexpr double rounding = 1e-9;
  double least = longest_s;
  std::size_t place = 0;
  while (!choices.empty() && choices.front().floor_s * (1 - rounding) <= least) {
    std::pop_heap(choices.begin(), choices.end());
    Choice choice = choices.back();
    choices.pop_back();
    const HplSteps& of = steps[choice.place];
    if (!choice.closely) {
      choice.closely = true;
      choice.floor_s = std::max(choice.floor_s, floor(choice.block, of, overlap, true));
      choices.push_back(choice);
      std::push_heap(choices.begin(), choices.end());
      continue;
    }
    const double total = factor_hpl(of, overlap, least).total_s;
    if (total < least || (total == least && choice.place < place)) {
      least = total;
      place = choice.place;
    }
  }
  return steps[place].problem();
}

}  // namespace

const std::vector<int>& usual_blocks() {
  static const std::vector<int> blocks{32,  64,  96,  128, 160, 192, 224, 256,
                                       320, 384, 448, 512, 640, 768, 1024};
  return blocks;
}

HplProblem fastest_refined(const Machine& machine, const HplStudy& study, int ranks, bool overlap) {
  return RefinedSearch(machine, study).fastest(ranks, overlap);
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
  HplCurve(const Machine& machine, const HplStudy& study, const NoiseWait& noise)
      : machine_(machine), study_(study), noise_(noise), fills_memory_(study.size == 0) {}

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
    if (refined && (!search_ || search_->size() != study_.size)) search_.emplace(machine_, study_);
    problem_ = refined ? search_->fastest(ranks, overlap) : fastest_paper(machine_, study_, ranks);
    if (fills_memory_) problem_.size = whole_blocks(problem_.size, problem_.block);
    ranks_ = ranks;
    overlap_ = overlap;
    return true;
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
    if (form == "refined")
      return predict_hpl_refined(machine_, noise_, problem_, ranks_per_node, overlap_);
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
  const NoiseWait& noise_;
  bool fills_memory_;
  std::optional<RefinedSearch> search_;
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
  const NoiseWait noise(machine);
  return scaling_curve(machine, study.request,
                       [&] { return std::make_unique<HplCurve>(machine, study, noise); });
}

}  // namespace bellwether
