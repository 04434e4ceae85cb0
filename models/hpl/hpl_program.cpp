// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_program.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace bellwether {
namespace {

/// The messages' shares of links and latencies are in their costs already.
const Machine& without_topology() {
  static const Machine machine;
  return machine;
}

/// On the average of some processes of the row.
HplEdge mean_edge(const HplSteps& steps, int behind) {
  constexpr int most = 8;
  const HplPaths& paths = steps.paths();
  const int processes = steps.problem().grid.columns;
  HplEdge mean{0, 0};
  int crossing = 0;
  for (int from = 0; from < processes && crossing < most; ++from) {
    const int to = (from + behind) % processes;
    if (paths.node_of(to) == paths.node_of(from)) continue;
    const HplEdge edge = paths.routes->edge(from, to);
    mean.sharing += edge.sharing;
    mean.latency_s += edge.latency_s;
    ++crossing;
  }
  if (crossing == 0) return {};
  return {mean.sharing / crossing, mean.latency_s / crossing};
}

/// Updates by one panel of as many columns as were asked for.
class Updates {
 public:
  Updates(const HplSteps& steps, long panel) : steps_(steps), panel_(panel) {}
  const PiecedWork& of(double columns, bool in_parts) {
    auto [found, is_new] = made_.try_emplace({columns, in_parts});
    Made& made = found->second;
    if (!is_new || panel_ < 0) return made.pieces;
    made.work = steps_.update(panel_, columns, in_parts);
    made.pieces = made.work.pieces();
    return made.pieces;
  }

 private:
  struct Made {
    HplWork work;
    PiecedWork pieces;
  };
  const HplSteps& steps_;
  long panel_;
  std::map<std::pair<double, bool>, Made> made_;
};

}  // namespace

HplProgram::HplProgram(HplSteps steps, bool look_ahead, int ranks_per_node)
    : steps_(std::move(steps)),
      look_ahead_(look_ahead),
      routes_(without_topology(), {steps_.paths().columns_on_node}, actors()) {
  const ProcessGrid& grid = problem().grid;
  const int rows_on_node = grid.rows_on_node(ranks_per_node);
  nodes_of_column_ = (grid.rows + rows_on_node - 1) / rows_on_node;
  for (int distance = 0; distance < grid.columns; ++distance)
    trees_.push_back(broadcast_tree(problem().bcast, grid.columns, 0, distance));
  edges_.emplace_back();
  edge_of_.resize(trees_.size());
  for (int distance = 1; steps_.paths().routes && distance < grid.columns; ++distance) {
    const int behind = distance - trees_[static_cast<std::size_t>(distance)].parent;
    std::size_t& edge = edge_of_[static_cast<std::size_t>(behind)];
    if (edge > 0) continue;
    edge = edges_.size();
    edges_.push_back(mean_edge(steps_, behind));
  }
}

WorkGroup HplProgram::group(int column) const {
  return {members(), nodes_of_column_, static_cast<std::size_t>(routes_.node_of(column))};
}

StepProgram::Stage HplProgram::stage(int turn, int panel, double each) const {
  const int columns = actors(), owner = turn % columns, slot = turn % 2;
  const bool in_parts = look_ahead_ && steps_.in_parts();
  const bool is_last = panel == problem().panels();
  const double bytes = is_last ? 0 : steps_.message_bytes(panel);
  const auto updates = std::make_shared<Updates>(steps_, panel - 1);
  const auto costs = std::make_shared<std::vector<MessageCost>>();
  const double to_device_s = is_last ? 0 : steps_.to_device(panel);
  if (!is_last && columns > 1) {
    costs->push_back(steps_.within_node(panel));
    for (const HplEdge& edge : edges_) costs->push_back(steps_.between_nodes(panel, edge));
    // Beside swaps on the same link it gets half of that until they are through.
    const double swaps_s =
        panel == 0 ? 0 : steps_.update(panel - 1, steps_.busiest_columns(panel - 1)).link_s;
    for (MessageCost& cost : *costs) {
      if (cost.in_turn) cost.bytes_s += std::min(cost.bytes_s, swaps_s);
      cost.segments = problem().bcast == "pipeline" && columns > 2 ? pipeline_segments(bytes) : 1;
    }
  }
  return [=, this](int column, StepSink& sink) {
    const int distance = (column - owner + columns) % columns;
    const double behind =
        panel == 0 ? 0
        : each > 1 ? steps_.busiest_columns(panel - 1)
                   : static_cast<double>(steps_.columns(panel - 1, (panel + distance) % columns));
    if (is_last) return sink.compute(updates->of(behind, in_parts));
    const BroadcastTree& tree = trees_[static_cast<std::size_t>(distance)];
    const auto cost = [&](int from, int to) {
      const bool near = routes_.node_of(from) == routes_.node_of(to);
      const auto hops = static_cast<std::size_t>((to - from + columns) % columns);
      return &(*costs)[near ? 0 : 1 + edge_of_[hops]];
    };
    std::vector<SentMessage> children;
    children.reserve(tree.children.size());
    for (const int from_owner : tree.children) {
      const int to = (owner + from_owner) % columns;
      children.push_back({to, cost(column, to)});
    }
    PiecedWork rest = updates->of(behind, in_parts);
    if (column == owner) {  // update(), take_panel(), factor_panel(), update()
      const double first =
          look_ahead_ ? std::min(behind, static_cast<double>(steps_.width(panel))) : behind;
      sink.compute(updates->of(first, false));
      rest = updates->of(behind - first, in_parts);
      sink.make(steps_.factorization(panel).pieces());
      sink.copy(HplTerm::to_host, steps_.to_host(panel));
      sink.wait_sent(slot);
      sink.send(children, bytes, slot, &rest);
      if (steps_.costs().panels_by == PanelsBy::host) sink.copy(HplTerm::to_device, to_device_s);
      return;
    }
    // receive_panel(), update(), use_panel()
    const int parent = (owner + tree.parent) % columns;
    sink.start_receive(parent, *cost(parent, column), bytes, slot);
    rest.seconds = sink.compute_until_received(rest, slot);
    rest.exchanges = nullptr;
    sink.wait_sent(slot);
    sink.send(children, bytes, slot, &rest);
    sink.wait_received(parent, slot);
    sink.copy(HplTerm::to_device, to_device_s);
  };
}

