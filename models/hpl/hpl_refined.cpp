// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_refined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/network/link.hpp"
#include "models/network/paths.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {
namespace {

constexpr double value_size = sizeof(double);

class Factorization {
 public:
  Factorization(const HplCosts& costs, const HplPaths& paths, const HplProblem& problem)
      : costs_(costs), paths_(paths), problem_(problem), levels_(tree_stages(problem.grid.rows)) {
    whole_pivot_ = pivot(problem.block);
  }

  /// Columns of the panel that starts at `column`.
  [[nodiscard]] long width(long column) const {
    return std::min<long>(problem_.block, problem_.size - column);
  }

  /// Factorization and broadcast of the panel at `column`.
  void add_panel(long column, HplPanelTimes& times) const {
    const auto w = static_cast<double>(width(column));
    const double m = rows_of(problem_.size - column);
    times.panel = costs_.panel(m, w);
    times.pivot = width(column) == problem_.block ? whole_pivot_ : pivot(w);
    if (costs_.panel_on_host) {
      times.to_host = costs_.to_host.seconds(1, value_size * m * w);
      times.to_device = costs_.to_device.seconds(1, value_size * m * w);
    }
    times.broadcast = paths_.row.seconds(1, value_size * m * w);
  }

  /// Update by the panel at `column` of the busiest rank's columns beyond it, at most `most`.
  void add_update(long column, long most, HplPanelTimes& times) const {
    const auto w = static_cast<double>(width(column));
    const long beyond = problem_.size - column - width(column);
    if (beyond <= 0) return;
    const double m = rows_of(beyond);
    const auto n = static_cast<double>(
        std::min(most, busiest_local_length(beyond, problem_.block, problem_.grid.columns)));
    const double rows = problem_.grid.rows;
    times.swap = costs_.swap(w, n);
    times.swap_network =
        paths_.column.seconds(levels_ + rows - 1, 3 * (rows - 1) / rows * value_size * w * n);
    times.trsm = costs_.trsm(w, n);
    times.gemm = costs_.gemm(m, n, w);
  }

 private:
  [[nodiscard]] double rows_of(long length) const {
    return static_cast<double>(busiest_local_length(length, problem_.block, problem_.grid.rows));
  }
  /// A pivot for each of w columns: an exchange of the best rows over a binary tree.
  [[nodiscard]] double pivot(double w) const {
    return paths_.column.seconds(w * levels_, w * levels_ * value_size * (2 * w + 4));
  }

  const HplCosts& costs_;
  const HplPaths& paths_;
  const HplProblem& problem_;
  int levels_;
  double whole_pivot_ = 0;
};

/// Adds times, those of panel and broadcast by the part that is exposed: the computation's and the
/// others' may differ.
void add(HplPanelTimes& sum, const HplPanelTimes& one, double panel_exposed, double exposed) {
  sum.panel += panel_exposed * one.panel;
  sum.pivot += exposed * one.pivot;
  sum.to_host += exposed * one.to_host;
  sum.to_device += exposed * one.to_device;
  sum.broadcast += exposed * one.broadcast;
  sum.swap += one.swap;
  sum.swap_network += one.swap_network;
  sum.trsm += one.trsm;
  sum.gemm += one.gemm;
}

void add_solve(const HplCosts& costs, const HplPaths& paths, const HplProblem& problem,
               HplFactorization& result) {
  const double size = static_cast<double>(problem.size);
  result.solve = value_size * size * size / 2 / problem.ranks() / costs.memory_bytes_per_s;
  const double messages = static_cast<double>(problem.panels());
  result.solve_network = paths.row.seconds(messages, value_size * size) +
                         paths.column.seconds(messages, value_size * size);
}

}  // namespace

