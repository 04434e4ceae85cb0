// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_curve.hpp"

#include <algorithm>
#include <cmath>

#include "models/hpl/broadcast.hpp"
#include "models/hpl/hpl_step.hpp"

namespace bellwether {
namespace {

/// What messages are of; within one they keep their order.
enum Tag : int { pivots, panels, rows, solution };

class HplTrace final : public Trace {
 public:
  HplTrace(const Machine& machine, const HplStudy& study, ScalingPoint point)
      : Trace(std::move(point)),
        problem_(chosen(study, this->point().choice)),
        look_ahead_(study.request.overlap.front()),
        costs_(hpl_costs(machine, study.request.ranks_per_node, Bound::value, costs_notes_)),
        paths_(hpl_paths(machine, problem_.grid, study.request.ranks_per_node, Bound::value)),
        steps_(costs_, paths_, problem_) {
    const int columns = problem_.grid.columns;
    for (int distance = 0; distance < columns; ++distance) {
      const int parent = broadcast_tree(problem_.bcast, columns, 0, distance).parent;
      hops_.push_back(parent < 0 ? 0 : hops_[static_cast<std::size_t>(parent)] + 1);
    }
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> all;
    if (look_ahead_ && problem_.grid.columns > 2)
      all.emplace_back("who passes a panel on looks for it when the model expects it there");
    if (costs_.panel_on_host)
      all.emplace_back("panels are factored and copied between, not beside, the device's updates");
    if (costs_.broadcast_bytes_per_s > 0 && paths_.row_within.timing != nullptr)
      all.emplace_back("panels within a node are messages, not copies out of a window");
    return all;
  }

  void step(int rank, TraceSink& sink) const override {
    const Process me{rank / problem_.grid.columns, rank % problem_.grid.columns};
    if (steps_.owner(0) == me.q)
      factor(0, me, sink);
    else
      await(0, me, sink);
    pass_on(0, me, sink);
    for (long panel = 0; panel < problem_.panels(); ++panel) {
      const long all = steps_.columns(panel, me.q), next = panel + 1;
      if (next == problem_.panels()) {
        update(panel, all, me, sink);
        break;
      }
      long first = all;
      if (look_ahead_)
        first =
            steps_.owner(next) == me.q ? steps_.next_columns(panel) : until_passing_on(panel, me);
      if (steps_.owner(next) != me.q) await(next, me, sink);
      update(panel, first, me, sink);
      if (steps_.owner(next) == me.q) factor(next, me, sink);
      pass_on(next, me, sink);
      update(panel, all - first, me, sink);
    }
    sink.wait_all();
    solve(me, sink);
  }

 private:
  struct Process {
    int p, q;
  };

  static HplProblem chosen(const HplStudy& study, const nlohmann::json& choice) {
    HplStudy sized = study;
    if (choice.contains("size")) sized.size = choice.at("size");
    const ProcessGrid grid{choice.at("grid")[0], choice.at("grid")[1]};
    return sized.problem(choice.at("block"), grid, choice.value("bcast", study.bcasts.front()));
  }
  [[nodiscard]] int rank_at(int p, int q) const { return p * problem_.grid.columns + q; }
  /// Around a process column.
  [[nodiscard]] int in_column(const Process& me, int distance) const {
    const int rows = problem_.grid.rows;
    return rank_at(((me.p + distance) % rows + rows) % rows, me.q);
  }
  [[nodiscard]] int row_of(long panel) const {
    return static_cast<int>(panel % problem_.grid.rows);
  }

  void exchange(const Process& me, int distance, double bytes, Tag tag, TraceSink& sink) const {
    sink.start_receive(in_column(me, -distance), bytes, tag);
    sink.start_send(in_column(me, distance), bytes, tag);
    sink.wait_received(in_column(me, -distance), tag);
    sink.wait_sent(in_column(me, distance), tag);
  }

  void factor(long panel, const Process& me, TraceSink& sink) const {
    const HplTerms made = steps_.factorization(panel);
    const auto w = static_cast<double>(steps_.width(panel));
    const double copies = made[HplTerm::to_host] + steps_.to_device(panel);
    const int rows = problem_.grid.rows;
    if (rows > 1) pass_down(row_of(panel), me, sizeof(double) * w * w, pivots, sink);
    if (rows == 1 || steps_.sends_pivots()) {
      sink.compute(made[HplTerm::panel] + copies);
    } else {
      sink.compute(made[HplTerm::panel] + copies + w * *costs_.pivot_s);
      return;
    }
    if (rows == 1) return;
    for (long column = 0; column < steps_.width(panel); ++column)
      for (int distance = 1; distance < rows; distance *= 2)
        exchange(me, distance, steps_.pivot_bytes(w), pivots, sink);
  }

  /// Down a binomial tree of the process column.
  void pass_down(int root, const Process& me, double bytes, Tag tag, TraceSink& sink) const {
    const TreePlace place = tree_place(problem_.grid.rows, root, me.p);
    if (place.parent >= 0) sink.receive(rank_at(place.parent, me.q), bytes, tag);
    for (const int child : place.children) sink.send(rank_at(child, me.q), bytes, tag);
  }

