// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_curve.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "models/hpl/hpl_schedule.hpp"
#include "models/network/trees.hpp"

namespace bellwether {
namespace {

/// What messages are of; within one they keep their order. Panels lie in two places in turn.
enum Tag : int { pivots, rows, solution, even_panels, odd_panels };
Tag tag_of(long panel) { return panel % 2 == 0 ? even_panels : odd_panels; }

class HplTrace final : public Trace {
 public:
  HplTrace(const Machine& machine, const HplStudy& study, ScalingPoint point)
      : Trace(std::move(point)),
        problem_(chosen(study, this->point().choice)),
        look_ahead_(study.request.overlap.front()),
        costs_(hpl_costs(machine, study.request.ranks_per_node, Bound::value, costs_notes_,
                         problem_.panel)),
        paths_(hpl_paths(machine, problem_.grid, study.request.ranks_per_node, Bound::value)),
        steps_(costs_, paths_, problem_) {
    if (look_ahead_ && problem_.grid.columns > 2) looks_ = hpl_looks(steps_);
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> all;
    if (look_ahead_ && problem_.grid.columns > 2)
      all.emplace_back("who passes a panel on looks for it when the model expects it there");
    if (costs_.panels_beside())
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
    Passing passing;
    pass_on(0, me, passing, sink);
    for (long panel = 0; panel < problem_.panels(); ++panel) {
      const long all = steps_.columns(panel, me.q), next = panel + 1;
      if (next == problem_.panels()) {
        update(panel, all, me, passing, sink);
        break;
      }
      if (steps_.owner(next) == me.q) {
        const long first = look_ahead_ ? steps_.next_columns(panel) : all;
        update(panel, first, me, passing, sink);
        factor(next, me, sink);
        pass_on(next, me, passing, sink);
        update(panel, all - first, me, passing, sink);
        continue;
      }
      await(next, me, sink);
      if (look_ahead_ && !tree_of(next, me).children.empty()) {
        passing.awaited = next;
        passing.awaited_s = looks_[static_cast<std::size_t>(next)][static_cast<std::size_t>(me.q)];
      }
      update(panel, all, me, passing, sink);
      if (passing.awaited >= 0 || !look_ahead_ || tree_of(next, me).children.empty())
        pass_on(next, me, passing, sink);
    }
    while (passing.first().to.size() > 1) send_next(me, passing.first(), sink);
    sink.wait_all();
    solve(me, sink);
  }

 private:
  struct Process {
    int p, q;
  };
  /// Messages of a panel, of which the first has set out and the others wait for it.
  struct Turns {
    double bytes = 0;
    Tag tag = even_panels;
    std::vector<int> to;  ///< columns
    double left_s = 0;    ///< that the first needs, alone

    [[nodiscard]] double next_s() const { return to.size() > 1 ? left_s : never; }
  };
  /// What a process does for others beside its updates.
  struct Passing {
    long awaited = -1;     ///< a panel that others wait for too
    double awaited_s = 0;  ///< until it is there, as the model has it
    std::array<Turns, 2> turns;
    long newest = 0;  ///< panel there

    [[nodiscard]] Turns& of(long panel) { return turns[static_cast<std::size_t>(panel % 2)]; }
    /// The older panel's while there are any: who waits for it asks for no newer one.
    [[nodiscard]] Turns& first() {
      Turns& older = of(newest + 1);
      return older.to.size() > 1 ? older : of(newest);
    }
    void elapse(double seconds) {
      awaited_s -= seconds;
      for (Turns& one : turns) one.left_s -= seconds;
    }
    /// Until there may be something to do.
    [[nodiscard]] double next_s() const {
      const double sent_s = std::min(turns[0].next_s(), turns[1].next_s());
      return awaited >= 0 ? std::min(awaited_s, sent_s) : sent_s;
    }
  };
  static constexpr double never = std::numeric_limits<double>::infinity();

