// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_refined.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "models/airfoil/airfoil_workload.hpp"
#include "models/network/halo_cost.hpp"
#include "models/roofline/roofline.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

constexpr double cell_values = airfoil_q_values + airfoil_adt_values;

Paths paths_of(const Machine& machine, const AirfoilConditions& conditions) {
  return Paths(machine, {conditions.ranks_per_node},
               conditions.staged ? MessageMemory::host : MessageMemory::device);
}

/// Gathering or scattering the cells of both arrays: each value read and written, its index read.
double reordering(const Machine& machine, const AirfoilLoopCosts& costs,
                  const AirfoilWorkload& work, const AirfoilConditions& conditions, Bound bound) {
  const double value = value_bytes(conditions.precision);
  const double bytes = work.halo_cells() * (2 * cell_values * value + 2 * 4);
  return bytes / memory_rate(machine, conditions.on_node(), bound) + 2 * costs.launch(bound);
}

/// What a call goes through between two exchanges: of each cell q twice, adt and res, as many
/// positions, and of its two edges two cells and two nodes each.
double swept_bytes(const AirfoilWorkload& work, double value) {
  constexpr double values = 2 * airfoil_q_values + airfoil_adt_values + airfoil_q_values + 2;
  return work.cells * (values * value + 2 * 4 * 4);
}

/// One exchange of q and adt, for one call of res_calc: one message to each neighbour, with both
/// arrays' values of a cell side by side. As many cells are exported as are imported.
HaloExchange halo_of(const Machine& machine, const AirfoilLoopCosts& costs,
                     const AirfoilWorkload& work, const AirfoilConditions& conditions,
                     Bound bound) {
  HaloExchange halo{.contention_s = conditions.contention_s,
                    .staged = conditions.staged,
                    .overlap = conditions.overlap,
                    .announced = true};
  if (work.neighbours == 0) return halo;
  const double value = value_bytes(conditions.precision), cell = cell_values * value;
  halo.pack_s = reordering(machine, costs, work, conditions, bound);
  halo.swept_bytes = swept_bytes(work, value);
  const double far = work.neighbours - work.near_neighbours;
  const double far_cells = work.halo_cells() - work.near_cells;
  if (work.near_neighbours > 0)
    halo.messages.push_back(
        {Across::same_node, work.near_neighbours, work.near_cells * cell / work.near_neighbours});
  if (far > 0) halo.messages.push_back({Across::other_node, far, far_cells * cell / far});
  return halo;
}

/// What it takes; what of it is outside the machine's range is noted.
HaloTimes exchange_times(const Machine& machine, const Paths& paths, const HaloExchange& halo,
                         int ranks, Bound bound, std::vector<std::string>& notes) {
  const int on_node = paths.placement().on_node(ranks);
  const HaloCost cost(paths, on_node, airfoil_ranks_per_nic(machine, on_node));
  cost.note(halo, notes);
  return cost.times(halo, bound);
}

/// Adds both calls' messages, less what is hidden behind `core_s` of each.
void add_network(const HaloTimes& halo, double core_s, bool overlap, RankStep& step) {
  if (halo.network > 0)
    step.add_network(2 * halo.network, overlap ? 2 * halo.hidden(core_s) : 0, 2 * core_s);
}

/// Seconds of calls of loops, a launch each; what their colours launch more is added up apart, and
/// loops over sets of sizes that were not calibrated are kept.
class Calls {
 public:
  Calls(const AirfoilLoopCosts& costs, Bound bound) : costs_(costs), bound_(bound) {}

