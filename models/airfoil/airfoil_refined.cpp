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

/// An iteration: both its stages do the same.
class Iteration {
 public:
  Iteration(const Machine& machine, const AirfoilLoopCosts& costs, const AirfoilWorkload& work,
            const AirfoilConditions& conditions, Bound bound, std::vector<std::string>& notes)
      : machine_(machine),
        costs_(costs),
        work_(work),
        conditions_(conditions),
        bound_(bound),
        notes_(notes),
        paths_(paths_of(machine, conditions)),
        calls_(costs, bound),
        overlap_(conditions.overlap && work.neighbours > 0) {
    for (const std::string& note : costs.notes()) notes_.push_back(note);
    const HaloExchange halo = halo_of(machine, costs, work, conditions, bound);
    const int on_node = paths_.placement().on_node(conditions.ranks);
    const HaloCost cost(paths_, on_node, airfoil_ranks_per_nic(machine, on_node));
    cost.note(halo, notes_);
    exchange_ = {.times = cost.times(halo, bound), .pack_s = halo.pack_s, .overlap = overlap_};
  }

  [[nodiscard]] RankProgram program() {
    if (has_stages(conditions_.sequence))
      one_loop();
    else
      loops();
    calls_.note_outside(notes_);
    return std::move(program_);
  }

 private:
  /// A stage as one loop. Gathers compute no edge twice, and cells without a neighbour on another
  /// rank hide the exchange: those, and the others after it, are a launch each where it is to be
  /// hidden. Tiles hide it behind the core edges and what these complete, and compute others' edges
  /// too.
  void one_loop() {
    const bool gathers = conditions_.sequence == AirfoilSequence::gather;
    const AirfoilLoop loop = gathers ? AirfoilLoop::stage : AirfoilLoop::tiled_stage;
    const double core = work_.core_cells(),
                 parts_s = overlap_ ? calls_.over_part(loop, core, work_.cells) +
                                          calls_.over_part(loop, work_.cells - core, work_.cells)
                                    : calls_.over(loop, work_.cells);
    const double redundant_s = gathers ? 0 : redundant();
    for (int stage = 0; stage < stages; ++stage) {
      computing("compute.stage", parts_s, calls_.without_launches(loop, core, work_.cells));
      if (redundant_s > 0) program_.compute("compute.redundant", redundant_s);
      if (const auto& between = machine_.device.between_kernels_s;
          between && work_.neighbours == 0 && machine_.device.kind == "gpu")
        program_.wait("other", cost_at(*between, bound_));
    }
    if (gathers && !costs_.has_stage())
      notes_.emplace_back(
          "airfoil.loops: stage not calibrated: derived from memory bandwidth, the least it can "
          "take");
    if (!gathers && !costs_.has_tiled_stage())
      notes_.emplace_back(
          "airfoil.loops: tiled_stage not calibrated: res_calc and update_adt stand for it");
  }

  void loops() {
    const bool fused = conditions_.sequence == AirfoilSequence::fused;
    const double own_edges = work_.core_edges + work_.eeh_edges;
    const double edges = own_edges + work_.ieh_edges;
    const double res_calc = calls_.over_part(AirfoilLoop::res_calc, own_edges, edges);
    const double bres_calc =
        calls_.over_part(AirfoilLoop::bres_calc, work_.bedges, work_.bedges + work_.ieh_bedges);
    const double redundant_s = redundant();
    const double colouring_s = calls_.colouring();
    if (!fused)
      program_.compute("compute.save_soln", calls_.over(AirfoilLoop::save_soln, work_.cells));
    for (int stage = 0; stage < stages; ++stage) {
      if (!fused)
        program_.compute("compute.adt_calc", calls_.over(AirfoilLoop::adt_calc, work_.cells));
      computing("compute.res_calc", res_calc,
                calls_.without_launches(AirfoilLoop::res_calc, work_.core_edges, edges));
      program_.compute("compute.bres_calc", bres_calc);
      if (redundant_s > 0) program_.compute("compute.redundant", redundant_s);
      if (colouring_s > 0) program_.compute("compute.colouring", colouring_s);
      if (fused)
        program_.compute("compute.update_adt", calls_.over(AirfoilLoop::update_adt, work_.cells));
      else
        program_.compute("compute.update", calls_.over(AirfoilLoop::update, work_.cells));
      if (!fused && conditions_.ranks > 1)
        program_.reduce(paths_.allreduce(conditions_.ranks, bound_, notes_), 1,
                        value_bytes(conditions_.precision));
    }
    if (fused && !costs_.has_update_adt())
      notes_.emplace_back(
          "airfoil.loops: update_adt not calibrated: update and adt_calc stand for it");
    if (!conditions_.increments.empty() && !costs_.increments().empty() &&
        conditions_.increments != costs_.increments())
      notes_.push_back(
          fmt::format("airfoil.increments: res_calc and bres_calc calibrated with {}, not {}",
                      costs_.increments(), conditions_.increments));
  }

  /// The exchange and the loop that needs it, of whose seconds `core_s`, without launches, do not.
  void computing(const char* term, double seconds, double core_s) {
    double meanwhile_s = 0;
    if (work_.neighbours > 0) {
      meanwhile_s = overlap_ ? core_s : 0;
      exchange_.meanwhile = term;
      exchange_.meanwhile_s = meanwhile_s;
      exchange_.hides_s = core_s;
      program_.exchange(exchange_);
    }
    program_.compute(term, seconds - meanwhile_s);
  }
  /// Other ranks' edges that are computed too.
  double redundant() {
    if (work_.ieh_edges + work_.ieh_bedges <= 0) return 0;
    const double edges = work_.core_edges + work_.eeh_edges + work_.ieh_edges;
    return calls_.over_part(AirfoilLoop::res_calc, work_.ieh_edges, edges) +
           calls_.over_part(AirfoilLoop::bres_calc, work_.ieh_bedges,
                            work_.bedges + work_.ieh_bedges);
  }

  static constexpr int stages = 2;

  const Machine& machine_;
  const AirfoilLoopCosts& costs_;
  const AirfoilWorkload& work_;
  const AirfoilConditions& conditions_;
  Bound bound_;
  std::vector<std::string>& notes_;
  Paths paths_;
  Calls calls_;
  bool overlap_;
  RankExchange exchange_;
  RankProgram program_;
};

}  // namespace

RankProgram airfoil_program(const Machine& machine, const AirfoilLoopCosts& costs,
                            const AirfoilWorkload& work, const AirfoilConditions& conditions,
                            Bound bound, std::vector<std::string>& notes) {
  return Iteration(machine, costs, work, conditions, bound, notes).program();
}

Prediction predict_airfoil_refined(const Machine& machine, const AirfoilLoopCosts& costs,
                                   const std::vector<AirfoilWorkload>& workloads,
                                   const AirfoilConditions& conditions, const NoiseWait& noise) {
  Prediction prediction = slowest_workload(
      "refined", workloads, conditions.mean_cells, [&](const AirfoilWorkload& work, Bound bound) {
        std::vector<std::string> notes;
        RankStep step = airfoil_program(machine, costs, work, conditions, bound, notes).step();
        step.notes = std::move(notes);
        return step;
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
