// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_trace.hpp"

#include <algorithm>

#include "models/cholesky/column_costs.hpp"
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
        on_gpu_(machine.device.kind == "gpu") {}

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> all;
    if (run_.overlap && run_.ranks > 2)
      all.emplace_back("who passes a column on looks for it when the model expects it there");
    if (on_gpu_ && run_.ranks > 1)
      all.emplace_back("copies of a GPU are part of computation, before and after each message");
    return all;
  }

  void step(int rank, TraceSink& sink) const override {
    if (rank == 0) sink.compute(scale_s(0));
    broadcast(0, rank, sink);
    for (int column = 0; column + 1 < run_.size; ++column) {
      const int next = column + 1;
      const double all = update_s(column, rank);
      double first = 0;
      if (owner(next) == rank) {
        first = run_.overlap ? next_column_s(column) : all;
        sink.compute(first + scale_s(next));
      } else {
        first = run_.overlap ? std::min(all, passing_on_s(column, rank)) : all;
        sink.compute(first);
      }
      broadcast(next, rank, sink);
      sink.compute(all - first);
    }
  }

 private:
  [[nodiscard]] int owner(int column) const { return column % run_.ranks; }
  [[nodiscard]] double length(int column) const { return run_.size - column; }
  [[nodiscard]] double column_bytes(int column) const { return value_ * length(column); }

  [[nodiscard]] double scale_s(int column) const {
    return costs_.scaling_start_up_s(Bound::value) +
           length(column) * costs_.scaling_s(value_ * run_.size, Bound::value) +
           copy_s(paths_.to_host(), column);
  }
  [[nodiscard]] double copy_s(const LinkTiming* timing, int column) const {
    if (!on_gpu_ || run_.ranks == 1 || timing == nullptr) return 0;
    return link_time(*timing, column_bytes(column), Bound::value);
  }
  /// Of all the rank's columns behind `column`, with it.
  [[nodiscard]] double update_s(int column, int rank) const {
    // The first of them, and every so many-th behind it.
    const int ranks = run_.ranks;
    const int first = column + 1 + ((rank - column - 1) % ranks + ranks) % ranks;
    if (first >= run_.size) return costs_.update_start_up_s(Bound::value);
    const double columns = (run_.size - 1 - first) / ranks + 1;
    const double values = columns * length(first) - ranks * columns * (columns - 1) / 2;
    return costs_.update_start_up_s(Bound::value) +
           columns * costs_.updated_column_start_up_s(Bound::value) +
           values * costs_.update_s(value_ * values, Bound::value) +
           (owner(column) == rank ? 0 : copy_s(paths_.to_device(), column));
  }
  [[nodiscard]] double next_column_s(int column) const {
    const double values = length(column + 1);
    return costs_.updated_column_start_up_s(Bound::value) +
           values * costs_.update_s(value_ * values, Bound::value);
  }

  /// A rank's place in the way of a column to all: over the nodes, from each node's rank at the
  /// owner's place or its last, then within.
  struct Place {
    std::vector<int> from;  ///< one rank, or none for the owner
    std::vector<int> to;
    int stages = 0;  ///< messages one after another until the column is here
  };
  [[nodiscard]] Place place_of(int column, int rank) const {
    const int per_node = placement_.ranks_per_node, root = owner(column);
    const auto on_node = [&](int node) { return std::min(per_node, run_.ranks - node * per_node); };
    const auto leader = [&](int node) {
      return node * per_node + std::min(root % per_node, on_node(node) - 1);
    };
    const int node = rank / per_node, nodes = placement_.nodes(run_.ranks);
    Place place;
    const TreePlace between = tree_place(nodes, root / per_node, node);
    place.stages = between.depth;
    if (rank == leader(node)) {
      if (between.parent >= 0) place.from.push_back(leader(between.parent));
      for (const int child : between.children) place.to.push_back(leader(child));
    }
    const int first = node * per_node;
    const TreePlace within = tree_place(on_node(node), leader(node) - first, rank - first);
    place.stages += within.depth;
    if (within.parent >= 0) place.from.push_back(first + within.parent);
    for (const int child : within.children) place.to.push_back(first + child);
    return place;
  }
  /// How long a rank updates by `column` until it looks for the next one: who passes it on, until
  /// it may be there; the others to the end.
  [[nodiscard]] double passing_on_s(int column, int rank) const {
    const Place place = place_of(column + 1, rank);
    if (place.to.empty()) return update_s(column, rank);
    const Path path = paths_.joining(run_.ranks);
    return next_column_s(column) + scale_s(column + 1) +
           place.stages * link_time(path.link->one_way, column_bytes(column + 1), Bound::value);
  }

  /// The last column has nobody behind it.
  void broadcast(int column, int rank, TraceSink& sink) const {
    if (run_.ranks == 1 || column + 1 == run_.size) return;
    const Place place = place_of(column, rank);
    constexpr int tag = 0;
    for (const int from : place.from) sink.receive(from, column_bytes(column), tag);
    for (const int to : place.to) sink.send(to, column_bytes(column), tag);
  }

  CholeskyRun run_;
  RankPlacement placement_;
  double value_;
  ColumnCosts costs_;
  Paths paths_;
  bool on_gpu_;
};

}  // namespace

std::unique_ptr<Trace> cholesky_trace(const Machine& machine, const CholeskyRun& run,
                                      ScalingPoint point) {
  return std::make_unique<CholeskyTrace>(machine, run, std::move(point));
}

}  // namespace bellwether