  double over(AirfoilLoop loop, double elements) { return over_part(loop, elements, elements); }
  /// Over a part of a set, whose elements cost what the whole set's do.
  double over_part(AirfoilLoop loop, double part, double whole) {
    if (part <= 0) return 0;
    const char* const name = airfoil_loop_names[static_cast<std::size_t>(loop)];
    if (costs_.outside(loop, whole) &&
        std::find(outside_.begin(), outside_.end(), name) == outside_.end())
      outside_.push_back(name);
    colouring_ += costs_.launch(bound_) * (costs_.launches(loop, bound_) - 1);
    return without_launches(loop, part, whole) + costs_.launch(bound_);
  }
  [[nodiscard]] double without_launches(AirfoilLoop loop, double part, double whole) const {
    return whole > 0 ? costs_.seconds(loop, whole, bound_) * part / whole : 0;
  }
  [[nodiscard]] double colouring() const { return colouring_; }
  void note_outside(std::vector<std::string>& notes) const {
    if (outside_.empty()) return;
    notes.push_back(
        fmt::format("airfoil.loops: sets of other sizes than calibrated, at the nearest's cost "
                    "per element: {}",
                    fmt::join(outside_, ", ")));
  }

 private:
  const AirfoilLoopCosts& costs_;
  Bound bound_;
  double colouring_ = 0;
  std::vector<const char*> outside_;
};

/// Other ranks' edges that are computed too.
void add_redundant(Calls& calls, const AirfoilWorkload& work, RankStep& step) {
  if (work.ieh_edges + work.ieh_bedges <= 0) return;
  const double edges = work.core_edges + work.eeh_edges + work.ieh_edges;
  step.terms.add("compute.redundant",
                 2 * (calls.over_part(AirfoilLoop::res_calc, work.ieh_edges, edges) +
                      calls.over_part(AirfoilLoop::bres_calc, work.ieh_bedges,
                                      work.bedges + work.ieh_bedges)));
}

/// A stage as one loop. Gathers compute no edge twice, and cells without a neighbour on another
/// rank hide the exchange: those, and the others after it, are a launch each where it is to be
/// hidden. Tiles hide it behind the core edges and what these complete, and compute others' edges
/// too.
RankStep stage_step(const Machine& machine, const AirfoilLoopCosts& costs,
                    const AirfoilWorkload& work, const AirfoilConditions& conditions, Bound bound) {
  const bool gathers = conditions.sequence == AirfoilSequence::gather;
  const AirfoilLoop loop = gathers ? AirfoilLoop::stage : AirfoilLoop::tiled_stage;
  const Paths paths = paths_of(machine, conditions);
  RankStep step;
  step.notes = costs.notes();
  Calls calls(costs, bound);
  const bool exchanges = work.neighbours > 0;
  const HaloExchange halo = halo_of(machine, costs, work, conditions, bound);
  const HaloTimes exchange =
      exchange_times(machine, paths, halo, conditions.ranks, bound, step.notes);
  const auto add = [&](const char* term, double seconds) { step.terms.add(term, seconds); };
  const double core = work.core_cells(), rest = work.cells - core;

  if (exchanges) add("pack", 2 * halo.pack_s);
  if (exchange.to_host > 0) add("copy.to_host", 2 * exchange.to_host);
  if (exchanges && conditions.overlap)
    add("compute.stage",
        2 * (calls.over_part(loop, core, work.cells) + calls.over_part(loop, rest, work.cells)));
  else
    add("compute.stage", 2 * calls.over(loop, work.cells));
  if (exchange.wait > 0) add("wait", 2 * exchange.wait);
  add_network(exchange, calls.without_launches(loop, core, work.cells), conditions.overlap, step);
  if (exchange.to_device > 0) add("copy.to_device", 2 * exchange.to_device);
  if (exchanges) add("unpack", 2 * halo.pack_s);
  if (!gathers) add_redundant(calls, work, step);
  if (const auto& between = machine.device.between_kernels_s;
      between && !exchanges && machine.device.kind == "gpu")
    add("other", 2 * cost_at(*between, bound));
  if (gathers && !costs.has_stage())
    step.notes.emplace_back(
        "airfoil.loops: stage not calibrated: derived from memory bandwidth, the least it can "
        "take");
  if (!gathers && !costs.has_tiled_stage())
    step.notes.emplace_back(
        "airfoil.loops: tiled_stage not calibrated: res_calc and update_adt stand for it");
  calls.note_outside(step.notes);
  return step;
}

}  // namespace

