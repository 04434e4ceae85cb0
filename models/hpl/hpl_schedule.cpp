// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_schedule.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "models/hpl/broadcast.hpp"
#include "models/network/paths.hpp"

namespace bellwether {
namespace {

constexpr double no_time_yet = std::numeric_limits<double>::infinity();
constexpr long sampled_panels = 300;

const HplPath& along_row(const HplSteps& steps) {
  const HplPaths& paths = steps.paths();
  return paths.columns_on_node < steps.problem().grid.columns ? paths.row_between
                                                              : paths.row_within;
}

/// Messages of w doubles that gather a block's partial sums along the row and send its solution
/// along the column, one after another.
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

/// All of x to all processes of a row.
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

/// Messages of the process column `from` to those that are on other nodes, in their order.
std::vector<HplEdge> edges_from(const HplSteps& steps, int from, const std::vector<int>& to) {
  if (steps.paths().routes) return steps.paths().routes->edges(from, to);
  return std::vector<HplEdge>(to.size(), HplEdge{static_cast<double>(to.size()), 0});
}

/// What a panel takes on such a way beside its other messages.
double move_s(const HplSteps& steps, double bytes, const HplEdge& edge) {
  const double alone = steps.hop(bytes, true).move_s, start = steps.hop(0, true).move_s;
  return start + edge.latency_s + edge.sharing * (alone - start);
}

/// What is hidden of a panel's making and moving, where something else goes on meanwhile.
void add_exposed(const HplTerms& made, double exposed_s, HplTerms& terms) {
  const double whole = made.total();
  const double shown = std::min(exposed_s, whole);
  if (whole > 0) terms.add(made, shown / whole);
  terms[HplTerm::wait] += exposed_s - shown;
}

// ---- Step by step

struct Column {
  double time = 0;   ///< until when it is busy
  double host = 0;   ///< until when its host is, where that factors the panels
  double begin = 0;  ///< from when it may receive the next panel
  HplTerms terms;
  double sent = 0, hidden = 0;
};

class Schedule {
 public:
  Schedule(const HplSteps& steps, bool look_ahead);
  HplFactorization run(double give_up_s);

 private:
  [[nodiscard]] Column& column(int q) { return columns_[static_cast<std::size_t>(q)]; }
  const HplTerms& update(long panel, long columns);
  void add_update(long panel, long columns, Column& column);
  /// Returns when it can be sent, and what of the making goes on while the column does other work.
  double factor(long panel, Column& owner);
  void finish_hosted(double ready, long panel, const HplTerms& made, Column& owner);
  void step(long panel);
  void broadcast(long panel, double ready);
  /// A broadcast's messages between nodes, by the distances of receiver and sender from the root.
  struct Ways {
    std::vector<HplEdge> to;
    std::vector<int> sent;
  };
  const Ways& ways_from(int root);
  void receive(long panel, const HplHop& hop, double ready, double done, Column& receiver);
  void solve();

