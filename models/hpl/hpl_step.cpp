// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "models/network/paths.hpp"

namespace bellwether {
namespace {

constexpr double double_bytes = sizeof(double);

}  // namespace

HplSteps::HplSteps(const HplCosts& costs, const HplPaths& paths, const HplProblem& problem)
    : costs_(costs),
      paths_(paths),
      problem_(problem),
      levels_(problem.grid.rows > 1 ? tree_stages(problem.grid.rows) : 0),
      swaps_in_memory_(problem.swap != "binary-exchange" && paths.column_within &&
                       !costs.panels_beside()),
      in_rounds_(problem.swap == "binary-exchange" ? std::numeric_limits<double>::infinity()
                 : problem.swap == "mix"           ? problem.swap_threshold
                                                   : -1) {
  whole_pivot_ = pivot(problem.block);
  strip_ = static_cast<double>(update_strip_columns(
      busiest_local_length(problem.size, problem.block, problem.grid.rows),
      busiest_local_length(problem.size + 1, problem.block, problem.grid.columns), problem.block,
      costs.panels_beside()));
}

long HplSteps::width(long panel) const {
  return std::min<long>(problem_.block, problem_.size - panel * problem_.block);
}

long HplSteps::rows_from(long length) const {
  return busiest_local_length(length, problem_.block, problem_.grid.rows);
}

long HplSteps::columns(long panel, int process_column) const {
  const int processes = problem_.grid.columns;
  const long before = panel * problem_.block + width(panel);
  return local_length(problem_.size + 1, problem_.block, processes, process_column) -
         local_length(before, problem_.block, processes, process_column);
}

double HplSteps::busiest_columns(long panel) const {
  const auto beyond =
      static_cast<double>(problem_.size + 1 - panel * problem_.block - width(panel));
  const double processes = problem_.grid.columns;
  // Of so many blocks it has its part rounded up, which is by (Q - 1) / 2 Q of one on the average.
  return std::min(beyond, (beyond + problem_.block * (processes - 1) / 2) / processes);
}

long HplSteps::next_columns(long panel) const {
  return panel + 1 < problem_.panels() ? width(panel + 1) : 0;
}

HplTerms HplSteps::factorization(long panel) const {
  const auto w = static_cast<double>(width(panel));
  // The diagonal block's rows stand on all processes of the column.
  const double m =
      w + static_cast<double>(rows_from(problem_.size - panel * problem_.block - width(panel)));
  HplTerms times;
  times[HplTerm::panel] = costs_.panel(m, w);
  times[HplTerm::pivot] = width(panel) == problem_.block ? whole_pivot_ : pivot(w);
  if (copies_panels())
    times[HplTerm::to_host] = costs_.to_host.seconds(
        1, costs_.panels_by == PanelsBy::host ? double_bytes * m * w : message_bytes(panel));
  return times;
}

bool HplSteps::copies_panels() const {
  return costs_.panels_by == PanelsBy::host ||
         (costs_.panels_by == PanelsBy::stream && problem_.grid.columns > 1);
}

double HplSteps::to_device(long panel) const {
  return copies_panels() ? costs_.to_device.seconds(1, message_bytes(panel)) : 0;
}

double HplSteps::message_bytes(long panel) const {
  const auto w = static_cast<double>(width(panel));
  const auto below =
      static_cast<double>(rows_from(problem_.size - panel * problem_.block - width(panel)));
  return message_bytes(w + below, w);
}

double HplSteps::message_bytes(double rows, double w) const {
  return double_bytes * w * (1 + (costs_.has_inverse() ? w : 0) + rows);
}

/// The diagonal block to all processes of the column, and for each column the exchange of the best
/// pivots, each with its row: on one node all look at all at once, else in rounds.
double HplSteps::pivot(double w) const {
  if (levels_ == 0) return 0;
  const double bytes = pivot_bytes(w);
  double choice = sends_pivots() ? levels_ * paths_.pivot.seconds(bytes) : *costs_.pivot_s;
  double block = levels_ * paths_.column.seconds(1, double_bytes * w * w);
  for (int level = 0; paths_.routes && level < levels_; ++level) {
    const HplAdded& added = paths_.routes->lone_column_exchange(level);
    if (sends_pivots()) choice += added.seconds(bytes);
    block += added.latency_s;
  }
  return block + w * choice;
}

bool HplSteps::sends_pivots() const {
  return levels_ > 0 && !(costs_.pivot_s && paths_.column_within);
}

double HplSteps::pivot_bytes(double w) const {
  constexpr double head = 4;
  return double_bytes * (w + head);
}

HplTerms HplSteps::swaps(long panel, double columns) const {
  HplTerms times;
  if (columns <= 0) return times;
  const auto w = static_cast<double>(width(panel));
  const auto height = static_cast<double>(problem_.size - panel * problem_.block);
  const double whole = std::floor(columns / strip_);
  if (whole > 0) times.add(row_swaps(w, height, strip_), whole);
  if (columns > whole * strip_) times.add(row_swaps(w, height, columns - whole * strip_));
  return times;
}

ColumnSwaps HplSteps::column_swaps(long panel, double columns) const {
  ColumnSwaps all;
  all.alone_s = swaps(panel, columns).total();
  all.end_s = all.alone_s;
  if (!paths_.routes) return all;
  for (const HplExchanges& some : swap_messages(panel, columns)) {
    const HplColumnAdded& added = added_to(some);
    const double bytes = some.bytes * (some.stride > 0 ? 1 : some.times);
    all.link_s += bytes * added.link_byte_s;
    all.link_s_of_another += bytes * added.link_byte_s_of_another;
  }
  return all;
}

HplTerms HplSteps::update(long panel, double columns) const {
  HplTerms times = swaps(panel, columns);
  if (columns <= 0) return times;
  const auto w = static_cast<double>(width(panel));
  const long beyond = problem_.size - panel * problem_.block - width(panel);
  // Now one process of the column has more rows and now another: each waits in its next exchange.
  const double mean = static_cast<double>(beyond) / problem_.grid.rows;
  times[HplTerm::gemm] = costs_.gemm(mean, columns, w);
  times[HplTerm::swap_network] +=
      costs_.gemm(static_cast<double>(rows_from(beyond)), columns, w) - times[HplTerm::gemm];
  return times;
}

/// In rounds each gets all rows of U, twice as many each time, and then the displaced ones of each
/// other; else the slices of its columns from each other, and U of these round the column.
template <class Visit>
void HplSteps::visit_exchanges(double w, double height, double columns, Visit visit) const {
  if (levels_ == 0 || swaps_in_memory_) return;
  const double rows = problem_.grid.rows, displaced = w * (1 - w / height);
  const int others = problem_.grid.rows - 1;
  if (swaps_in_rounds(columns)) {
    double bytes = double_bytes * w * columns / rows;
    for (int level = 0; level < levels_; ++level, bytes *= 2) visit({1, bytes, 1 << level, 0});
    visit({others, double_bytes * displaced * columns / rows / rows, 1, 1});
    return;
  }
  visit({others, double_bytes * (w + displaced) * columns / rows / rows, 1, 1});
  visit({others, double_bytes * w * columns / rows, 1, 0});
}

const HplColumnAdded& HplSteps::added_to(const HplExchanges& some) const {
  return some.stride > 0 ? paths_.routes->all_column_exchanges()
                         : paths_.routes->column_exchange(
                               std::bit_width(static_cast<unsigned>(some.distance)) - 1);
}

double HplSteps::seconds(const HplExchanges& some) const {
  const double lone = some.times * paths_.exchange.seconds(some.bytes);
  if (!paths_.routes) return lone;
  return std::max(0.,
                  lone + (some.stride > 0 ? 1 : some.times) * added_to(some).seconds(some.bytes));
}

std::vector<HplExchanges> HplSteps::swap_messages(long panel, double columns) const {
  std::vector<HplExchanges> all;
  if (columns <= 0) return all;
  const auto w = static_cast<double>(width(panel));
  const double height = static_cast<double>(problem_.size - panel * problem_.block);
  const auto add = [&all](const HplExchanges& some) { all.push_back(some); };
  for (double left = columns; left > 0; left -= strip_)
    visit_exchanges(w, height, std::min(left, strip_), add);
  return all;
}

double HplSteps::swap_link_s(long panel, double columns) const {
  if (paths_.column_within || columns <= 0) return 0;
  const auto w = static_cast<double>(width(panel));
  const auto height = static_cast<double>(problem_.size - panel * problem_.block);
  const double empty_s = paths_.exchange.seconds(0);
  double seconds = 0;
  const auto add_strip = [&](double strip, double times) {
    visit_exchanges(w, height, strip, [&](const HplExchanges& some) {
      seconds += times * some.times * std::max(0., paths_.exchange.seconds(some.bytes) - empty_s);
    });
  };
  const double whole = std::floor(columns / strip_);
  if (whole > 0) add_strip(strip_, whole);
  if (columns > whole * strip_) add_strip(columns - whole * strip_, 1);
  return seconds;
}

/// Interchanges and U = inv(L11) W. Of the w pivots those within the panel's first rows displace
/// none below; the owner of these rows sends or keeps the displaced ones, and another process
/// column's part of them is what each takes. Who has less to copy waits for who has more.
HplTerms HplSteps::row_swaps(double w, double height, double columns) const {
  HplTerms times;
  const double displaced = w * (1 - w / height);
  const double rows = problem_.grid.rows, others = rows - 1;
  if (levels_ == 0) {
    times[HplTerm::swap] = costs_.copy_rows((w + displaced) * columns);
    times[HplTerm::trsm] = costs_.triangle(w, columns);
    return times;
  }
  // The owner gathers the displaced rows while the others wait, and then waits while they put them.
  const double gathered = displaced, put = displaced / rows;
  const double own = (gathered + others * put) / rows;
  if (swaps_in_memory_) {
    // Its rows into the slices of all; U stands where all see it, and the owner alone copies it.
    times[HplTerm::swap] = costs_.copy_rows((w / rows + own + w / rows) * columns);
    times[HplTerm::trsm] = costs_.triangle(w, columns / rows);
    times[HplTerm::swap_network] =
        costs_.copy_rows((gathered + put - own + w - w / rows) * columns);
    return times;
  }
  times[HplTerm::swap_network] = costs_.copy_rows((gathered + put - own) * columns);
  visit_exchanges(w, height, columns,
                  [&](const HplExchanges& some) { times[HplTerm::swap_network] += seconds(some); });
  if (swaps_in_rounds(columns)) {
    times[HplTerm::swap] = costs_.copy_rows((w / rows + own + w) * columns);
    times[HplTerm::trsm] = costs_.triangle(w, columns);
    return times;
  }
  // Its rows out, those of its slice in, U of all slices into place.
  times[HplTerm::swap] =
      costs_.copy_rows((w / rows + own + others * w / rows / rows + w) * columns);
  times[HplTerm::trsm] = costs_.triangle(w, columns / rows);
  return times;
}

HplHop HplSteps::hop(double bytes, bool between_nodes) const {
  if (between_nodes)
    return {0, paths_.row_between.seconds(1, bytes), false, bytes > paths_.most_eager_bytes,
            costs_.panels_beside() ? 0 : paths_.own_time_between(bytes)};
  const double ready = paths_.row_within.seconds(1, 0);
  const double move = costs_.broadcast_bytes_per_s > 0
                          ? bytes / costs_.broadcast_bytes_per_s
                          : paths_.row_within.seconds(1, bytes) - ready;
  return {ready, move, !costs_.panels_beside()};
}

namespace {

const HplPath& along_row(const HplSteps& steps) {
  const HplPaths& paths = steps.paths();
  return paths.columns_on_node < steps.problem().grid.columns ? paths.row_between
                                                              : paths.row_within;
}

}  // namespace

double solve_messages(const HplSteps& steps, double w) {
  const ProcessGrid& grid = steps.problem().grid;
  double seconds = 0;
  const HplPaths& paths = steps.paths();
  const int row_stages = grid.columns > 1 ? tree_stages(grid.columns) : 0;
  const int column_stages = grid.rows > 1 ? tree_stages(grid.rows) : 0;
  seconds += row_stages * along_row(steps).seconds(1, sizeof(double) * w);
  seconds += column_stages * paths.column.seconds(1, sizeof(double) * w);
  if (!paths.routes) return seconds;
  for (int stage = 0; stage < row_stages; ++stage)
    seconds += paths.routes->row_exchange(stage).latency_s;
  for (int stage = 0; stage < column_stages; ++stage)
    seconds += paths.routes->lone_column_exchange(stage).latency_s;
  return seconds;
}

double gathering(const HplSteps& steps) {
  const int columns = steps.problem().grid.columns;
  if (columns == 1) return 0;
  const auto bytes = sizeof(double) * static_cast<double>(steps.problem().size);
  double seconds = tree_stages(columns) * along_row(steps).seconds(1, bytes);
  for (int stage = 0; steps.paths().routes && stage < tree_stages(columns); ++stage) {
    const HplAdded& added = steps.paths().routes->row_exchange(stage);
    seconds += std::max(0., bytes * added.byte_s) + added.latency_s;
  }
  return seconds;
}

HplEdge edge_between(const HplSteps& steps, int from, int to) {
  return steps.paths().routes ? steps.paths().routes->edge(from, to) : HplEdge{};
}

double move_s(const HplSteps& steps, double bytes, const HplEdge& edge) {
  const double alone = steps.hop(bytes, true).move_s, start = steps.hop(0, true).move_s;
  return start + edge.latency_s + edge.sharing * (alone - start);
}

void add_exposed(const HplTerms& made, double exposed_s, HplTerms& terms) {
  const double whole = made.total();
  const double shown = std::min(exposed_s, whole);
  if (whole > 0) terms.add(made, shown / whole);
  terms[HplTerm::wait] += exposed_s - shown;
}

}  // namespace bellwether
