// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "models/network/paths.hpp"

namespace bellwether {
namespace {

constexpr double double_bytes = sizeof(double);

}  // namespace

double HplWork::total() const { return std::accumulate(terms.begin(), terms.end(), 0.); }

PiecedWork HplWork::pieces() const {
  PiecedWork work{.seconds = total(), .exchanges = &exchanges};
  if (work.seconds <= 0) return work;
  for (std::size_t term = own_terms; term < terms.size(); ++term)
    work.shares[term] = terms[term] / work.seconds;
  work.computed = 1 - work.shares[HplTerm::pivot] - work.shares[HplTerm::swap_network];
  return work;
}

HplSteps::HplSteps(HplCosts costs, HplPaths paths, HplProblem problem)
    : costs_(std::move(costs)),
      paths_(std::move(paths)),
      problem_(std::move(problem)),
      levels_(problem_.grid.rows > 1 ? tree_stages(problem_.grid.rows) : 0),
      swaps_in_memory_(problem_.swap != "binary-exchange" && paths_.column_within &&
                       !costs_.panels_beside()),
      in_rounds_(problem_.swap == "binary-exchange" ? std::numeric_limits<double>::infinity()
                 : problem_.swap == "mix"           ? problem_.swap_threshold
                                                    : -1) {
  strip_ = static_cast<double>(update_strip_columns(
      busiest_local_length(problem_.size, problem_.block, problem_.grid.rows),
      busiest_local_length(problem_.size + 1, problem_.block, problem_.grid.columns),
      problem_.block, costs_.panels_beside()));
}

long HplSteps::width(long panel) const {
  return std::clamp<long>(problem_.size - panel * problem_.block, 0, problem_.block);
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

double HplSteps::rows(long panel) const {
  return static_cast<double>(width(panel) +
                             rows_from(problem_.size - panel * problem_.block - width(panel)));
}

HplWork HplSteps::factorization(long panel) const {
  const auto w = static_cast<double>(width(panel));
  HplWork made;
  made.terms[HplTerm::panel] = costs_.panel(rows(panel), w);
  made.terms[HplTerm::pivot] = pivots(w, made);
  return made;
}

double HplSteps::to_host(long panel) const {
  if (to_device(panel) <= 0) return 0;
  return costs_.to_host.seconds(1,
                                costs_.panels_by == PanelsBy::host
                                    ? double_bytes * rows(panel) * static_cast<double>(width(panel))
                                    : message_bytes(panel));
}

double HplSteps::to_device(long panel) const {
  const bool copies = costs_.panels_by == PanelsBy::host ||
                      (costs_.panels_by == PanelsBy::stream && problem_.grid.columns > 1);
  return copies ? costs_.to_device.seconds(1, message_bytes(panel)) : 0;
}

double HplSteps::message_bytes(long panel) const {
  const auto w = static_cast<double>(width(panel));
  return double_bytes * w * (1 + (costs_.has_inverse() ? w : 0) + rows(panel));
}

/// The diagonal block to all processes of the column, and for each column the exchange of the best
/// pivots, each with its row: on one node all look at all at once, else in rounds.
double HplSteps::pivots(double w, HplWork& made) const {
  if (levels_ == 0) return 0;
  constexpr double head = 4;
  const double bytes = double_bytes * (w + head), block = double_bytes * w * w;
  const bool by_messages = !(costs_.pivot_s && paths_.column_within);
  double seconds =
      levels_ * paths_.column.seconds(1, block) + (by_messages ? 0 : w * *costs_.pivot_s);
  for (int level = 0; level < levels_; ++level) {
    made.exchanges.push_back({1, block, 1 << level});
    if (by_messages) made.exchanges.push_back({static_cast<int>(w), bytes, 1 << level});
    if (by_messages) seconds += w * paths_.pivot.seconds(bytes);
    if (!paths_.routes) continue;
    const HplAdded& added = paths_.routes->lone_column_exchange(level);
    seconds += added.latency_s + (by_messages ? w * added.seconds(bytes) : 0);
  }
  return seconds;
}

HplWork HplSteps::update(long panel, double columns, bool in_parts) const {
  HplWork work;
  if (columns <= 0) return work;
  const auto w = static_cast<double>(width(panel));
  const auto height = static_cast<double>(problem_.size - panel * problem_.block);
  const double whole = std::floor(columns / strip_), rest = columns - whole * strip_;
  HplWork strip;
  if (whole > 0) add_swaps(w, height, strip_, strip);
  for (double left = whole; left > 0; --left)
    work.exchanges.insert(work.exchanges.end(), strip.exchanges.begin(), strip.exchanges.end());
  for (std::size_t term = 0; term < work.terms.size(); ++term)
    work.terms[term] = whole * strip.terms[term];
  work.link_s = whole * strip.link_s;
  if (rest > 0) add_swaps(w, height, rest, work);
  const long beyond = problem_.size - panel * problem_.block - width(panel);
  // Now one process of the column has more rows and now another: each waits in its next exchange.
  const double mean = static_cast<double>(beyond) / problem_.grid.rows;
  work.terms[HplTerm::gemm] = costs_.gemm(mean, columns, w);
  if (in_parts) {
    const double product_s = work.terms[HplTerm::gemm], swaps_s = work.total() - product_s;
    work.terms[HplTerm::swap] = work.terms[HplTerm::trsm] = 0;
    work.terms[HplTerm::swap_network] = std::max(0., swaps_s - product_s);
  }
  work.terms[HplTerm::swap_network] +=
      costs_.gemm(static_cast<double>(rows_from(beyond)), columns, w) - work.terms[HplTerm::gemm];
  return work;
}

double HplSteps::exchange(const MemberExchange& some, HplWork& work) const {
  work.exchanges.push_back(some);
  const double lone = some.times * paths_.exchange.seconds(some.bytes);
  if (!paths_.column_within)
    work.link_s += std::max(0., lone - some.times * paths_.exchange.seconds(0));
  if (!paths_.routes) return lone;
  const bool with_all = some.stride > 0;
  const HplAdded& added = with_all ? paths_.routes->all_column_exchanges()
                                   : paths_.routes->column_exchange(
                                         std::bit_width(static_cast<unsigned>(some.distance)) - 1);
  return std::max(0., lone + (with_all ? 1 : some.times) * added.seconds(some.bytes));
}

/// Interchanges and U = inv(L11) W of a strip. Of the w pivots those within the panel's first rows
/// displace none below; the owner of these rows sends or keeps the displaced ones, and another
/// process column's part of them is what each takes. Who has less to copy waits for who has more.
void HplSteps::add_swaps(double w, double height, double columns, HplWork& update) const {
  StepTerms& terms = update.terms;
  const double displaced = w * (1 - w / height);
  const double rows = problem_.grid.rows, others = rows - 1;
  if (levels_ == 0) {
    terms[HplTerm::swap] += costs_.copy_rows((w + displaced) * columns);
    terms[HplTerm::trsm] += costs_.triangle(w, columns);
    return;
  }
  // The owner gathers the displaced rows while the others wait, and then waits while they put them.
  const double gathered = displaced, put = displaced / rows;
  const double own = (gathered + others * put) / rows;
  if (swaps_in_memory_) {
    // Its rows into the slices of all; U stands where all see it, and the owner alone copies it.
    terms[HplTerm::swap] += costs_.copy_rows((w / rows + own + w / rows) * columns);
    terms[HplTerm::trsm] += costs_.triangle(w, columns / rows);
    terms[HplTerm::swap_network] +=
        costs_.copy_rows((gathered + put - own + w - w / rows) * columns);
    return;
  }
  const int all = problem_.grid.rows - 1;
  double& sent = terms[HplTerm::swap_network];
  sent += costs_.copy_rows((gathered + put - own) * columns);
  if (columns <= in_rounds_) {
    // Each gets all rows of U, twice as many each time, and then the displaced of each other.
    double bytes = double_bytes * w * columns / rows;
    for (int level = 0; level < levels_; ++level, bytes *= 2)
      sent += exchange({1, bytes, 1 << level}, update);
    sent += exchange({all, double_bytes * displaced * columns / rows / rows, 1, 1}, update);
    terms[HplTerm::swap] += costs_.copy_rows((w / rows + own + w) * columns);
    terms[HplTerm::trsm] += costs_.triangle(w, columns);
    return;
  }
  // The slices of its columns from each other, and U of these round the column. Its rows out, those
  // of its slice in, U of all slices into place.
  sent += exchange({all, double_bytes * (w + displaced) * columns / rows / rows, 1, 1}, update);
  sent += exchange({all, double_bytes * w * columns / rows, 1}, update);
  terms[HplTerm::swap] +=
      costs_.copy_rows((w / rows + own + others * w / rows / rows + w) * columns);
  terms[HplTerm::trsm] += costs_.triangle(w, columns / rows);
}

MessageCost HplSteps::within_node(long panel) const {
  const double bytes = message_bytes(panel), ready_s = paths_.row_within.seconds(1, 0);
  MessageCost cost{.protocol = MessageCost::copied, .before_s = ready_s};
  cost.bytes_s = costs_.broadcast_bytes_per_s > 0 ? bytes / costs_.broadcast_bytes_per_s
                                                  : paths_.row_within.seconds(1, bytes) - ready_s;
  // The receiver copies it itself, unless its host has nothing else to do.
  if (!costs_.panels_beside()) cost.hideable = ready_s / (ready_s + cost.bytes_s);
  return cost;
}

MessageCost HplSteps::between_nodes(long panel, const HplEdge& edge) const {
  const double bytes = message_bytes(panel), start_s = paths_.row_between.seconds(1, 0);
  const double alone_s = paths_.row_between.seconds(1, bytes);
  MessageCost cost{.bytes_s = edge.sharing * (alone_s - start_s), .in_turn = true};
  cost.after_s = start_s + edge.latency_s;
  if (bytes > paths_.most_eager_bytes) cost.protocol = MessageCost::rendezvous;
  if (costs_.panels_beside()) return cost;
  cost.sender_s = paths_.own_time_between(bytes);
  cost.hideable = alone_s > 0 ? 1 - cost.sender_s / alone_s : 1;
  return cost;
}

double HplSteps::solve_messages(double w) const {
  const ProcessGrid& grid = problem_.grid;
  const int row_stages = grid.columns > 1 ? tree_stages(grid.columns) : 0;
  const HplPath& along =
      paths_.columns_on_node < grid.columns ? paths_.row_between : paths_.row_within;
  double seconds = row_stages * along.seconds(1, double_bytes * w) +
                   levels_ * paths_.column.seconds(1, double_bytes * w);
  if (!paths_.routes) return seconds;
  for (int stage = 0; stage < row_stages; ++stage)
    seconds += paths_.routes->row_exchange(stage).latency_s;
  for (int stage = 0; stage < levels_; ++stage)
    seconds += paths_.routes->lone_column_exchange(stage).latency_s;
  return seconds;
}

double HplSteps::solve_s() const {
  const auto size = static_cast<double>(problem_.size);
  return costs_.sweep(size * size / 2 / problem_.ranks());
}

double HplSteps::solved_after_s() const {
  const auto size = static_cast<double>(problem_.size), block = static_cast<double>(problem_.block);
  const double whole = std::floor(size / block), rest = size - whole * block;
  const double messages_s = whole * solve_messages(block) + (rest > 0 ? solve_messages(rest) : 0);
  const int columns = problem_.grid.columns;
  if (columns == 1) return solve_s() + messages_s;
  const double diagonals = (whole * block * block + rest * rest) / 2;
  const double chain_s = costs_.sweep(diagonals + block * std::max(0., size - block)) + messages_s;
  // All of x to all of a row.
  const HplPath& along = paths_.columns_on_node < columns ? paths_.row_between : paths_.row_within;
  double gathering_s = tree_stages(columns) * along.seconds(1, double_bytes * size);
  for (int stage = 0; paths_.routes && stage < tree_stages(columns); ++stage) {
    const HplAdded& added = paths_.routes->row_exchange(stage);
    gathering_s += std::max(0., double_bytes * size * added.byte_s) + added.latency_s;
  }
  return std::max(solve_s(), chain_s) + gathering_s;
}

}  // namespace bellwether
