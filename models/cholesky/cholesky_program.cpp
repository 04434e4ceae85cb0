// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_program.hpp"

#include <algorithm>

namespace bellwether {

CholeskyProgram::CholeskyProgram(const Machine& machine, const CholeskyRun& run,
                                 const ColumnCosts& costs, Bound bound,
                                 std::vector<std::string>& notes)
    : run_(run), costs_(machine, run, costs, bound, notes) {
  for (int distance = 0; distance < run.ranks; ++distance)
    trees_.push_back(broadcast_tree(nearest_first, run.ranks, 0, distance));
}

StepProgram::Stage CholeskyProgram::stage(int turn, int panel, double /*each*/) const {
  const int before = panel - 1, slot = turn % 2;
  const double bytes = costs_.bytes(panel), factor_s = costs_.factor_s(panel);
  const double to_host_s = costs_.to_host_s(panel), to_device_s = costs_.to_device_s(panel);
  const MessageCost near = costs_.message(panel, Across::same_node);
  const MessageCost far = costs_.message(panel, Across::other_node);
  const double value_s = before < 0 ? 0 : costs_.value_s(before);
  const double piece_s = before < 0 ? 0 : costs_.piece_s(before);
  const double next_s = before < 0 ? 0 : costs_.next_s(before);
  return [=, this](int rank, StepSink& sink) {
    const int ranks = run_.ranks, owner = turn % ranks, distance = (rank - owner + ranks) % ranks;
    const BroadcastTree& tree = trees_[static_cast<std::size_t>(distance)];
    const int parent = (owner + tree.parent) % ranks;
    std::vector<SentMessage> children;
    children.reserve(tree.children.size());
    for (const int from_owner : tree.children) {
      const int to = (owner + from_owner) % ranks;
      children.push_back({to, routes().node_of(rank) == routes().node_of(to) ? &near : &far});
    }
    // By the panel before, of all that the rank has behind it.
    const double update_s =
        before < 0 ? 0 : costs_.update_s(before, (distance + 1) % ranks, value_s);
    PiecedWork rest = PiecedWork::of(update, 0, piece_s);
    if (rank == owner) {  // begin_panel(), finish_panel()
      if (run_.overlap) rest.seconds = std::max(0., update_s - next_s);
      sink.compute(update, update_s - rest.seconds);
      sink.compute(scale, factor_s);
      sink.copy(to_host, to_host_s);
    } else {  // await(), update(), use_panel()
      sink.start_receive(parent, near, bytes, slot);
      if (run_.overlap && !children.empty())
        rest.seconds = sink.compute_until_received(rest.part(update_s), slot);
      else
        sink.compute(update, update_s);
      sink.wait_received(parent, slot);
      sink.copy(to_device, to_device_s);
    }
    sink.wait_sent(slot);  // make_room()
    sink.send(children, bytes, slot, run_.overlap ? &rest : nullptr);
  };
}

}  // namespace bellwether
