// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_schedule.hpp"

#include <algorithm>
#include <vector>

#include "models/network/trees.hpp"

namespace bellwether {
namespace {

/// A panel's message from its owner to the next one's on another node: the mean over the owners, of
/// which so many neighbours tell as much as all.
HplEdge next_owner_edge(const HplSteps& steps) {
  constexpr int most_owners = 64;
  const int processes = steps.problem().grid.columns;
  const HplPaths& paths = steps.paths();
  if (!paths.routes) return {};
  HplEdge mean{0, 0};
  int crossing = 0;
  for (int owner = 0; owner < processes && owner < most_owners + paths.columns_on_node; ++owner) {
    const int next = (owner + 1) % processes;
    if (paths.node_of(next) == paths.node_of(owner)) continue;
    const HplEdge edge = edge_between(steps, owner, next);
    mean.sharing += edge.sharing;
    mean.latency_s += edge.latency_s;
    ++crossing;
  }
  if (crossing == 0) return {};
  return {mean.sharing / crossing, mean.latency_s / crossing};
}

/// Of each column by its distance from a panel's owner, after how many messages it has the panel's
/// first part; of many columns the first.
std::vector<double> hops_of(const HplProblem& problem, double bytes) {
  constexpr int most_columns = 32;
  const int processes = problem.grid.columns;
  const bool in_segments = problem.bcast == "pipeline" && processes > 2;
  const double hop = in_segments ? 1. / pipeline_segments(bytes) : 1;
  std::vector<double> hops;
  for (const int round : broadcast_rounds(problem.bcast, processes)) {
    hops.push_back(hop * round);
    if (hops.size() == most_columns) break;
  }
  return hops;
}

/// How often the edges of a broadcast lie between nodes, for each node.
double links_of_node(const HplSteps& steps) {
  const int processes = steps.problem().grid.columns;
  const HplPaths& paths = steps.paths();
  if (paths.node_of(processes - 1) == 0) return 0;
  const double crossing =
      broadcast_crossings(steps.problem().bcast, processes, paths.columns_on_node);
  return crossing / (paths.node_of(processes - 1) + 1);
}

/// So often a panel leaves the node of its owner, the first one of its node.
double sent_by_owners_node(const HplSteps& steps) {
  const int on_node = steps.paths().columns_on_node;
  const std::vector<int> parents =
      broadcast_parents(steps.problem().bcast, steps.problem().grid.columns);
  return static_cast<double>(
      std::count_if(parents.begin() + std::min<std::ptrdiff_t>(on_node, std::ssize(parents)),
                    parents.end(), [&](int parent) { return parent < on_node; }));
}

/// A column at some distance from a panel's owner, and after how many messages it has the panel.
struct Reach {
  double distance, rounds;
};

/// Of all columns those that may have least time for each panel, however long a message and an
/// update take: the corners of the upper hull of the rounds over the distance.
std::vector<Reach> reaches_of(const HplProblem& problem) {
  std::vector<Reach> corners;
  const std::vector<int> rounds = broadcast_rounds(problem.bcast, problem.grid.columns);
  for (std::size_t place = 1; place < rounds.size(); ++place) {
    const Reach next{static_cast<double>(place), static_cast<double>(rounds[place])};
    const auto below = [&](const Reach& a, const Reach& b) {  // the line from a to the next one
      return (b.rounds - a.rounds) * (next.distance - a.distance) <=
             (next.rounds - a.rounds) * (b.distance - a.distance);
    };
    while (corners.size() > 1 && below(corners[corners.size() - 2], corners.back()))
      corners.pop_back();
    corners.push_back(next);
  }
  return corners;
}

class SampledStep {
 public:
  SampledStep(const HplSteps& steps, bool look_ahead)
      : steps_(steps),
        look_ahead_(look_ahead),
        beside_(steps.costs().panels_beside()),
        own_(1. / steps.problem().grid.columns),
        links_(links_of_node(steps)),
        reaches_(reaches_of(steps.problem())) {
    const HplPaths& paths = steps.paths();
    if (paths.columns_on_node == steps.problem().grid.columns) return;
    crossing_ = 1. / paths.columns_on_node;
    const HplProblem& problem = steps.problem();
    passed_on_ = static_cast<double>(
        broadcast_tree(problem.bcast, problem.grid.columns, 0, 1).children.size());
    to_next_ = next_owner_edge(steps);
    // Of as many panels as have their owners there before one leaves for the next node.
    const double before = (paths.columns_on_node - 1) * sent_by_owners_node(steps);
    queued_ = (before + 1) / paths.columns_on_node;
  }

