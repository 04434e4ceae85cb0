// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_refined.hpp"

#include <fmt/format.h>

#include "models/hpl/hpl_parameters.hpp"
#include "models/hpl/hpl_schedule.hpp"
#include "models/network/link.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {
namespace {

using Notes = std::vector<std::string>;

void note_messages(const HplPaths& paths, const HplProblem& problem, bool through_window,
                   Notes& notes) {
  const double column_bytes = sizeof(double) * problem.block;
  const auto longest = [&problem](int processes) {
    return static_cast<double>(busiest_local_length(problem.size, problem.block, processes));
  };
  const auto note = [&notes](const HplPath& path, double bytes, const char* what) {
    if (path.timing != nullptr && beyond_samples(*path.timing, bytes))
      notes.push_back(fmt::format("{} of {:.3g} MB, links calibrated up to {:.3g} MB", what,
                                  bytes / 1e6, path.timing->samples.back().bytes / 1e6));
  };
  const double panel = longest(problem.grid.rows) * column_bytes;
  note(paths.row_between, panel, "panels");
  if (!through_window) note(paths.row_within, panel, "panels");
  note(paths.column, longest(problem.grid.columns) * column_bytes / problem.grid.rows, "row swaps");
}

void note_block(const Machine& machine, int block, Notes& notes) {
  const auto* const own = section<HplParameters>(machine);
  if (own == nullptr || !own->kernels || own->kernels->panel.empty()) return;
  const auto &narrowest = own->kernels->panel.front(), &widest = own->kernels->panel.back();
  if (block < narrowest.width || block > widest.width)
    notes.push_back(fmt::format("panels of {} columns, calibrated from {:g} to {:g}", block,
                                narrowest.width, widest.width));
}

}  // namespace

Prediction predict_hpl_refined(const Machine& machine, const HplProblem& problem,
                               int ranks_per_node, bool overlap) {
  const auto routes = hpl_paths(machine, problem.grid, ranks_per_node, Bound::value).routes;
  return predict_with_bounds("refined", [&](Bound bound) {
    RankStep step;
    note_idle_ranks(problem, step.notes);
    const HplCosts costs = hpl_costs(machine, ranks_per_node, bound, step.notes);
    const HplPaths paths = hpl_paths(machine, problem.grid, ranks_per_node, bound, routes);
    note_block(machine, problem.block, step.notes);
    note_messages(paths, problem, costs.broadcast_bytes_per_s > 0, step.notes);
    if (paths.row_within.timing != nullptr && costs.broadcast_bytes_per_s == 0)
      step.notes.emplace_back(
          "not calibrated: no hpl.kernels.broadcast_bandwidth_bytes_per_s; panels within a node as "
          "messages");
    const HplFactorization result = factor_hpl(costs, paths, problem, overlap);
    for (std::size_t term = 0; term < hpl_term_names.size(); ++term) {
      const double seconds = result.terms[static_cast<HplTerm>(term)];
      if (seconds > 1e-12 * result.total_s || static_cast<HplTerm>(term) == HplTerm::panel)
        step.terms.add(hpl_term_names[term], seconds);
    }
    step.communication_s = result.communication_s;
    for (const HplTerm term : {HplTerm::swap, HplTerm::trsm, HplTerm::gemm})
      step.hiding_s += result.terms[term];
    if (result.communication_s > 0)
      step.hidden_fraction = result.hidden_communication_s / result.communication_s;
    return step;
  });
}

}  // namespace bellwether