HplFactorization factor_hpl(const HplCosts& costs, const HplPaths& paths, const HplProblem& problem,
                            bool look_ahead, double give_up_s) {
  const Factorization one(costs, paths, problem);
  HplFactorization result;
  add_solve(costs, paths, problem, result);
  result.total_s = result.solve + result.solve_network;
  // Where the update's own device factors panels, each process column spends one panel in Q.
  const double own = costs.panel_on_host ? 0 : 1. / problem.grid.columns;
  HplPanelTimes next;
  one.add_panel(0, next);
  add(result.exposed, next, 1, 1);
  result.total_s += next.ahead();
  result.communication_s = next.ahead() - next.panel;
  for (long column = 0; column < problem.size; column += problem.block) {
    HplPanelTimes step;
    one.add_update(column, problem.size, step);
    const double update = step.update();
    const long following = column + one.width(column);
    double exposed = 1, panel_exposed = 1;
    if (following < problem.size) {
      one.add_panel(following, step);
      if (look_ahead) {
        HplPanelTimes first;
        one.add_update(column, one.width(following), first);
        const double busy = update + own * step.panel;
        const double late = std::max(0., first.update() + step.ahead() - busy);
        const double hideable = step.ahead() - own * step.panel;
        exposed = hideable > 0 ? std::min(1., late / hideable) : 0;
        panel_exposed = own + (1 - own) * exposed;
      }
    }
    const double sent = step.ahead() - step.panel;
    add(result.exposed, step, panel_exposed, exposed);
    result.communication_s += sent;
    result.hidden_communication_s += (1 - exposed) * sent;
    result.total_s += update + panel_exposed * step.panel + exposed * sent;
    if (result.total_s > give_up_s) {
      result.total_s = std::numeric_limits<double>::infinity();
      return result;
    }
  }
  return result;
}

namespace {

void note_messages(const HplPaths& paths, const HplProblem& problem,
                   std::vector<std::string>& notes) {
  const double column_bytes = value_size * problem.block;
  const auto longest = [&problem](int processes) {
    return static_cast<double>(busiest_local_length(problem.size, problem.block, processes));
  };
  const double rows = longest(problem.grid.rows) * column_bytes;
  const double columns = longest(problem.grid.columns) * column_bytes / problem.grid.rows;
  const auto note = [&notes](const HplPath& path, double bytes, const char* what) {
    if (path.timing != nullptr && beyond_samples(*path.timing, bytes))
      notes.push_back(fmt::format("{} of {:.3g} MB, links calibrated up to {:.3g} MB", what,
                                  bytes / 1e6, path.timing->samples.back().bytes / 1e6));
  };
  note(paths.row, rows, "panels");
  note(paths.column, columns, "row swaps");
}

}  // namespace

Prediction predict_hpl_refined(const Machine& machine, const HplProblem& problem,
                               int ranks_per_node, bool overlap) {
  return predict_with_bounds("refined", [&](Bound bound) {
    RankStep step;
    note_idle_ranks(problem, step.notes);
    const HplCosts costs = hpl_costs(machine, ranks_per_node, bound, step.notes);
    const HplPaths paths = hpl_paths(machine, problem.grid, ranks_per_node, bound);
    note_messages(paths, problem, step.notes);
    const HplFactorization result = factor_hpl(costs, paths, problem, overlap);
    const HplPanelTimes& exposed = result.exposed;
    const auto term = [&step](const char* name, double seconds) {
      if (seconds > 0) step.terms.add(name, seconds);
    };
    step.terms.add("compute.panel", exposed.panel);
    term("compute.trsm", exposed.trsm);
    term("compute.gemm", exposed.gemm);
    term("compute.solve", result.solve);
    term("swap", exposed.swap);
    term("copy.to_host", exposed.to_host);
    term("copy.to_device", exposed.to_device);
    term("network.pivot", exposed.pivot);
    term("network.broadcast", exposed.broadcast);
    term("network.swap", exposed.swap_network);
    term("network.solve", result.solve_network);
    step.communication_s = result.communication_s;
    step.hiding_s = exposed.swap + exposed.trsm + exposed.gemm;
    if (result.communication_s > 0)
      step.hidden_fraction = result.hidden_communication_s / result.communication_s;
    return step;
  });
}

}  // namespace bellwether