  /// Update by a panel, and the next one made and sent meanwhile or then.
  void add(long panel, double times, HplFactorization& sum) const;

 private:
  /// By how much longer the swaps of an update by the panel take because of other columns.
  struct Shared {
    double mean_s = 0;
    double next_owner_s = 0;
  };
  /// Columns come to them as they have the panel, hop after hop, but in the mean each once in a
  /// step; those that need not wait for a panel have got out of each other's way, and come in turn.
  [[nodiscard]] Shared shared(long panel, double columns, double work_s, double chain_s,
                              double hop_s) const;

  /// By how much longer links that panels and swaps share make these.
  struct Beside {
    double update_s = 0;  ///< of any column
    double way_s = 0;     ///< a panel's to the next owner
    double own_s = 0;     ///< what that owner does first
  };
  /// A panel sets out as its sender's swaps begin, and comes as its receiver's do. `held_s`: that
  /// its message alone fills a link.
  [[nodiscard]] Beside beside(long panel, double columns, double first_columns,
                              double held_s) const;
  /// From panel to panel, where `way_s` brings one to the next owner, which then needs `own_s`. A
  /// column that has a panel updates by it and those after it until its turn to make one.
  [[nodiscard]] double chain_s(double bytes, double way_s, double update_s, double own_s) const;