/// From the last block up: sums along the owner's row, the block's solution along its column, and
/// what that takes off the blocks above; at last all of x to all of a row.
void HplProgram::finish(int rank, TraceSink& sink) const {
  constexpr int solution_tag = 3;
  const int columns = actors(), rows = members(), q = rank % columns, p = rank / columns;
  const auto in_row = [&](int other) { return p * columns + other; };
  const auto in_column = [&](int other) { return other * columns + q; };
  for (long panel = problem().panels() - 1; panel >= 0; --panel) {
    const auto w = static_cast<double>(steps_.width(panel));
    const double bytes = sizeof(double) * w;
    const int owner = static_cast<int>(panel % columns),
              owners_row = static_cast<int>(panel % rows);
    if (p == owners_row) {
      const BroadcastTree place = broadcast_tree(nearest_first, columns, owner, q);
      for (const int child : place.children) sink.receive(in_row(child), bytes, solution_tag);
      if (place.parent >= 0) sink.send(in_row(place.parent), bytes, solution_tag);
      if (q == owner) sink.compute(steps_.costs().sweep(w * w / 2));
    }
    if (q != owner) continue;
    const BroadcastTree place = broadcast_tree(nearest_first, rows, owners_row, p);
    if (place.parent >= 0) sink.receive(in_column(place.parent), bytes, solution_tag);
    for (auto child = place.children.rbegin(); child != place.children.rend(); ++child)
      sink.send(in_column(*child), bytes, solution_tag);
    const long above = local_length(panel * problem().block, problem().block, rows, p);
    sink.compute(steps_.costs().sweep(w * static_cast<double>(above)));
  }
  const auto x = sizeof(double) * static_cast<double>(problem().size);
  for (int distance = 1; distance < columns; distance *= 2) {
    sink.start_receive(in_row((q - distance + columns) % columns), x, solution_tag);
    sink.start_send(in_row((q + distance) % columns), x, solution_tag);
    sink.wait_all();
  }
}

StepTimes evaluate_hpl(const HplProgram& program, DrawnDelays* delays, double most_parts) {
  StepTimes times = evaluate(program, delays, most_parts);
  times.total_s += program.steps().solved_after_s();
  return times;
}

double estimated_hpl_s(const HplSteps& steps, bool look_ahead) {
  constexpr long most_panels = 8;
  const HplProblem& problem = steps.problem();
  const int columns = problem.grid.columns;
  const double own = 1. / columns, crossing = 1. / steps.paths().columns_on_node;
  const bool beside = steps.costs().panels_beside();
  const long panels = problem.panels(), taken = std::min(panels, most_panels);
  const std::vector<int> rounds = broadcast_rounds(problem.bcast, columns);
  const double far = std::max(1, columns - 1), rounds_to_far = rounds.back();
  const auto passed_on = static_cast<double>(
      columns > 1 ? broadcast_tree(problem.bcast, columns, 0, 1).children.size() : 0);
  double sum_s = 0;
  for (long one = 0; one < taken; ++one) {
    const long panel = panels * (2 * one + 1) / (2 * taken), next = std::min(panel + 1, panels - 1);
    const double behind = steps.busiest_columns(panel);
    const double first =
        look_ahead ? std::min(behind, static_cast<double>(steps.width(next))) : behind;
    const double made_s =
        steps.factorization(next).total() + steps.to_host(next) + steps.to_device(next);
    const double update_s = steps.update(panel, behind, look_ahead && steps.in_parts()).total();
    const double work_s = update_s + (beside ? 0 : own * made_s);
    double chain_s = steps.update(panel, first).total() + made_s;
    if (columns > 1) {
      const MessageCost within = steps.within_node(next), between = steps.between_nodes(next, {});
      const double way_s = (1 - crossing) * (within.before_s + within.bytes_s) +
                           crossing * (between.bytes_s + between.after_s);
      // From an owner to the next one, and to the last one before it makes a panel itself.
      const double segments =
          problem.bcast == "pipeline" ? pipeline_segments(steps.message_bytes(next)) : 1;
      const double messages_s = (1 + (rounds_to_far - 1) / segments) * way_s;
      chain_s = std::max(chain_s + way_s, (messages_s + (far - 1) * update_s + chain_s) / far);
      // What the next owner passes on leaves before its own panel.
      chain_s = std::max(chain_s, way_s + crossing * passed_on * between.bytes_s);
    }
    sum_s += std::max(work_s, chain_s) * static_cast<double>(panels) / static_cast<double>(taken);
  }
  return sum_s + steps.solved_after_s();
}

}  // namespace bellwether