  static HplProblem chosen(const HplStudy& study, const nlohmann::json& choice) {
    HplStudy sized = study;
    if (choice.contains("size")) sized.size = choice.at("size");
    const ProcessGrid grid{choice.at("grid")[0], choice.at("grid")[1]};
    sized.how.panel = choice.value("panel", "");
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

  /// Down a binomial tree of the process column, the largest subtree first.
  void pass_down(int root, const Process& me, double bytes, Tag tag, TraceSink& sink) const {
    const BroadcastTree place = broadcast_tree(nearest_first, problem_.grid.rows, root, me.p);
    if (place.parent >= 0) sink.receive(rank_at(place.parent, me.q), bytes, tag);
    for (auto child = place.children.rbegin(); child != place.children.rend(); ++child)
      sink.send(rank_at(*child, me.q), bytes, tag);
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
                         tag_of(panel));
  }
  /// To children on its node at once, to the others in turn, each segment as it comes; when the
  /// panel before the last, which used the same memory, has left it.
  void pass_on(long panel, const Process& me, Passing& passing, TraceSink& sink) const {
    Turns& turns = passing.of(panel);
    send_all(me, turns, sink);
    if (panel >= 2) {
      const BroadcastTree left = tree_of(panel - 2, me);
      const std::vector<int> far = far_children(left, me);
      for (int segment = 0; segment < left.segments; ++segment)
        for (const int child : left.children)
          if (is_near(child, me) || child == far.back())
            sink.wait_sent(rank_at(me.p, child), turns.tag);
    }
    const BroadcastTree tree = tree_of(panel, me);
    if (tree.parent >= 0) send_all(me, passing.of(panel + 1), sink);
    passing.awaited = -1;
    turns.bytes = steps_.message_bytes(panel) / tree.segments;
    turns.tag = tag_of(panel);
    passing.newest = panel;
    turns.to = far_children(tree, me);
    for (int segment = 0; segment < tree.segments; ++segment) {
      if (tree.parent >= 0) sink.wait_received(rank_at(me.p, tree.parent), turns.tag);
      for (const int child : tree.children)
        if (is_near(child, me)) sink.start_send(rank_at(me.p, child), turns.bytes, turns.tag);
      if (!turns.to.empty()) send_first(me, turns, sink);
    }
  }
  [[nodiscard]] bool is_near(int column, const Process& me) const {
    return paths_.node_of(column) == paths_.node_of(me.q);
  }
  [[nodiscard]] std::vector<int> far_children(const BroadcastTree& tree, const Process& me) const {
    std::vector<int> far;
    for (const int child : tree.children)
      if (!is_near(child, me)) far.push_back(child);
    return far;
  }
  void send_first(const Process& me, Turns& turns, TraceSink& sink) const {
    sink.start_send(rank_at(me.p, turns.to.front()), turns.bytes, turns.tag);
    turns.left_s = steps_.hop(turns.bytes, true).move_s;
  }
  /// After the first one has left.
  void send_next(const Process& me, Turns& turns, TraceSink& sink) const {
    sink.wait_sent(rank_at(me.p, turns.to.front()), turns.tag);
    turns.to.erase(turns.to.begin());
    send_first(me, turns, sink);
  }
  void send_all(const Process& me, Turns& turns, TraceSink& sink) const {
    while (turns.to.size() > 1) send_next(me, turns, sink);
  }
  /// When a panel may be there, or a message have left, the process looks for it.
  void compute(double seconds, const Process& me, Passing& passing, TraceSink& sink) const {
    while (passing.next_s() <= seconds) {
      const double before_s = std::max(0., passing.next_s());
      sink.compute(before_s);
      seconds -= before_s;
      passing.elapse(before_s);
      if (passing.awaited >= 0 && passing.awaited_s <= 0)
        pass_on(passing.awaited, me, passing, sink);
      else
        send_next(me, passing.first(), sink);
    }
    passing.elapse(seconds);
    sink.compute(seconds);
  }

  void update(long panel, long columns, const Process& me, Passing& passing,
              TraceSink& sink) const {
    if (columns <= 0) return;
    const auto n = static_cast<double>(columns);
    const HplTerms times = steps_.update(panel, n);
    const std::vector<HplExchanges> exchanges = steps_.swap_messages(panel, n);
    for (const HplExchanges& some : exchanges) {
      for (int time = 0; time < some.times; ++time)
        exchange(me, some.distance + time * some.stride, some.bytes, rows, sink);
      passing.elapse(times[HplTerm::swap_network] / static_cast<double>(exchanges.size()));
      compute(0, me, passing, sink);
    }
    const auto w = static_cast<double>(steps_.width(panel));
    const long before = panel * problem_.block + steps_.width(panel);
    const int processes = problem_.grid.rows;
    const long below = local_length(problem_.size, problem_.block, processes, me.p) -
                       local_length(before, problem_.block, processes, me.p);
    compute(
        times[HplTerm::swap] + times[HplTerm::trsm] + costs_.gemm(static_cast<double>(below), n, w),
        me, passing, sink);
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
        const BroadcastTree place = broadcast_tree(nearest_first, columns, q, me.q);
        for (const int child : place.children) sink.receive(rank_at(me.p, child), bytes, solution);
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
  std::vector<std::vector<float>> looks_;
};

}  // namespace

std::unique_ptr<Trace> hpl_trace(const Machine& machine, const HplStudy& study) {
  return std::make_unique<HplTrace>(machine, study, hpl_curve(machine, study).front());
}

}  // namespace bellwether
