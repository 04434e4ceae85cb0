// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "models/cholesky/cholesky_block.hpp"
#include "models/cholesky/column_costs.hpp"
#include "models/hpl/broadcast.hpp"
#include "models/network/link.hpp"
#include "models/network/paths.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

class CholeskyTrace final : public Trace {
 public:
  CholeskyTrace(const Machine& machine, const CholeskyRun& run, ScalingPoint point)
      : Trace(std::move(point)),
        run_(run),
        placement_{run.ranks_per_node},
        value_(value_bytes(run.precision)),
        costs_(machine, run.precision, placement_.on_node(run.ranks), run.ranks > 1),
        paths_(machine, placement_),
        on_gpu_(machine.device.kind == "gpu"),
        panels_((run.size + run.block - 1) / run.block) {
    std::vector<std::string> said_by_the_point;
    if (run.block > 1) blocks_.emplace(machine, run_, costs_, Bound::value, said_by_the_point);
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> all;
    if (run_.overlap && run_.ranks > 2)
      all.push_back(fmt::format("who passes a {} on looks for it when the model expects it there",
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
    pass_on(0, rank, sink);
    for (int panel = 0; panel + 1 < panels_; ++panel) {
      const int next = panel + 1;
      const double all = update_s(panel, rank);
      double first = all;
      if (owner(next) == rank) {
        if (run_.overlap) first = next_s(panel);
        sink.compute(first + factor_s(next));
      } else {
        await(next, rank, sink);
        if (run_.overlap) first = std::min(all, passing_on_s(panel, rank));
        sink.compute(first);
      }
      pass_on(next, rank, sink);
      sink.compute(all - first);
    }
    sink.wait_all();
  }

 private:
  [[nodiscard]] int owner(int panel) const { return panel % run_.ranks; }
  [[nodiscard]] double length(int column) const { return run_.size - column; }
  [[nodiscard]] double message_bytes(int panel) const {
    return blocks_ ? blocks_->bytes(panel) : value_ * length(panel);
  }

  [[nodiscard]] double factor_s(int panel) const {
    if (blocks_) return blocks_->factor_s(panel) + blocks_->to_host_s(panel);
    return costs_.scaling_start_up_s(Bound::value) +
           length(panel) * costs_.scaling_s(value_ * run_.size, Bound::value) +
           copy_s(paths_.to_host(), panel);
  }
  [[nodiscard]] double copy_s(const LinkTiming* timing, int column) const {
    if (!on_gpu_ || run_.ranks == 1 || timing == nullptr) return 0;
    return link_time(*timing, message_bytes(column), Bound::value);
  }
  /// Of all the rank's columns behind `panel`, with it.
  [[nodiscard]] double update_s(int panel, int rank) const {
    // The first of them, and every so many-th behind it.
    const int ranks = run_.ranks;
    const int first = panel + 1 + ((rank - panel - 1) % ranks + ranks) % ranks;
    const bool own = owner(panel) == rank;
    if (blocks_) return blocks_->update_s(first) + (own ? 0 : blocks_->to_device_s(panel));
    if (first >= run_.size) return costs_.update_start_up_s(Bound::value);
    const double columns = (run_.size - 1 - first) / ranks + 1;
    const double values = columns * length(first) - ranks * columns * (columns - 1) / 2;
    return costs_.update_start_up_s(Bound::value) +
           columns * costs_.updated_column_start_up_s(Bound::value) +
           values * costs_.update_s(value_ * values, Bound::value) +
           (own ? 0 : copy_s(paths_.to_device(), panel));
  }
  /// Of the next panel's alone.
  [[nodiscard]] double next_s(int panel) const {
    if (blocks_) return blocks_->next_s(panel + 1);
    const double values = length(panel + 1);
    return costs_.updated_column_start_up_s(Bound::value) +
           values * costs_.update_s(value_ * values, Bound::value);
  }

  [[nodiscard]] BroadcastTree tree(int panel, int rank) const {
    return broadcast_tree(nearest_first, run_.ranks, owner(panel), rank);
  }
  /// How long a rank updates by `panel` until it looks for the next one: who passes it on, until
  /// it may be there; the others to the end.
  [[nodiscard]] double passing_on_s(int panel, int rank) const {
    if (tree(panel + 1, rank).children.empty()) return update_s(panel, rank);
    // Messages one after another until the panel is here: the bits of the distance
    // (broadcast_tree).
    const int distance = (rank - owner(panel + 1) + run_.ranks) % run_.ranks;
    const int stages = std::popcount(static_cast<unsigned>(distance));
    const Path path = paths_.joining(run_.ranks);
    return next_s(panel) + factor_s(panel + 1) +
           stages * link_time(path.link->one_way, message_bytes(panel + 1), Bound::value);
  }

  static constexpr int tag = 0;
  void await(int panel, int rank, TraceSink& sink) const {
    sink.start_receive(tree(panel, rank).parent, message_bytes(panel), tag);
  }
  /// To all children at once; when the panel before the last, which used the same memory, has left
  /// it.
  void pass_on(int panel, int rank, TraceSink& sink) const {
    if (run_.ranks == 1) return;
    if (panel >= 2)
      for (const int to : tree(panel - 2, rank).children) sink.wait_sent(to, tag);
    const BroadcastTree here = tree(panel, rank);
    if (here.parent >= 0) sink.wait_received(here.parent, tag);
    for (const int to : here.children) sink.start_send(to, message_bytes(panel), tag);
  }

  CholeskyRun run_;
  RankPlacement placement_;
  double value_;
  ColumnCosts costs_;
  Paths paths_;
  bool on_gpu_;
  int panels_;
  std::optional<BlockPanels> blocks_;  ///< of more than one column
};

}  // namespace

std::unique_ptr<Trace> cholesky_trace(const Machine& machine, const CholeskyRun& run,
                                      ScalingPoint point) {
  return std::make_unique<CholeskyTrace>(machine, run, std::move(point));
}

}  // namespace bellwether
