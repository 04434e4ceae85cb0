// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/cholesky/panel_costs.hpp"
#include "models/cholesky/panel_links.hpp"
#include "models/cholesky/panel_walk.hpp"
#include "models/network/trees.hpp"

namespace bellwether {
namespace {

class CholeskyTrace final : public Trace {
 public:
  CholeskyTrace(const Machine& machine, const CholeskyRun& run, ScalingPoint point)
      : Trace(std::move(point)),
        run_(run),
        on_gpu_(machine.device.kind == "gpu"),
        panels_((run.size + run.block - 1) / run.block) {
    const RankPlacement placement{run.ranks_per_node};
    columns_.emplace(machine, run.precision, placement.on_node(run.ranks), run.ranks > 1);
    std::vector<std::string> said_by_the_point;
    costs_.emplace(machine, run, *columns_, Bound::value, said_by_the_point);
    links_.emplace(machine, costs_->paths(), run.ranks, columns_->broadcast());
    if (run.overlap) (void)walk_panels(*costs_, run, *links_, Bound::value, &looks_);
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> all;
    if (run_.overlap && run_.ranks > 2)
      all.push_back(
          fmt::format("who passes a {} on looks for it when the model expects it there, and "
                      "sends on when the message before would by itself have left",
                      run_.block == 1 ? "column" : "block of columns"));
    if (on_gpu_ && run_.ranks > 1)
      all.emplace_back("copies of a GPU are part of computation, before and after each message");
    return all;
  }

  void step(int rank, TraceSink& sink) const override {
    if (rank == 0)
      sink.compute(factor_s(0));
    else
      await(0, rank, sink);
    (void)pass_on(0, rank, 0, sink);
    for (int panel = 0; panel + 1 < panels_; ++panel) {
      const int next = panel + 1;
      const double all = update_s(panel, rank);
      double first = all;
      if (owner(next) == rank) {
        if (run_.overlap) first = costs_->next_s(panel);
        sink.compute(first + factor_s(next));
      } else {
        await(next, rank, sink);
        if (run_.overlap) first = std::min(all, looks_.of(next, distance(next, rank)));
        sink.compute(first);
      }
      sink.compute(pass_on(next, rank, all - first, sink));
    }
    sink.wait_all();
  }

 private:
  [[nodiscard]] int owner(int panel) const { return panel % run_.ranks; }
  [[nodiscard]] int distance(int panel, int rank) const {
    return (rank - owner(panel) + run_.ranks) % run_.ranks;
  }
  [[nodiscard]] double factor_s(int panel) const {
    return costs_->factor_s(panel) + costs_->to_host_s(panel);
  }
  /// Of all the rank's columns behind `panel`, with a GPU's copy of that.
  [[nodiscard]] double update_s(int panel, int rank) const {
    const int far = distance(panel, rank);
    return costs_->update_s(panel, far, costs_->value_s(panel)) +
           (far == 0 ? 0 : costs_->to_device_s(panel));
  }
  [[nodiscard]] BroadcastTree tree(int panel, int rank) const {
    return broadcast_tree(nearest_first, run_.ranks, owner(panel), rank);
  }

  static constexpr int tag = 0;
  void await(int panel, int rank, TraceSink& sink) const {
    sink.start_receive(tree(panel, rank).parent, costs_->bytes(panel), tag);
  }
  /// When the panel before the last, which used the same memory, has left it. A message in turn
  /// sets out when the one before has left, which the rank looks for between pieces of its update,
  /// of which `update_s` are left: what remains.
  double pass_on(int panel, int rank, double update_s, TraceSink& sink) const {
    if (run_.ranks == 1) return update_s;
    if (panel >= 2) {
      const std::vector<int> before = tree(panel - 2, rank).children;
      for (std::size_t n = 0; n < before.size(); ++n)
        if (n + 1 == before.size() || !link(panel - 2, rank, before[n]).in_turn)
          sink.wait_sent(before[n], tag);
    }
    const BroadcastTree here = tree(panel, rank);
    if (here.parent >= 0) sink.wait_received(here.parent, tag);
    for (std::size_t n = 0; n < here.children.size(); ++n) {
      const int to = here.children[n];
      sink.start_send(to, costs_->bytes(panel), tag);
      const PanelLink way = link(panel, rank, to);
      if (n + 1 == here.children.size() || !way.in_turn) continue;
      if (run_.overlap && update_s > 0) {
        const double piece = costs_->piece_s(panel - 1);
        const double alone = way.before_s + way.bytes_s;
        const double looked = std::min(update_s, std::ceil(alone / piece) * piece);
        sink.compute(looked);
        update_s -= looked;
      }
      sink.wait_sent(to, tag);
    }
    return update_s;
  }
  [[nodiscard]] PanelLink link(int panel, int rank, int other) const {
    const bool is_near = rank / run_.ranks_per_node == other / run_.ranks_per_node;
    const double bytes = costs_->bytes(panel);
    return is_near ? links_->within_node(bytes, Bound::value)
                   : links_->between_nodes(bytes, Bound::value);
  }

  CholeskyRun run_;
  bool on_gpu_;
  int panels_;
  std::optional<ColumnCosts> columns_;
  std::optional<PanelCosts> costs_;
  std::optional<PanelLinks> links_;  // of the two
  PanelLooks looks_;
};

}  // namespace

std::unique_ptr<Trace> cholesky_trace(const Machine& machine, const CholeskyRun& run,
                                      ScalingPoint point) {
  return std::make_unique<CholeskyTrace>(machine, run, std::move(point));
}

}  // namespace bellwether