  [[nodiscard]] BroadcastTree tree_of(long panel, const Process& me) const {
    return broadcast_tree(problem_.bcast, problem_.grid.columns, steps_.owner(panel), me.q,
                          steps_.message_bytes(panel));
  }
  /// The receives of a panel's segments.
  void await(long panel, const Process& me, TraceSink& sink) const {
    const BroadcastTree tree = tree_of(panel, me);
    for (int segment = 0; segment < tree.segments; ++segment)
      sink.start_receive(rank_at(me.p, tree.parent), steps_.message_bytes(panel) / tree.segments,
                         panels);
  }
  /// To all children at once, each segment as it comes; when the panel before the last, which used
  /// the same memory, has left it.
  void pass_on(long panel, const Process& me, TraceSink& sink) const {
    if (panel >= 2) {
      const BroadcastTree left = tree_of(panel - 2, me);
      for (int segment = 0; segment < left.segments; ++segment)
        for (const int child : left.children) sink.wait_sent(rank_at(me.p, child), panels);
    }
    const BroadcastTree tree = tree_of(panel, me);
    for (int segment = 0; segment < tree.segments; ++segment) {
      if (tree.parent >= 0) sink.wait_received(rank_at(me.p, tree.parent), panels);
      for (const int child : tree.children)
        sink.start_send(rank_at(me.p, child), steps_.message_bytes(panel) / tree.segments, panels);
    }
  }

  void update(long panel, long columns, const Process& me, TraceSink& sink) const {
    if (columns <= 0) return;
    const auto n = static_cast<double>(columns);
    for (const HplExchanges& some : steps_.swap_messages(panel, n))
      for (int time = 0; time < some.times; ++time)
        exchange(me, some.distance + time * some.stride, some.bytes, rows, sink);
    const HplTerms times = steps_.update(panel, n);
    const auto w = static_cast<double>(steps_.width(panel));
    const long before = panel * problem_.block + steps_.width(panel);
    const int processes = problem_.grid.rows;
    const long below = local_length(problem_.size, problem_.block, processes, me.p) -
                       local_length(before, problem_.block, processes, me.p);
    sink.compute(times[HplTerm::swap] + times[HplTerm::trsm] +
                 costs_.gemm(static_cast<double>(below), n, w));
  }

  /// Columns that a process updates before it looks for the next panel: who passes it on, as many
  /// as it has time for until the panel may be there; the others all.
  [[nodiscard]] long until_passing_on(long panel, const Process& me) const {
    const int columns = problem_.grid.columns, root = steps_.owner(panel + 1);
    const long all = steps_.columns(panel, me.q);
    const double bytes = steps_.message_bytes(panel + 1);
    if (broadcast_tree(problem_.bcast, columns, root, me.q, bytes).children.empty()) return all;
    const HplHop hop = steps_.hop(bytes, paths_.columns_on_node < columns);
    const int distance = (me.q - root + columns) % columns;
    const double there =
        steps_.update(panel, static_cast<double>(steps_.next_columns(panel))).total() +
        steps_.factorization(panel + 1).total() +
        hops_[static_cast<std::size_t>(distance)] * (hop.ready_s + hop.move_s);
    const double whole = steps_.update(panel, static_cast<double>(all)).total();
    if (there >= whole) return all;
    return std::lround(static_cast<double>(all) * there / whole);
  }

  /// From the last block up: sums along the owner's row, the block's solution along its column, and
  /// what that takes off the blocks above; at last all of x to all of a row.
  void solve(const Process& me, TraceSink& sink) const {
    const int columns = problem_.grid.columns;
    for (long panel = problem_.panels() - 1; panel >= 0; --panel) {
      const auto w = static_cast<double>(steps_.width(panel));
      const double bytes = sizeof(double) * w;
      const int q = steps_.owner(panel);
      if (me.p == row_of(panel)) {
        const TreePlace place = tree_place(columns, q, me.q);
        for (auto child = place.children.rbegin(); child != place.children.rend(); ++child)
          sink.receive(rank_at(me.p, *child), bytes, solution);
        if (place.parent >= 0) sink.send(rank_at(me.p, place.parent), bytes, solution);
        if (me.q == q) sink.compute(costs_.sweep(w * w / 2));
      }
      if (me.q != q) continue;
      if (problem_.grid.rows > 1) pass_down(row_of(panel), me, bytes, solution, sink);
      const long above =
          local_length(panel * problem_.block, problem_.block, problem_.grid.rows, me.p);
      sink.compute(costs_.sweep(w * static_cast<double>(above)));
    }
    const auto x = sizeof(double) * static_cast<double>(problem_.size);
    for (int distance = 1; distance < columns; distance *= 2) {
      sink.start_receive(rank_at(me.p, (me.q - distance + columns) % columns), x, solution);
      sink.start_send(rank_at(me.p, (me.q + distance) % columns), x, solution);
      sink.wait_all();
    }
  }

  std::vector<std::string> costs_notes_;
  HplProblem problem_;
  bool look_ahead_;
  HplCosts costs_;
  HplPaths paths_;
  HplSteps steps_;
  std::vector<int> hops_;  ///< of a panel, by distance from its owner
};

}  // namespace

std::unique_ptr<Trace> hpl_trace(const Machine& machine, const HplStudy& study) {
  return std::make_unique<HplTrace>(machine, study, hpl_curve(machine, study).front());
}

}  // namespace bellwether
