// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_refined.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/airfoil/airfoil_exchange.hpp"
#include "models/airfoil/airfoil_step.hpp"
#include "models/network/paths.hpp"

namespace bellwether {
namespace {

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
  [[nodiscard]] const std::vector<const char*>& outside() const { return outside_; }

 private:
  const AirfoilLoopCosts& costs_;
  Bound bound_;
  double colouring_ = 0;
  std::vector<const char*> outside_;
};

}  // namespace

Prediction predict_airfoil_refined(const Machine& machine, const AirfoilLoopCosts& costs,
                                   const std::vector<AirfoilWorkload>& workloads,
                                   const AirfoilConditions& conditions) {
  const Paths paths(machine, {conditions.ranks_per_node});
  return slowest_workload("refined", workloads, [&](const AirfoilWorkload& work, Bound bound) {
    RankStep step;
    step.notes = costs.notes();
    Calls calls(costs, bound);
    const double own_edges = work.core_edges + work.eeh_edges;
    const double edges = own_edges + work.ieh_edges;
    const double bedges = work.bedges + work.ieh_bedges;
    const bool exchanges = work.neighbours > 0;
    const AirfoilExchange exchange =
        airfoil_exchange(machine, paths, costs, work, conditions, bound, step.notes);
    const auto add = [&](const char* term, double seconds) { step.terms.add(term, seconds); };

    if (!conditions.fused) {
      add("compute.save_soln", calls.over(AirfoilLoop::save_soln, work.cells));
      add("compute.adt_calc", 2 * calls.over(AirfoilLoop::adt_calc, work.cells));
    }
    if (exchanges) add("pack", 2 * exchange.pack);
    if (exchange.staging > 0) add("copy.to_host", 2 * exchange.staging);
    add("compute.res_calc", 2 * calls.over_part(AirfoilLoop::res_calc, own_edges, edges));
    // Launches are not counted as time to hide behind.
    add_communication(exchange.halo,
                      calls.without_launches(AirfoilLoop::res_calc, work.core_edges, edges),
                      exchange.hideable, conditions.overlap, step);
    if (exchange.staging > 0) add("copy.to_device", 2 * exchange.staging);
    if (exchanges) add("unpack", 2 * exchange.unpack);
    add("compute.bres_calc", 2 * calls.over_part(AirfoilLoop::bres_calc, work.bedges, bedges));
    if (work.ieh_edges + work.ieh_bedges > 0)
      add("compute.redundant",
          2 * (calls.over_part(AirfoilLoop::res_calc, work.ieh_edges, edges) +
               calls.over_part(AirfoilLoop::bres_calc, work.ieh_bedges, bedges)));
    if (calls.colouring() > 0) add("compute.colouring", 2 * calls.colouring());
    if (conditions.fused) {
      add("compute.update_adt", 2 * calls.over(AirfoilLoop::update_adt, work.cells));
      if (!costs.has_update_adt())
        step.notes.emplace_back(
            "airfoil.loops: update_adt not calibrated: update and adt_calc stand for it");
    } else {
      add("compute.update", 2 * calls.over(AirfoilLoop::update, work.cells));
      if (conditions.ranks > 1)
        add("reduce", 2 * paths.allreduce(conditions.ranks, bound, step.notes));
    }
    if (!calls.outside().empty())
      step.notes.push_back(
          fmt::format("airfoil.loops: sets of other sizes than calibrated, at the nearest's cost "
                      "per element: {}",
                      fmt::join(calls.outside(), ", ")));
    return step;
  });
}

}  // namespace bellwether
