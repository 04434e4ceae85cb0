// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_schedule.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "models/hpl/swap_sharing.hpp"
#include "models/network/trees.hpp"

namespace bellwether {
namespace {

/// Of one column, while others do not share links with it; its swaps from 0 on.
struct Update {
  HplTerms terms;
  ColumnSwaps swaps;
  double link_s = 0;  ///< that its swaps fill its node's link
};

struct Column {
  double time = 0;   ///< until when it is busy
  double aside = 0;  ///< until when its host, or its device's other stream, is busy with panels
  double begin = 0;  ///< from when it may receive the next panel
  double swaps_from = 0, swaps_end = 0;  ///< of its last update, on its node's link
  HplTerms terms;
  double sent = 0, hidden = 0;
};

/// By how much longer a message takes beside swaps of [from, end), and they beside it: each gets
/// half of the link until one of them is through.
double beside(double begin, double length_s, double from, double end) {
  const double first = std::max(begin, from);
  return std::max(0., std::min(begin + length_s, end) - first);
}

class Schedule {
 public:
  Schedule(const HplSteps& steps, bool look_ahead, HplDelays* delays);
  HplFactorization run();
  /// As hpl_looks() says, of each panel that is sent from now on.
  void record(std::vector<std::vector<float>>& looks) { looks_ = &looks; }

 private:
  [[nodiscard]] Column& column(int q) { return columns_[static_cast<std::size_t>(q)]; }
  const Update& update(long panel, long columns);
  [[nodiscard]] ColumnSwaps swaps(long panel, long columns, const Column& column);
  enum class Piece { update, rest, factorization, solve };
  void add_update(long panel, Piece piece, long columns, const ColumnSwaps& swaps, int q);
  /// By detours in so much work: of the latest process or, in step, of all.
  double late_s(int q, long panel, Piece piece, double work_s, bool in_step);
  /// Returns when it can be sent, and what of the making goes on while the column does other work.
  double factor(long panel);
  void finish_beside(double ready, long panel, const HplTerms& made, Column& owner);
  void step(long panel);
  void broadcast(long panel, double ready);
  double set_out(long panel, int from, int to, double begin, HplHop& hop);
  HplEdge edge(int from, int to);
  [[nodiscard]] long first_columns(long panel, int q) const;
  double share_link(double begin, double length_s, double next_swaps_s, Column& one);
  void receive(long panel, const HplHop& hop, double ready, double done, Column& receiver);
  void solve();