  const HplSteps& steps_;
  const bool look_ahead_;
  const bool hosted_;
  std::vector<Column> columns_;
  std::vector<int> parents_;  ///< by distance from the root
  struct Arrival {
    double first, last;      ///< segment
    double sends_from = -1;  ///< to other nodes; below 0: not yet
  };
  std::vector<Arrival> arrivals_;  ///< by distance from the root
  std::vector<double> link_free_;  ///< by node
  std::map<int, Ways> ways_;       ///< by root
  long updates_of_ = -1;
  std::vector<std::pair<long, HplTerms>> updates_;
};

Schedule::Schedule(const HplSteps& steps, bool look_ahead)
    : steps_(steps), look_ahead_(look_ahead), hosted_(steps.costs().panel_on_host) {
  const int processes = steps.problem().grid.columns;
  columns_.resize(static_cast<std::size_t>(processes));
  arrivals_.resize(columns_.size());
  parents_ = broadcast_parents(steps.problem().bcast, processes);
  link_free_.resize(static_cast<std::size_t>(steps.paths().node_of(processes - 1)) + 1);
}

const HplTerms& Schedule::update(long panel, long columns) {
  if (updates_of_ != panel) updates_.clear();
  updates_of_ = panel;
  for (const auto& [known, times] : updates_)
    if (known == columns) return times;
  updates_.emplace_back(columns, steps_.update(panel, static_cast<double>(columns)));
  return updates_.back().second;
}

void Schedule::add_update(long panel, long columns, Column& column) {
  const HplTerms& times = update(panel, columns);
  column.terms.add(times);
  column.time += times.total();
}

double Schedule::factor(long panel, Column& owner) {
  const HplTerms made = steps_.factorization(panel);
  owner.sent += made.total() - made[HplTerm::panel];
  if (hosted_) {
    owner.host = std::max(owner.host, owner.time) + made.total();
    return owner.host;
  }
  owner.terms.add(made);
  owner.time += made.total();
  return owner.time;
}

/// The owner's device goes on when the panel is back there.
void Schedule::finish_hosted(double ready, long panel, const HplTerms& factored, Column& owner) {
  HplTerms made = factored;
  made[HplTerm::to_device] = steps_.to_device(panel);
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

void Schedule::step(long panel) {
  const int processes = static_cast<int>(columns_.size());
  const long next = panel + 1 < steps_.problem().panels() ? panel + 1 : -1;
  const int owner = next < 0 ? -1 : steps_.owner(next);
  double ready = 0;
  for (int q = 0; q < processes; ++q) {
    Column& one = column(q);
    one.begin = one.time;
    long rest = steps_.columns(panel, q);
    if (q == owner) {
      const long first = look_ahead_ ? steps_.next_columns(panel) : rest;
      add_update(panel, first, one);
      ready = factor(next, one);
      rest -= first;
    }
    add_update(panel, rest, one);
  }
  if (owner < 0) return;
  if (hosted_) finish_hosted(ready, next, steps_.factorization(next), column(owner));
  broadcast(next, ready);
}

void Schedule::broadcast(long panel, double ready) {
  const int processes = static_cast<int>(columns_.size());
  if (processes == 1) return;
  const double bytes = steps_.message_bytes(panel);
  const HplHop within = steps_.hop(bytes, false), between = steps_.hop(bytes, true);
  const double held = between.move_s - steps_.hop(0, true).move_s;
  const bool in_segments = steps_.problem().bcast == "pipeline" && processes > 2;
  const double segments = in_segments ? pipeline_segments(bytes) : 1;
  const int root = steps_.owner(panel);
  const Ways& ways = ways_from(root);
  std::fill(link_free_.begin(), link_free_.end(), 0.);
  arrivals_[0] = {ready, ready, -1};
  for (int distance = 1; distance < processes; ++distance) {
    const auto parent = static_cast<std::size_t>(parents_[static_cast<std::size_t>(distance)]);
    const int from = (root + static_cast<int>(parent)) % processes;
    const int to = (root + distance) % processes;
    const int node = steps_.paths().node_of(from);
    HplHop hop = node == steps_.paths().node_of(to) ? within : between;
    Arrival& sender = arrivals_[parent];
    double begin = sender.first + hop.ready_s;
    if (node == steps_.paths().node_of(to)) {
      // Who has time for it copies between two strips of the update.
      begin = std::max(begin, hop.own_time ? column(to).begin : column(to).host);
    } else {
      // A process sends to all its children at once, which share its node's link; another one's
      // messages wait for that.
      if (sender.sends_from < 0) {
        double& link_free = link_free_[static_cast<std::size_t>(node)];
        sender.sends_from = std::max(begin, link_free);
        link_free = sender.sends_from + ways.sent[parent] * held;
      }
      begin = sender.sends_from;
      hop.move_s = move_s(steps_, bytes, ways.to[static_cast<std::size_t>(distance)]);
    }
    const double one = hop.move_s / segments;
    const double done = std::max(begin + hop.move_s, sender.last + hop.ready_s + one);
    arrivals_[static_cast<std::size_t>(distance)] = {begin + one, done, -1};
    receive(panel, hop, ready + hop.ready_s, done, column(to));
  }
}

const Schedule::Ways& Schedule::ways_from(int root) {
  const auto [found, is_new] = ways_.try_emplace(root);
  Ways& ways = found->second;
  if (!is_new) return ways;
  const auto processes = columns_.size();
  const auto at = [&](std::size_t distance) {
    return (root + static_cast<int>(distance)) % static_cast<int>(processes);
  };
  std::vector<std::vector<int>> sent(processes);
  for (std::size_t distance = 1; distance < processes; ++distance) {
    const auto parent = static_cast<std::size_t>(parents_[distance]);
    if (steps_.paths().node_of(at(parent)) != steps_.paths().node_of(at(distance)))
      sent[parent].push_back(static_cast<int>(distance));
  }
  ways.to.resize(processes);
  for (std::size_t parent = 0; parent < processes; ++parent) {
    std::vector<int> to;
    for (const int distance : sent[parent]) to.push_back(at(static_cast<std::size_t>(distance)));
    ways.sent.push_back(static_cast<int>(to.size()));
    const std::vector<HplEdge> edges = edges_from(steps_, at(parent), to);
    for (std::size_t child = 0; child < to.size(); ++child)
      ways.to[static_cast<std::size_t>(sent[parent][child])] = edges[child];
  }
  return ways;
}

void Schedule::receive(long panel, const HplHop& hop, double ready, double done, Column& receiver) {
  if (hosted_) receiver.host = done;
  const double copy = steps_.to_device(panel);
  const double end = receiver.time;
  const double have = hop.own_time ? std::max(done, end + hop.move_s) : done + copy;
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
    Column& owner = column(q);
    owner.terms[HplTerm::solve_network] += begin - owner.time + messages;
    owner.terms[HplTerm::solve] += diagonal + steps_.costs().sweep(w * above);
    chain = begin + messages + diagonal + steps_.costs().sweep(block);
    owner.time = begin + messages + diagonal + steps_.costs().sweep(w * above);
    before = q;
  }
  const double gathered = gathering(steps_);
  for (Column& one : columns_) {
    one.terms[HplTerm::solve_network] += gathered;
    one.time += gathered;
  }
}

HplFactorization Schedule::run(double give_up_s) {
  HplFactorization result;
  result.total_s = no_time_yet;
  const long panels = steps_.problem().panels();
  const double ready = factor(0, column(0));
  if (hosted_) finish_hosted(ready, 0, steps_.factorization(0), column(0));
  broadcast(0, ready);
  const auto by_time = [](const Column& a, const Column& b) { return a.time < b.time; };
  for (long panel = 0; panel < panels; ++panel) {
    step(panel);
    if (std::max_element(columns_.begin(), columns_.end(), by_time)->time > give_up_s)
      return result;
  }
  solve();
  const Column& last = *std::max_element(columns_.begin(), columns_.end(), by_time);
  if (last.time > give_up_s) return result;
  return {last.terms, last.time, last.sent, last.hidden};
}

// ---- Panel by panel, of the busiest column

/// A panel's message from its owner to the next one's on another node, beside those to others: the
/// mean over the owners, of which so many neighbours tell as much as all.
HplEdge next_owner_edge(const HplSteps& steps) {
  constexpr int most_owners = 64;
  const int processes = steps.problem().grid.columns;
  const HplPaths& paths = steps.paths();
  HplEdge mean{0, 0};
  int crossing = 0;
  for (int owner = 0; owner < processes && owner < most_owners + paths.columns_on_node; ++owner) {
    std::vector<int> to;
    for (const int child : broadcast_tree(steps.problem().bcast, processes, owner, owner).children)
      if (paths.node_of(child) != paths.node_of(owner)) to.push_back(child);
    if (to.empty() || to.front() != (owner + 1) % processes) continue;
    const HplEdge edge = edges_from(steps, owner, to).front();
    mean.sharing += edge.sharing;
    mean.latency_s += edge.latency_s;
    ++crossing;
  }
  if (crossing == 0) return {};
  return {mean.sharing / crossing, mean.latency_s / crossing};
}

/// How often the edges of a broadcast lie between nodes, for each node.
double links_of_node(const HplSteps& steps) {
  const int processes = steps.problem().grid.columns;
  double crossing = 0;
  const std::vector<int> parents = broadcast_parents(steps.problem().bcast, processes);
  for (int process = 1; process < processes; ++process)
    crossing += steps.paths().node_of(parents[static_cast<std::size_t>(process)]) !=
                steps.paths().node_of(process);
  return crossing / (steps.paths().node_of(processes - 1) + 1);
}

class SampledStep {
 public:
  SampledStep(const HplSteps& steps, bool look_ahead)
      : steps_(steps),
        look_ahead_(look_ahead),
        hosted_(steps.costs().panel_on_host),
        own_(1. / steps.problem().grid.columns),
        links_(links_of_node(steps)) {
    const HplPaths& paths = steps.paths();
    if (paths.columns_on_node == steps.problem().grid.columns) return;
    crossing_ = 1. / paths.columns_on_node;
    to_next_ = next_owner_edge(steps);
  }

