// SPDX-License-Identifier: MIT
#include "models/cholesky/panel_costs.hpp"

#include <algorithm>
#include <cmath>

#include "models/network/link.hpp"
#include "models/workload.hpp"

namespace bellwether {

PanelCosts::PanelCosts(const Machine& machine, const CholeskyRun& run, const ColumnCosts& costs,
                       Bound bound, std::vector<std::string>& notes)
    : run_(run),
      costs_(costs),
      bound_(bound),
      paths_(machine, {run.ranks_per_node}),
      routes_(machine, {run.ranks_per_node}, run.ranks),
      on_gpu_(machine.device.kind == "gpu"),
      value_(value_bytes(run.precision)),
      count_((run.size + run.block - 1) / run.block) {
  if (routes_.counts()) link_share_ = network_bandwidth(machine) / routes_.link_bandwidth();
  if (run.block > 1) blocks_.emplace(machine, run_, costs_, bound, notes);
}

double PanelCosts::bytes(int panel) const {
  return blocks_ ? blocks_->bytes(panel) : value_ * (run_.size - panel);
}

double PanelCosts::factor_s(int panel) const {
  if (blocks_) return blocks_->factor_s(panel);
  return costs_.scaling_start_up_s(bound_) +
         (run_.size - panel) * costs_.scaling_s(value_ * run_.size, bound_);
}

/// Of a value, at the working set of the rank that updates most.
double PanelCosts::value_s(int panel) const {
  if (blocks_) return 0;
  const double columns = std::ceil((run_.size - panel - 1.) / run_.ranks);
  const double values =
      columns * (run_.size - panel - 1.) - run_.ranks * columns * (columns - 1) / 2;
  return costs_.update_s(value_ * values, bound_);
}

double PanelCosts::update_s(int panel, int distance, double value_s) const {
  // The first of its panels behind this one, and every so many-th behind that.
  const int ranks = run_.ranks, first = panel + (distance == 0 ? ranks : distance);
  if (blocks_) return blocks_->update_s(first);
  if (first >= run_.size) return costs_.update_start_up_s(bound_);
  const double columns = (run_.size - 1 - first) / ranks + 1;
  const double values = columns * (run_.size - first) - ranks * columns * (columns - 1) / 2;
  return costs_.update_start_up_s(bound_) + columns * costs_.updated_column_start_up_s(bound_) +
         values * value_s;
}

double PanelCosts::next_s(int panel) const {
  if (blocks_) return blocks_->next_s(panel + 1);
  const double values = run_.size - panel - 1;
  return costs_.updated_column_start_up_s(bound_) +
         values * costs_.update_s(value_ * values, bound_);
}

double PanelCosts::piece_s(int panel) const {
  if (blocks_) return blocks_->group_s(panel + 1);
  // A column at least.
  return std::max<double>(cholesky_piece_values, run_.size - panel - 1) * value_s(panel);
}

double PanelCosts::copy_s(const LinkTiming* timing, int panel) const {
  if (!on_gpu_ || run_.ranks == 1 || timing == nullptr) return 0;
  return link_time(*timing, bytes(panel), bound_);
}

MessageCost PanelCosts::message(int panel, Across across) const {
  const bool is_far = across == Across::other_node;
  const RankPlacement& placement = paths_.placement();
  if ((is_far ? placement.nodes(run_.ranks) : placement.on_node(run_.ranks)) == 1) return {};
  const LinkTiming* const copied = is_far ? nullptr : costs_.broadcast();
  const Path path = copied != nullptr ? Path{} : paths_.to(across);
  const LinkTiming& timing = copied != nullptr ? *copied : path.link->one_way;
  const double alone = link_time(timing, bytes(panel), bound_);
  const double bytes_s = link_time(timing, bytes(panel), bound_, 2) - alone;
  MessageCost cost{.before_s = std::max(0., alone - bytes_s), .bytes_s = std::min(bytes_s, alone)};
  if (copied != nullptr) {
    // The receiver copies it when it comes to it; only that it is told of it can be hidden, but for
    // what being told, and telling, takes of a rank's own time.
    cost.protocol = MessageCost::copied;
    if (copied->overhead_s)
      cost.sender_s = std::min(cost_at(*copied->overhead_s, bound_), cost.before_s);
    cost.hideable = (cost.before_s - cost.sender_s) / (cost.before_s + cost.bytes_s);
    return cost;
  }
  cost.in_turn = bytes(panel) > eager_limit_bytes(*path.link);
  if (cost.in_turn) cost.protocol = MessageCost::rendezvous;
  cost.hideable = paths_.hideable_share(path, bytes(panel), bound_);
  if (!is_far) return cost;
  cost.bytes_s *= link_share_;
  cost.sender_s = paths_.own_time(path, bytes(panel), bound_);
  return cost;
}

}  // namespace bellwether