  const HplSteps& steps_;
  const bool look_ahead_;
  const bool beside_;        ///< panels are factored beside updates
  const bool shares_links_;  ///< a column's swaps with others'
  HplDelays* const delays_;
  std::vector<std::vector<float>>* looks_ = nullptr;
  double delays_s_ = 0;
  std::vector<Column> columns_;
  std::vector<int> parents_;  ///< by distance from the root
  struct Arrival {
    double first, last;  ///< segment
  };
  std::vector<Arrival> arrivals_;  ///< by distance from the root
  std::vector<double> link_free_;  ///< by node
  std::map<std::pair<int, int>, HplEdge> edges_;
  long updates_of_ = -1;
  std::vector<std::pair<long, Update>> updates_;
  SwapSharing sharing_;
};

Schedule::Schedule(const HplSteps& steps, bool look_ahead, HplDelays* delays)
    : steps_(steps),
      look_ahead_(look_ahead),
      beside_(steps.costs().panels_beside()),
      shares_links_(steps.paths().routes != nullptr),
      delays_(delays) {
  const int processes = steps.problem().grid.columns;
  columns_.resize(static_cast<std::size_t>(processes));
  arrivals_.resize(columns_.size());
  parents_ = broadcast_parents(steps.problem().bcast, processes);
  link_free_.resize(static_cast<std::size_t>(steps.paths().node_of(processes - 1)) + 1);
}

const Update& Schedule::update(long panel, long columns) {
  if (updates_of_ != panel) updates_.clear();
  updates_of_ = panel;
  for (const auto& [known, made] : updates_)
    if (known == columns) return made;
  const auto n = static_cast<double>(columns);
  Update made{steps_.update(panel, n), {}, steps_.swap_link_s(panel, n)};
  if (shares_links_) made.swaps = steps_.column_swaps(panel, n);
  updates_.emplace_back(columns, made);
  return updates_.back().second;
}

ColumnSwaps Schedule::swaps(long panel, long columns, const Column& column) {
  ColumnSwaps swaps = update(panel, columns).swaps;
  swaps.begin_s = column.time;
  swaps.end_s = swaps.begin_s + swaps.alone_s;
  return swaps;
}

void Schedule::add_update(long panel, Piece piece, long columns, const ColumnSwaps& swaps, int q) {
  const Update& made = update(panel, columns);
  const HplTerms& times = made.terms;
  Column& one = column(q);
  one.swaps_from = one.time;
  one.swaps_end = one.time + made.link_s;
  one.terms.add(times);
  one.terms[HplTerm::swap_network] += swaps.shared_s();
  one.time += times.total() + swaps.shared_s() +
              late_s(q, panel, piece, times.total() - times[HplTerm::swap_network], false);
}

double Schedule::late_s(int q, long panel, Piece piece, double work_s, bool in_step) {
  if (delays_ == nullptr) return 0;
  constexpr int pieces = 4;  // of a panel, numbered
  const Delay delay = delays_->drawn.next(
      {steps_.problem().grid.rows, delays_->nodes_of_column,
       static_cast<std::size_t>(steps_.paths().node_of(q))},
      static_cast<std::uint64_t>(pieces * panel + static_cast<int>(piece)), work_s);
  delays_s_ += delay.mean_s / static_cast<double>(columns_.size());
  return in_step ? delay.sum_s : delay.latest_s;
}

double Schedule::factor(long panel) {
  const int q = steps_.owner(panel);
  Column& owner = column(q);
  const HplTerms made = steps_.factorization(panel);
  const double seconds =
      made.total() + late_s(q, panel, Piece::factorization, made[HplTerm::panel], true);
  owner.sent += made.total() - made[HplTerm::panel];
  if (beside_) {
    owner.aside = std::max(owner.aside, owner.time) + seconds;
    return owner.aside;
  }
  owner.terms.add(made);
  owner.time += seconds;
  return owner.time;
}

/// The owner's update goes on when the panel is there.
void Schedule::finish_beside(double ready, long panel, const HplTerms& factored, Column& owner) {
  HplTerms made = factored;
  made[HplTerm::to_device] = steps_.to_owners_device(panel);
  const double late = std::max(0., ready + made[HplTerm::to_device] - owner.time);
  const double before = owner.terms.total() - owner.terms[HplTerm::wait];
  const double panel_before = owner.terms[HplTerm::panel];
  add_exposed(made, late, owner.terms);
  const double shown = owner.terms.total() - owner.terms[HplTerm::wait] - before -
                       (owner.terms[HplTerm::panel] - panel_before);
  owner.sent += made[HplTerm::to_device];
  owner.hidden += std::max(0., made.total() - made[HplTerm::panel] - shown);
  owner.time += late;
}

/// Of an update by the panel those before the next one is factored.
long Schedule::first_columns(long panel, int q) const {
  const bool is_next = panel + 1 < steps_.problem().panels() && q == steps_.owner(panel + 1);
  return is_next && look_ahead_ ? steps_.next_columns(panel) : steps_.columns(panel, q);
}

void Schedule::step(long panel) {
  const int processes = static_cast<int>(columns_.size());
  const long next = panel + 1 < steps_.problem().panels() ? panel + 1 : -1;
  const int owner = next < 0 ? -1 : steps_.owner(next);
  double ready = 0;
  std::vector<ColumnSwaps> all;
  for (int q = 0; q < processes; ++q) {
    column(q).begin = column(q).time;
    all.push_back(swaps(panel, first_columns(panel, q), column(q)));
  }
  if (shares_links_) sharing_.share(all);
  if (owner >= 0) {
    const long first = first_columns(panel, owner), rest = steps_.columns(panel, owner) - first;
    add_update(panel, Piece::update, first, all[static_cast<std::size_t>(owner)], owner);
    ready = factor(next);
    all.push_back(swaps(panel, rest, column(owner)));
    if (shares_links_) sharing_.share(all);
    add_update(panel, Piece::rest, rest, all.back(), owner);
  }
  for (int q = 0; q < processes; ++q)
    if (q != owner)
      add_update(panel, Piece::update, first_columns(panel, q), all[static_cast<std::size_t>(q)],
                 q);
  if (shares_links_) sharing_.keep(all);
  if (owner < 0) return;
  if (beside_) finish_beside(ready, next, steps_.factorization(next), column(owner));
  broadcast(next, ready);
}

void Schedule::broadcast(long panel, double ready) {
  const int processes = static_cast<int>(columns_.size());
  if (processes == 1) return;
  const double bytes = steps_.message_bytes(panel);
  const HplHop within = steps_.hop(bytes, false), between = steps_.hop(bytes, true);
  const bool in_segments = steps_.problem().bcast == "pipeline" && processes > 2;
  const double segments = in_segments ? pipeline_segments(bytes) : 1;
  const int root = steps_.owner(panel);
  arrivals_[0] = {ready, ready};
  if (looks_ != nullptr) looks_->emplace_back(columns_.size());
  for (int distance = 1; distance < processes; ++distance) {
    const auto parent = static_cast<std::size_t>(parents_[static_cast<std::size_t>(distance)]);
    const int from = (root + static_cast<int>(parent)) % processes;
    const int to = (root + distance) % processes;
    const int node = steps_.paths().node_of(from);
    HplHop hop = node == steps_.paths().node_of(to) ? within : between;
    const Arrival& sender = arrivals_[parent];
    double begin = sender.first + hop.ready_s;
    // Who has time for it copies between two strips of the update.
    if (node == steps_.paths().node_of(to))
      begin = std::max(begin, hop.own_time ? column(to).begin : column(to).aside);
    else
      begin = set_out(panel, from, to, begin, hop);
    const double one = hop.move_s / segments;
    const double done = std::max(begin + hop.move_s, sender.last + hop.ready_s + one);
    arrivals_[static_cast<std::size_t>(distance)] = {begin + one, done};
    if (looks_ != nullptr)
      looks_->back()[static_cast<std::size_t>(to)] = static_cast<float>(done - column(to).begin);
    receive(panel, hop, ready + hop.ready_s, done, column(to));
  }
}

/// When the message may leave its node, from `begin` on; the hop takes as long as links allow.
double Schedule::set_out(long panel, int from, int to, double begin, HplHop& hop) {
  const HplEdge way = edge(from, to);
  double& link_free = link_free_[static_cast<std::size_t>(steps_.paths().node_of(from))];
  begin = std::max(begin, link_free);
  if (hop.asked) begin = std::max(begin, beside_ ? column(to).aside : column(to).begin);
  const double held = std::max(0., hop.move_s - steps_.hop(0, true).move_s);
  const double length = way.sharing * held;
  const double next_s = update(panel, first_columns(panel, from)).link_s;
  const double longer = std::max(share_link(begin, length, next_s, column(from)),
                                 share_link(begin, length, 0, column(to)));
  link_free = begin + length + longer;
  column(from).terms[HplTerm::broadcast] += hop.own_s;
  column(from).time += hop.own_s;
  hop.move_s = move_s(steps_, steps_.message_bytes(panel), way) + longer;
  return begin;
}

HplEdge Schedule::edge(int from, int to) {
  if (!shares_links_) return {};
  const auto [found, is_new] = edges_.try_emplace({from, to});
  if (is_new) found->second = edge_between(steps_, from, to);
  return found->second;
}

/// With the swaps of the column's last update, and those of the next one, which begin at its time.
double Schedule::share_link(double begin, double length_s, double next_swaps_s, Column& one) {
  const double last = beside(begin, length_s, one.swaps_from, one.swaps_end);
  const double longer = last + beside(begin, length_s + last, one.time, one.time + next_swaps_s);
  one.swaps_end += last;
  one.time += longer;
  one.terms[HplTerm::swap_network] += longer;
  return longer;
}

void Schedule::receive(long panel, const HplHop& hop, double ready, double done, Column& receiver) {
  if (beside_) receiver.aside = done;
  const double copy = steps_.to_device(panel);
  const double end = receiver.time;
  const double have =
      hop.own_time ? std::max(done, end + hop.move_s) : std::max(done + copy, end + hop.own_s);
  const double late = std::max(0., have - end);
  const double waited = std::clamp(ready - end, 0., late);
  const double copied = std::min(late - waited, copy);
  receiver.terms[HplTerm::wait] += waited;
  receiver.terms[HplTerm::to_device] += copied;
  receiver.terms[HplTerm::broadcast] += late - waited - copied;
  receiver.sent += hop.move_s + copy;
  receiver.hidden += std::max(0., hop.move_s + copy - (late - waited));
  receiver.time = end + late;
}

/// From the last block up. Its owner has the partial sums of all others once these have subtracted
/// what they have; who solved the block before subtracts it from this one's first.
void Schedule::solve() {
  const HplProblem& problem = steps_.problem();
  const int processes = problem.grid.columns;
  double chain = 0;
  int before = -1;
  for (long panel = problem.panels() - 1; panel >= 0; --panel) {
    const auto w = static_cast<double>(steps_.width(panel));
    const int q = steps_.owner(panel);
    double begin = chain;
    for (int other = 0; other < processes; ++other)
      if (other != before || other == q) begin = std::max(begin, column(other).time);
    const double messages = solve_messages(steps_, w);
    const double diagonal = steps_.costs().sweep(w * w / 2);
    const double block = panel > 0 ? w * problem.block : 0;
    const auto above = static_cast<double>(
        busiest_local_length(panel * problem.block, problem.block, problem.grid.rows));
    const double below = steps_.costs().sweep(w * above);
    const double late = late_s(q, panel, Piece::solve, diagonal + below, true);
    Column& owner = column(q);
    owner.terms[HplTerm::solve_network] += begin - owner.time + messages;
    owner.terms[HplTerm::solve] += diagonal + below;
    chain = begin + messages + diagonal + steps_.costs().sweep(block) + late;
    owner.time = begin + messages + diagonal + below + late;
    before = q;
  }
  const double gathered = gathering(steps_);
  for (Column& one : columns_) {
    one.terms[HplTerm::solve_network] += gathered;
    one.time += gathered;
  }
}

HplFactorization Schedule::run() {
  const long panels = steps_.problem().panels();
  const double ready = factor(0);
  if (beside_) finish_beside(ready, 0, steps_.factorization(0), column(0));
  broadcast(0, ready);
  for (long panel = 0; panel < panels; ++panel) step(panel);
  solve();
  const Column& last =
      *std::max_element(columns_.begin(), columns_.end(),
                        [](const Column& a, const Column& b) { return a.time < b.time; });
  return {last.terms, last.time, last.sent, last.hidden, delays_s_};
}

}  // namespace

std::vector<std::vector<float>> hpl_looks(const HplSteps& steps) {
  std::vector<std::vector<float>> looks;
  Schedule schedule(steps, true, nullptr);
  schedule.record(looks);
  (void)schedule.run();
  return looks;
}

HplFactorization factor_hpl(const HplSteps& steps, bool look_ahead, long most_steps,
                            HplDelays* delays) {
  if (is_sampled(steps.problem(), most_steps)) return sampled_hpl(steps, look_ahead);
  return Schedule(steps, look_ahead, delays).run();
}

}  // namespace bellwether
