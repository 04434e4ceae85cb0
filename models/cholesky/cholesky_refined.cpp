// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/cholesky/cholesky_refined.hpp"

#include "models/cholesky/cholesky_block.hpp"
#include "models/cholesky/column_costs.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/network/link.hpp"
#include "models/network/paths.hpp"
#include "models/scaling/rank_prediction.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

/// Steps are summed in closed form over groups of them, each with one working set and one answer to
/// what hides; up to so many steps, each is a group of its own.
constexpr int most_groups = 32;

/// A column's way from its owner to the next one's, which all others' columns wait for: links, how
/// often it passes over each, how many messages share a link's bandwidth meanwhile, and the share
/// of the way that computation can hide.
struct Leg {
  const LinkTiming* timing;
  double times;
  double sharing;
  double hideable;
  const ColumnWay* topology = nullptr;  ///< that adds to it
};
using Legs = std::vector<Leg>;

Legs broadcast_legs(const Paths& paths, const CholeskyRun& run, const ColumnCosts& costs,
                    const ColumnWay& way, Bound bound) {
  Legs legs;
  if (run.ranks == 1) return legs;
  const double mean_bytes = run.size / 2.0 * value_bytes(run.precision);  // of a column
  const auto add = [&](const Path& path, double times, double sharing, const ColumnWay* topology) {
    legs.push_back({&path.link->one_way, times, sharing,
                    paths.hideable_share(path, mean_bytes, bound), topology});
  };
  if (way.between_nodes > 0)
    add(paths.to(Across::other_node), way.between_nodes, way.sharing_between, &way);
  if (way.within_node == 0) return legs;
  if (const LinkTiming* const copied = costs.broadcast()) {
    // The receiver copies a column when it comes to it: there is nothing to hide but that it is
    // told of it. All copy at once, each on its own.
    const double told = cost_at(copied->latency_s, bound);
    legs.push_back({copied, way.within_node, 1, told / link_time(*copied, mean_bytes, bound)});
  } else {
    add(paths.to(Across::same_node), way.within_node, way.sharing_within, nullptr);
  }
  return legs;
}

/// A GPU's copy of each column; its copy engines work beside its kernels. A CPU sends from where
/// the column is.
Legs copy_legs(const Machine& machine, const CholeskyRun& run, const LinkTiming* timing) {
  if (machine.device.kind != "gpu" || run.ranks == 1 || timing == nullptr) return {};
  return {{timing, 1, 1, 1}};
}

/// Seconds of the columns of 2 to `longest` values on all legs, and what of it can be hidden.
struct Sent {
  double seconds = 0;
  double hideable_s = 0;

  Sent operator-(const Sent& other) const {
    return {seconds - other.seconds, hideable_s - other.hideable_s};
  }
};
Sent sent(const Legs& legs, double value_bytes, double longest, Bound bound) {
  Sent all;
  for (const Leg& leg : legs) {
    const double seconds =
        leg.times * (message_time_sum(*leg.timing, value_bytes, longest, bound, leg.sharing) -
                     link_time(*leg.timing, value_bytes, bound, leg.sharing));
    all.seconds += seconds;
    all.hideable_s += leg.hideable * seconds;
  }
  return all;
}

std::vector<std::string> range_notes(const Machine& machine, const Paths& paths,
                                     const CholeskyRun& run, const ColumnCosts& costs,
                                     const ColumnWay& way) {
  const double value = value_bytes(run.precision);
  std::vector<std::string> notes = costs.notes(value * run.size * (run.size + 1.0) / 2 / run.ranks);
  if (costs.uses_start_up()) (void)start_up_of(machine, run, notes);
  if (run.ranks > run.size)
    notes.push_back(
        fmt::format("{} ranks for {} columns: the others only wait", run.ranks, run.size));
  for (const Leg& leg : broadcast_legs(paths, run, costs, way, Bound::value))
    note_beyond_samples("column", *leg.timing, value * run.size, notes);
  if (run.ranks > 1) paths.note_copies(notes);
  return notes;
}