  const HplSteps& steps_;
  const bool look_ahead_, beside_;
  const double own_;    ///< panels that a column factors of all
  const double links_;  ///< messages out of a node for each panel
  const std::vector<Reach> reaches_;
  double crossing_ = 0;   ///< of the hops to the next owner
  double queued_ = 0;     ///< messages out of an owner's node for each panel, to the next owner's
  double passed_on_ = 0;  ///< messages of the next owner with a panel that it has received
  HplEdge to_next_;       ///< of the hops to the next owner
};

SampledStep::Shared SampledStep::shared(long panel, double columns, double work_s, double chain_s,
                                        double hop_s) const {
  const std::vector<double> hops = hops_of(steps_.problem(), steps_.message_bytes(panel));
  const double last = *std::max_element(hops.begin(), hops.end());
  const bool in_turn = look_ahead_ && work_s >= chain_s;
  const double turn_s = std::max(work_s, chain_s) * own_;
  const double hop = std::min(hop_s, turn_s * static_cast<double>(hops.size() - 1) / last);
  std::vector<ColumnSwaps> all(hops.size(), steps_.column_swaps(panel, columns));
  for (std::size_t place = 0; place < all.size(); ++place)
    all[place].begin_s = in_turn ? turn_s * static_cast<double>(place) : hop * hops[place];
  SwapSharing().share(all);
  Shared shared{0, all[1].shared_s()};
  for (const ColumnSwaps& one : all)
    shared.mean_s += one.shared_s() / static_cast<double>(all.size());
  return shared;
}

SampledStep::Beside SampledStep::beside(long panel, double columns, double first_columns,
                                        double held_s) const {
  const double first_s = steps_.swap_link_s(panel, first_columns);
  const double all_s = steps_.swap_link_s(panel, columns);
  Beside longer{0, std::min(held_s, all_s), std::min(passed_on_ * held_s, first_s)};
  if (look_ahead_)
    longer = {std::min((1 + links_) * held_s, all_s),
              std::min(held_s, std::max(0., all_s - first_s)), longer.own_s};
  return {crossing_ * longer.update_s, crossing_ * longer.way_s, crossing_ * longer.own_s};
}

double SampledStep::chain_s(double bytes, double way_s, double update_s, double own_s) const {
  const bool in_segments = steps_.problem().bcast == "pipeline" && own_ < 0.5;
  const double hop = in_segments ? 1. / pipeline_segments(bytes) : 1;
  double chain_s = own_ < 1 ? 0 : own_s;
  for (const Reach& far : reaches_) {
    const double messages_s = (1 + (far.rounds - 1) * hop) * way_s;
    chain_s =
        std::max(chain_s, (messages_s + (far.distance - 1) * update_s + own_s) / far.distance);
  }
  return chain_s;
}

void SampledStep::add(long panel, double times, HplFactorization& sum) const {
  const double others = 1 - own_;
  const double n = steps_.busiest_columns(panel);
  HplTerms terms = steps_.update(panel, n);
  double chain = 0, moved = 0, copied = 0;
  HplTerms made;
  if (panel + 1 < steps_.problem().panels()) {
    const double bytes = steps_.message_bytes(panel + 1);
    const HplHop within = steps_.hop(bytes, false), between = steps_.hop(bytes, true);
    const long first_columns =
        look_ahead_ ? steps_.next_columns(panel) : steps_.columns(panel, steps_.owner(panel + 1));
    const HplTerms first = steps_.update(panel, static_cast<double>(first_columns));
    made = steps_.factorization(panel + 1);
    copied = steps_.to_device(panel + 1);
    if (own_ < 1)
      moved = (1 - crossing_) * within.move_s + crossing_ * move_s(steps_, bytes, to_next_);
    const double held = std::max(0., between.move_s - steps_.hop(0, true).move_s);
    const Beside longer = beside(panel, n, static_cast<double>(first_columns), held);
    const double way = moved + (1 - crossing_) * within.ready_s + longer.way_s;
    chain = chain_s(bytes, way, terms.total() + longer.update_s,
                    first.total() + made.total() + copied + longer.own_s);
    // What the next owner passes on, and all that a node does, leaves before its own panel.
    if (own_ < 1)
      chain = std::max({chain, links_ * held, queued_ * held,
                        way + crossing_ * passed_on_ * held + longer.own_s});
    if (look_ahead_ && n > static_cast<double>(first_columns)) {
      HplTerms parts = first;
      parts.add(steps_.update(panel, n - static_cast<double>(first_columns)));
      HplTerms mixed;
      mixed.add(terms, others);
      mixed.add(parts, own_);
      terms = mixed;
    }
    terms[HplTerm::swap_network] += longer.update_s;
    if (!beside_) terms.add(made, own_);
    if (within.own_time) terms[HplTerm::broadcast] += others * (1 - crossing_) * within.move_s;
    terms[HplTerm::broadcast] += 2 * others * crossing_ * between.own_s;  // sent and received
  }
  if (steps_.paths().routes && own_ < 1) {
    const Shared longer = shared(panel, n, terms.total(), chain, moved);
    terms[HplTerm::swap_network] += longer.mean_s;
    if (!look_ahead_) chain += longer.next_owner_s;
  }
  const double work = terms.total();
  const double late = std::max(0., chain - work);
  const double sent = made.total() - made[HplTerm::panel] + copied + moved;
  const double before = terms.total() - terms[HplTerm::wait];
  if (beside_) {
    made[HplTerm::to_device] = copied;
    made[HplTerm::broadcast] = moved;
    add_exposed(made, late, terms);
  } else {
    const double shown = std::min(late, crossing_ * moved);
    terms[HplTerm::broadcast] += shown;
    terms[HplTerm::wait] += late - shown;
  }
  const double shown = terms.total() - terms[HplTerm::wait] - before;
  sum.terms.add(terms, times);
  sum.communication_s += times * sent;
  if (beside_ || crossing_ > 0) sum.hidden_communication_s += times * std::max(0., sent - shown);
  sum.total_s += times * (work + late);
}

void add_solve(const HplSteps& steps, HplFactorization& sum) {
  const HplProblem& problem = steps.problem();
  const auto panels = static_cast<double>(problem.panels());
  const auto size = static_cast<double>(problem.size), block = static_cast<double>(problem.block);
  const double work = steps.costs().sweep(size * size / 2 / problem.ranks());
  const double messages = panels * solve_messages(steps, block);
  const double chain = panels * steps.costs().sweep(1.5 * block * block) + messages;
  const double seconds = problem.grid.columns == 1 ? work + messages : std::max(work, chain);
  sum.terms[HplTerm::solve] = work;
  sum.terms[HplTerm::solve_network] = seconds - work;
  sum.total_s += seconds;
}

}  // namespace

HplSample sampled_panel(long panels, long group, long most_groups) {
  const long groups = std::min(panels, most_groups);
  const long begin = panels * group / groups, end = panels * (group + 1) / groups;
  return {(begin + end - 1) / 2, static_cast<double>(end - begin)};
}

HplFactorization sampled_hpl(const HplSteps& steps, bool look_ahead, long most_groups) {
  HplFactorization sum;
  add_solve(steps, sum);
  sum.terms.add(steps.factorization(0));
  sum.total_s += steps.factorization(0).total();
  const SampledStep step(steps, look_ahead);
  const long panels = steps.problem().panels();
  for (long group = 0; group < std::min(panels, most_groups); ++group) {
    const HplSample sample = sampled_panel(panels, group, most_groups);
    step.add(sample.panel, sample.times, sum);
  }
  return sum;
}

}  // namespace bellwether
