// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_floor.hpp"

#include <algorithm>

namespace bellwether {
namespace {

constexpr long most_cells = 8;

}  // namespace

HplFloor::HplFloor(const HplCosts& costs, long size, int block)
    : costs_(costs),
      size_(size),
      block_(block),
      panels_((size + block - 1) / block),
      panel_(costs.panel_floor(block, static_cast<double>(size + block))) {
  const long groups = std::min(panels_, sampled_hpl_panels), count = std::min(groups, most_cells);
  cells_.resize(static_cast<std::size_t>(count));
  for (long group = 0; group < groups; ++group) {
    const HplSample sample = sampled_panel(panels_, group);
    add(sample.panel, sample.times, cells_[static_cast<std::size_t>(group * count / groups)]);
  }
  // Of j = 2 ... panels - 1 whole blocks less what the last one lacks.
  const auto b = static_cast<double>(block), n = static_cast<double>(panels_ - 1);
  const double lacks = static_cast<double>(panels_ * block - size);
  if (panels_ < 3) return;
  const double j = n * (n + 1) / 2 - 1, squares = n * (n + 1) * (2 * n + 1) / 6 - 1;
  whole_.panels = n - 1;
  whole_.length = b * j - lacks * (n - 1);
  whole_.length_squared = b * b * squares - 2 * b * lacks * j + lacks * lacks * (n - 1);
  whole_.least_length = 2 * b - lacks;
}

void HplFloor::add(long panel, double times, Cell& cell) const {
  if (panel >= panels_ - 2) return;
  const auto length = static_cast<double>(size_ - (panel + 1) * block_);
  cell.groups.push_back({panel, times});
  cell.panels += times;
  cell.length += times * length;
  cell.length_squared += times * length * length;
  cell.least_length = length;  // the last one's
}

HplFloor::Sums HplFloor::sums(const Cell& cell, const ProcessGrid& grid, bool closely) const {
  Sums sums;
  sums.panels = cell.panels;
  sums.length = cell.length;
  sums.least_length = cell.least_length;
  if (!closely) {
    sums.rows = cell.length / grid.rows;
    sums.rows_length = cell.length_squared / grid.rows;
    sums.first = (cell.length + cell.panels) / grid.columns;
    sums.rows_first = (sums.rows_length + sums.rows) / grid.columns;
    return sums;
  }
  const auto count = [&](long panel, double times) {
    const long length = size_ - (panel + 1) * block_;
    const auto rows = static_cast<double>(busiest_local_length(length, block_, grid.rows));
    const auto first = static_cast<double>(busiest_local_length(length + 1, block_, grid.columns));
    sums.rows += times * rows;
    sums.rows_length += times * rows * static_cast<double>(length);
    sums.first += times * first;
    sums.rows_first += times * rows * first;
  };
  if (&cell == &whole_)
    for (long panel = 0; panel < panels_ - 2; ++panel) count(panel, 1);
  else
    for (const Group& group : cell.groups) count(group.panel, group.times);
  return sums;
}

double HplFloor::update(const HplSteps& steps, double updates, double rows, double columns,
                        double rows_columns, double least_length, bool sampled) const {
  const double w = block_;
  // Of followed columns some have nothing left to update: of them all a mean's columns, no more.
  const double of_rows = sampled ? w * rows : 0;
  double gemm = 0;
  if (costs_.gemm_by_k.empty()) {
    gemm = 2 *
           (w * rows_columns + costs_.half_m * w * columns + costs_.half_n * of_rows +
            costs_.half_k * rows_columns) /
           costs_.gemm_flops_per_s;
    if (costs_.gemm_bytes_per_s > 0)
      gemm = std::max(gemm, sizeof(double) * (2 * rows_columns + of_rows + w * columns) /
                                costs_.gemm_bytes_per_s);
  } else {
    const HplCosts::Product rate = costs_.product(w);
    gemm = 2 * w * (rows_columns + rate.half_m * columns) / rate.flops_per_s +
           2 * rate.half_n * of_rows / rate.flops_per_s;
  }
  return gemm + steps.row_swaps_floor(least_length, columns, sampled ? updates : 0, updates);
}

double HplFloor::of_cell(const HplSteps& steps, const Sums& sums, bool look_ahead,
                         bool sampled) const {
  const ProcessGrid& grid = steps.problem().grid;
  const HplPaths& paths = steps.paths();
  const double w = block_, processes = grid.columns;
  // As HplSteps::busiest_columns has it, or of all process columns the mean.
  const double more = 1 + (sampled ? w * (processes - 1) / 2 : 0);
  const double columns = (sums.length + more * sums.panels) / processes;
  const double rows_columns = (sums.rows_length + more * sums.rows) / processes;
  const double heights = sums.rows;  // a panel is NB rows higher than what it leaves, or more
  const double made =
      panel_.of(sums.panels, sums.panels, heights) + sums.panels * steps.whole_pivot_s() +
      (steps.copies_panels() ? link_floor(*costs_.to_host.timing, costs_.to_host.bound)
                                   .of(sums.panels, sums.panels, sizeof(double) * w * heights)
                             : 0);
  double work =
      update(steps, sums.panels, sums.rows, columns, rows_columns, sums.least_length, sampled);
  if (!costs_.panels_beside()) work += made / processes;

  double way = made + (look_ahead ? update(steps, sums.panels, sums.rows, w * sums.panels,
                                           w * sums.rows, sums.least_length, true)
                                  : update(steps, sums.panels, sums.rows, sums.first,
                                           sums.rows_first, sums.least_length, true));
  const double bytes = sums.panels * steps.message_bytes(0., w) + sizeof(double) * w * sums.rows;
  const auto on = [&](const HplPath& path) {
    return path.timing == nullptr ? 0
                                  : link_floor(*path.timing, path.bound, path.sharing)
                                        .of(sums.panels, sums.panels, bytes);
  };
  if (steps.copies_panels()) way += on(costs_.to_device);
  if (processes > 1 && !paths.routes) {
    const double crossing = paths.columns_on_node == grid.columns ? 0 : 1. / paths.columns_on_node;
    if (crossing == 1 || (sampled && crossing > 0)) way += crossing * on(paths.row_between);
    if (crossing == 0 || sampled)
      way +=
          (1 - crossing) * (costs_.broadcast_bytes_per_s > 0 ? bytes / costs_.broadcast_bytes_per_s
                                                             : on(paths.row_within));
  }
  return std::max(work, way);
}

double HplFloor::seconds(const HplSteps& steps, bool look_ahead, bool closely, bool sampled) const {
  const HplProblem& problem = steps.problem();
  const double w = block_, n = static_cast<double>(size_), panels = static_cast<double>(panels_);
  const double messages = steps.paths().routes ? 0 : solve_messages(steps, w);
  double total = steps.factorization(0).total();
  if (sampled) {
    const double work = costs_.sweep(n * n / 2 / problem.ranks()) +
                        (problem.grid.columns == 1 ? panels * messages : 0);
    const double chain = panels * (costs_.sweep(1.5 * w * w) + messages);
    total += problem.grid.columns == 1 ? work : std::max(work, chain);
    for (const Cell& cell : cells_)
      if (cell.panels > 0)
        total += of_cell(steps, sums(cell, problem.grid, closely), look_ahead, true);
    return total;
  }
  total += (panels - 1) * (messages + costs_.sweep(w * w / 2));
  if (whole_.panels > 0)
    total += of_cell(steps, sums(whole_, problem.grid, closely), look_ahead, false);
  return total;
}

}  // namespace bellwether