/// The updates of all steps and, of the columns' way, what there is and what hides behind them.
struct Steps {
  double update_s = 0;
  Sent communication;
  double hidden_s = 0;
  double hiding_s = 0;
  double hidden_scaling_s = 0;  ///< of the others' columns
};
Steps all_steps(const CholeskyRun& run, const ColumnCosts& costs, const Legs& legs, Bound bound) {
  const double value = value_bytes(run.precision);
  const double ranks = run.ranks;
  const double steps = run.size - 1.0;  // one for each number of columns still to be updated
  const int groups = static_cast<int>(std::min<double>(most_groups, steps));
  Steps all;
  double first = 0, values_before = 0, others_before = 0;
  Sent sent_before;
  for (int group = 1; group <= groups; ++group) {
    const double last = std::floor(steps * group / groups);
    const double values = slowest_updated_values(last, ranks);
    const double rate = costs.update_s(value * (values - values_before) / (last - first), bound);
    all.update_s += rate * (values - values_before);
    // The column after which m remain to be updated has m + 1 values. It travels during the step
    // before, while the m + 1 columns of that but itself are updated; the first has none before it.
    const double before = std::min(last + 1, steps);
    const double others = slowest_updated_values(before, ranks) - before * (before + 1) / 2;
    const double behind = rate * (others - others_before);
    const Sent sent_until = sent(legs, value, last + 1, bound);
    Sent columns = sent_until - sent_before;
    for (const Leg& leg : legs) {
      if (leg.topology == nullptr) continue;
      const double mean_bytes = value * ((first + last) / 2 + 1.5);
      const double added = leg.times * (last - first) * leg.topology->added_between_s(mean_bytes);
      columns.seconds += added;
      columns.hideable_s += leg.hideable * added;
    }
    all.communication.seconds += columns.seconds;
    all.communication.hideable_s += columns.hideable_s;
    const double hidden = columns.seconds > 0 ? std::min(columns.hideable_s, behind) : 0;
    const double scaled = (last - first) * costs.scaling_start_up_s(bound) +
                          costs.scaling_s(value * run.size, bound) *
                              ((last + 1) * (last + 2) - (first + 1) * (first + 2)) / 2;
    all.hidden_s += hidden;
    all.hidden_scaling_s += std::min(scaled * (1 - 1 / ranks), behind - hidden);
    all.hiding_s += behind;
    sent_before = sent_until;
    values_before = values;
    others_before = others;
    first = last;
  }
  return all;
}

}  // namespace

Prediction predict_cholesky_refined(const Machine& machine, const CholeskyRun& run,
                                    const ColumnCosts& costs) {
  if (run.block > 1) return predict_cholesky_blocks(machine, run, costs);
  const double value = value_bytes(run.precision);
  const double columns = run.size;
  const Paths paths(machine, {run.ranks_per_node});
  const ColumnWay way(machine, paths.placement(), run.ranks, value * columns);
  const std::vector<std::string> notes = range_notes(machine, paths, run, costs, way);
  const Legs down = copy_legs(machine, run, paths.to_host());
  const Legs up = copy_legs(machine, run, paths.to_device());
  const auto step = [&](Bound bound) {
    Legs legs = broadcast_legs(paths, run, costs, way, bound);
    if (run.overlap)
      for (const Legs* copies : {&down, &up})
        legs.insert(legs.end(), copies->begin(), copies->end());
    const Steps all = all_steps(run, costs, legs, bound);
    RankStep result;
    result.notes = notes;
    const double scaling = costs.scaling_s(value * columns, bound) * columns * (columns + 1) / 2 +
                           columns * costs.scaling_start_up_s(bound);
    const double update_start_up =
        (columns - 1) * costs.update_start_up_s(bound) +
        slowest_updated_columns(columns - 1, run.ranks) * costs.updated_column_start_up_s(bound);
    // A rank scales its own columns and waits while others scale theirs, unless they did so while
    // it updated.
    result.terms.add("compute.scale", scaling / run.ranks);
    if (run.ranks > 1)
      result.terms.add("wait",
                       scaling - scaling / run.ranks - (run.overlap ? all.hidden_scaling_s : 0));
    const double exposed = all.communication.seconds - (run.overlap ? all.hidden_s : 0);
    if (!legs.empty()) result.terms.add("network.broadcast", exposed);
    result.terms.add("compute.update", all.update_s + update_start_up);
    result.add_imbalance(all.update_s, slowest_updated_values(columns - 1, run.ranks),
                         (columns - 1) * columns * (columns + 1) / 6 / run.ranks);
    if (legs.empty()) return result;
    const double communication = all.communication.seconds;
    const double hidden = run.overlap ? all.hidden_s : 0;
    result.communication_s = communication;
    result.hiding_s = all.hiding_s;
    result.hidden_fraction = communication > 0 ? hidden / communication : 0;
    if (run.overlap) return result;
    for (const auto& [name, copies] :
         {std::pair("copy.to_host", &down), std::pair("copy.to_device", &up)})
      if (!copies->empty()) result.terms.add(name, sent(*copies, value, columns, bound).seconds);
    return result;
  };
  return predict_with_bounds("refined", step);
}

}  // namespace bellwether