RankStep airfoil_refined_step(const Machine& machine, const AirfoilLoopCosts& costs,
                              const AirfoilWorkload& work, const AirfoilConditions& conditions,
                              Bound bound) {
  if (has_stages(conditions.sequence)) return stage_step(machine, costs, work, conditions, bound);
  const Paths paths = paths_of(machine, conditions);
  const bool fused = conditions.sequence == AirfoilSequence::fused;
  RankStep step;
  step.notes = costs.notes();
  Calls calls(costs, bound);
  const double own_edges = work.core_edges + work.eeh_edges;
  const double edges = own_edges + work.ieh_edges;
  const double bedges = work.bedges + work.ieh_bedges;
  const bool exchanges = work.neighbours > 0;
  const HaloExchange halo = halo_of(machine, costs, work, conditions, bound);
  const HaloTimes exchange =
      exchange_times(machine, paths, halo, conditions.ranks, bound, step.notes);
  const auto add = [&](const char* term, double seconds) { step.terms.add(term, seconds); };

  if (!fused) {
    add("compute.save_soln", calls.over(AirfoilLoop::save_soln, work.cells));
    add("compute.adt_calc", 2 * calls.over(AirfoilLoop::adt_calc, work.cells));
  }
  if (exchanges) add("pack", 2 * halo.pack_s);
  if (exchange.to_host > 0) add("copy.to_host", 2 * exchange.to_host);
  add("compute.res_calc", 2 * calls.over_part(AirfoilLoop::res_calc, own_edges, edges));
  if (exchange.wait > 0) add("wait", 2 * exchange.wait);
  // Launches are not counted as time to hide behind.
  add_network(exchange, calls.without_launches(AirfoilLoop::res_calc, work.core_edges, edges),
              conditions.overlap, step);
  if (exchange.to_device > 0) add("copy.to_device", 2 * exchange.to_device);
  if (exchanges) add("unpack", 2 * halo.pack_s);
  add("compute.bres_calc", 2 * calls.over_part(AirfoilLoop::bres_calc, work.bedges, bedges));
  add_redundant(calls, work, step);
  if (calls.colouring() > 0) add("compute.colouring", 2 * calls.colouring());
  if (fused) {
    add("compute.update_adt", 2 * calls.over(AirfoilLoop::update_adt, work.cells));
    if (!costs.has_update_adt())
      step.notes.emplace_back(
          "airfoil.loops: update_adt not calibrated: update and adt_calc stand for it");
  } else {
    add("compute.update", 2 * calls.over(AirfoilLoop::update, work.cells));
    if (conditions.ranks > 1)
      add("reduce", 2 * paths.allreduce(conditions.ranks, bound, step.notes));
  }
  if (!conditions.increments.empty() && !costs.increments().empty() &&
      conditions.increments != costs.increments())
    step.notes.push_back(
        fmt::format("airfoil.increments: res_calc and bres_calc calibrated with {}, not {}",
                    costs.increments(), conditions.increments));
  calls.note_outside(step.notes);
  return step;
}

Prediction predict_airfoil_refined(const Machine& machine, const AirfoilLoopCosts& costs,
                                   const std::vector<AirfoilWorkload>& workloads,
                                   const AirfoilConditions& conditions, const NoiseWait& noise) {
  Prediction prediction = slowest_workload(
      "refined", workloads, conditions.mean_cells, [&](const AirfoilWorkload& work, Bound bound) {
        return airfoil_refined_step(machine, costs, work, conditions, bound);
      });
  double neighbours = 0;
  for (const AirfoilWorkload& work : workloads) neighbours = std::max(neighbours, work.neighbours);
  // Five loops end each stage with a reduction, of which all ranks wait for all.
  const bool reduces = conditions.sequence == AirfoilSequence::five;
  noise.add_to({.ranks = conditions.ranks,
                .ranks_per_node = conditions.ranks_per_node,
                .times = 2,
                .neighbours = reduces ? 0 : static_cast<int>(std::ceil(neighbours)),
                .dimensions = 2,
                .overlap = conditions.overlap && !reduces},
               prediction);
  return prediction;
}

}  // namespace bellwether