  /// Update by a panel, and the next one made and sent meanwhile or then.
  void add(long panel, double times, HplFactorization& sum) const;

 private:
  const HplSteps& steps_;
  const bool look_ahead_, hosted_;
  const double own_;     ///< panels that a column factors of all
  const double links_;   ///< messages out of a node for each panel
  double crossing_ = 0;  ///< of the hops to the next owner
  HplEdge to_next_;      ///< of these
};

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
    chain = first.total() + made.total() + copied + moved +
            (own_ < 1 ? (1 - crossing_) * within.ready_s : 0);
    chain = std::max(chain, links_ * (between.move_s - steps_.hop(0, true).move_s));
    if (look_ahead_ && n > static_cast<double>(first_columns)) {
      HplTerms parts = first;
      parts.add(steps_.update(panel, n - static_cast<double>(first_columns)));
      HplTerms mixed;
      mixed.add(terms, others);
      mixed.add(parts, own_);
      terms = mixed;
    }
    if (!hosted_) terms.add(made, own_);
    if (within.own_time) terms[HplTerm::broadcast] += others * (1 - crossing_) * within.move_s;
  }
  const double work = terms.total();
  const double late = std::max(0., chain - work);
  const double sent = made.total() - made[HplTerm::panel] + copied + moved;
  const double before = terms.total() - terms[HplTerm::wait];
  if (hosted_) {
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
  if (hosted_ || crossing_ > 0) sum.hidden_communication_s += times * std::max(0., sent - shown);
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

HplFactorization sampled(const HplSteps& steps, bool look_ahead, double give_up_s) {
  HplFactorization sum;
  add_solve(steps, sum);
  sum.terms.add(steps.factorization(0));
  sum.total_s += steps.factorization(0).total();
  const SampledStep step(steps, look_ahead);
  const long panels = steps.problem().panels();
  const long groups = std::min(panels, sampled_panels);
  for (long group = 0; group < groups; ++group) {
    const long begin = panels * group / groups, end = panels * (group + 1) / groups;
    step.add((begin + end - 1) / 2, static_cast<double>(end - begin), sum);
    if (sum.total_s > give_up_s) {
      sum.total_s = no_time_yet;
      break;
    }
  }
  return sum;
}

}  // namespace

HplFactorization factor_hpl(const HplCosts& costs, const HplPaths& paths, const HplProblem& problem,
                            bool look_ahead, double give_up_s, long most_steps) {
  const HplSteps steps(costs, paths, problem);
  if (problem.panels() * problem.grid.columns > most_steps)
    return sampled(steps, look_ahead, give_up_s);
  return Schedule(steps, look_ahead).run(give_up_s);
}

}  // namespace bellwether
