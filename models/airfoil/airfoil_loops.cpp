// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_loops.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/roofline/roofline.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

struct LoopTraffic {
  double values;
  double index_bytes;
};
// By AirfoilLoop.
constexpr LoopTraffic paper_traffic[] = {{8, 0},  {7, 16},  {7.5, 16}, {15, 16},
                                         {17, 0}, {24, 16}, {15, 32},  {27, 32}};
constexpr LoopTraffic own_traffic[] = {{8, 0},  {7, 16},  {8.5, 8}, {15, 8},
                                       {17, 0}, {21, 16}, {15, 32}, {27, 32}};

constexpr double edges_of_cell = 2;  // of quadrilaterals, but for the boundary's

Quantity scaled(const Quantity& quantity, double factor) {
  return {quantity.value * factor, quantity.low * factor, quantity.high * factor, quantity.source};
}

/// Seconds per element of so many bytes.
Quantity from_bandwidth(double bytes, const Machine& machine, int ranks_on_node) {
  const auto seconds = [&](Bound bound) {
    return bytes / memory_rate(machine, ranks_on_node, bound);
  };
  return {seconds(Bound::value), seconds(Bound::fastest), seconds(Bound::slowest), {}};
}

/// Seconds of a call over `elements`, linear between the points.
double along(const std::vector<AirfoilLoopPoint>& points, double elements, Bound bound) {
  const auto next = std::lower_bound(
      points.begin(), points.end(), elements,
      [](const AirfoilLoopPoint& point, double size) { return point.elements < size; });
  const auto cost = [bound](const AirfoilLoopPoint& point) {
    return cost_at(point.seconds_per_element, bound);
  };
  if (next == points.begin()) return cost(*next) * elements;
  if (next == points.end()) return cost(points.back()) * elements;
  const AirfoilLoopPoint& below = *(next - 1);
  const double share = (elements - below.elements) / (next->elements - below.elements);
  return (1 - share) * cost(below) * below.elements + share * cost(*next) * next->elements;
}

const std::vector<AirfoilLoopPoint>& curve_of(const AirfoilLoopCurves& curves, AirfoilLoop loop) {
  return curves[static_cast<std::size_t>(loop)];
}

}  // namespace

std::vector<AirfoilLoop> airfoil_loops(AirfoilSequence sequence) {
  using enum AirfoilLoop;
  switch (sequence) {
    case AirfoilSequence::five:
      return {save_soln, adt_calc, res_calc, bres_calc, update};
    case AirfoilSequence::fused:
      return {res_calc, bres_calc, update_adt};
    case AirfoilSequence::gather:
      return {stage};
    case AirfoilSequence::tiled:
      return {tiled_stage};
  }
  return {};
}

int airfoil_calls(AirfoilLoop loop) { return loop == AirfoilLoop::save_soln ? 1 : 2; }

double airfoil_elements(const AirfoilMesh& mesh, AirfoilLoop loop) {
  if (loop == AirfoilLoop::res_calc) return static_cast<double>(mesh.edges());
  if (loop == AirfoilLoop::bres_calc) return static_cast<double>(mesh.boundary_edges());
  return static_cast<double>(mesh.cells());
}

double airfoil_loop_bytes(AirfoilLoop loop, const std::string& precision, AirfoilTraffic traffic) {
  const auto at = static_cast<std::size_t>(loop);
  const LoopTraffic& moved = traffic == AirfoilTraffic::paper ? paper_traffic[at] : own_traffic[at];
  return moved.values * value_bytes(precision) + moved.index_bytes;
}

double airfoil_bytes(const AirfoilMesh& mesh, const std::string& precision) {
  const auto of = [](std::int64_t elements) { return static_cast<double>(elements); };
  constexpr double indices = 4 * 4;  // of a cell, an edge or a boundary edge
  return (13 * of(mesh.cells()) + 2 * of(mesh.nodes())) * value_bytes(precision) +
         indices * (of(mesh.cells()) + of(mesh.edges()) + of(mesh.boundary_edges()));
}

AirfoilLoopCosts::AirfoilLoopCosts(const Machine& machine, const std::string& precision,
                                   int ranks_on_node)
    : on_gpu_(machine.device.kind == "gpu") {
  const auto* measured = section<AirfoilParameters>(machine);
  const int on_node = ranks_on_node > 0 ? ranks_on_node : machine.layout.ranks_per_node;
  const std::string other = precision == "f64" ? "f32" : "f64";
  const auto known = [&](const std::string& key) {
    return measured && measured->loops.count(key) > 0;
  };
  const auto each_loop = [this](const auto& work) {
    for (const AirfoilTraffic traffic : {AirfoilTraffic::own, AirfoilTraffic::paper})
      for (std::size_t loop = 0; loop < curves_.size(); ++loop)
        work(static_cast<AirfoilLoop>(loop), traffic,
             (traffic == AirfoilTraffic::own ? curves_ : paper_curves_)[loop]);
  };
  if (known(precision)) {
    curves_ = paper_curves_ = measured->loops.at(precision);
  } else if (known(other)) {
    curves_ = paper_curves_ = measured->loops.at(other);
    each_loop([&](AirfoilLoop loop, AirfoilTraffic traffic, std::vector<AirfoilLoopPoint>& points) {
      const double factor =
          airfoil_loop_bytes(loop, precision, traffic) / airfoil_loop_bytes(loop, other, traffic);
      for (AirfoilLoopPoint& point : points)
        point.seconds_per_element = scaled(point.seconds_per_element, factor);
    });
    notes_.push_back(
        fmt::format("airfoil.loops: not calibrated in {}: costs in {} scaled by the loops' bytes",
                    precision, other));
  } else {
    each_loop([&](AirfoilLoop loop, AirfoilTraffic traffic, std::vector<AirfoilLoopPoint>& points) {
      points = {
          {1, from_bandwidth(airfoil_loop_bytes(loop, precision, traffic), machine, on_node)}};
    });
    notes_.push_back(
        "airfoil.loops: not calibrated: costs derived from memory bandwidth, the least the loops "
        "can take");
    derived_ = true;
  }
  has_update_adt_ = !curve_of(curves_, AirfoilLoop::update_adt).empty();
  std::vector<AirfoilLoopPoint>& stage = curves_[static_cast<std::size_t>(AirfoilLoop::stage)];
  has_stage_ = !stage.empty();
  gathers_ = on_gpu_ ? has_stage_ : stage.size() > 1;
  if (!has_stage_)
    stage = {
        {1, from_bandwidth(airfoil_loop_bytes(AirfoilLoop::stage, precision, AirfoilTraffic::own),
                           machine, on_node)}};
  has_tiled_stage_ = !curve_of(curves_, AirfoilLoop::tiled_stage).empty();
  if (measured && measured->increments) increments_ = *measured->increments;
  if (!on_gpu_) return;
  if (machine.device.launch_latency_s) launch_s_ = *machine.device.launch_latency_s;
  if (!measured) return;
  if (measured->res_calc_colours) res_calc_colours_ = *measured->res_calc_colours;
  if (measured->bres_calc_colours) bres_calc_colours_ = *measured->bres_calc_colours;
}

double AirfoilLoopCosts::seconds(AirfoilLoop loop, double elements, Bound bound) const {
  if (loop == AirfoilLoop::update_adt && !has_update_adt_)
    return seconds(AirfoilLoop::update, elements, bound) +
           seconds(AirfoilLoop::adt_calc, elements, bound);
  if (loop == AirfoilLoop::tiled_stage && !has_tiled_stage_)
    return seconds(AirfoilLoop::res_calc, edges_of_cell * elements, bound) +
           seconds(AirfoilLoop::update_adt, elements, bound);
  return along(curve_of(curves_, loop), elements, bound);
}

double AirfoilLoopCosts::paper_seconds(AirfoilLoop loop, double elements, Bound bound) const {
  const std::vector<AirfoilLoopPoint>& points = curve_of(paper_curves_, loop);
  if (on_gpu_) return along(points, elements, bound);
  return cost_at(points.back().seconds_per_element, bound) * elements;
}

bool AirfoilLoopCosts::outside(AirfoilLoop loop, double elements) const {
  if (loop == AirfoilLoop::update_adt && !has_update_adt_)
    return outside(AirfoilLoop::update, elements) || outside(AirfoilLoop::adt_calc, elements);
  if (loop == AirfoilLoop::stage && !has_stage_) return false;
  if (loop == AirfoilLoop::tiled_stage && !has_tiled_stage_)
    return outside(AirfoilLoop::res_calc, edges_of_cell * elements) ||
           outside(AirfoilLoop::update_adt, elements);
  const std::vector<AirfoilLoopPoint>& points = curve_of(curves_, loop);
  return !derived_ && elements > 0 &&
         (elements < points.front().elements / 1.1 || elements > points.back().elements * 1.1);
}

double AirfoilLoopCosts::launch(Bound bound) const { return cost_at(launch_s_, bound); }

double AirfoilLoopCosts::launches(AirfoilLoop loop, Bound bound) const {
  if (loop == AirfoilLoop::res_calc) return cost_at(res_calc_colours_, bound);
  if (loop == AirfoilLoop::bres_calc) return cost_at(bres_calc_colours_, bound);
  return 1;
}

}  // namespace bellwether
