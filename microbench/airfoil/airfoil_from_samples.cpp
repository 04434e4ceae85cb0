// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "microbench/airfoil/airfoil.hpp"
#include "models/airfoil/airfoil_loops.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

namespace bellwether {
namespace {

/// The mini-app's loops from its own sequence; the others only run in OP2's.
bool taken_from(const AirfoilSpec& spec, AirfoilLoop loop) {
  if (spec.fused || spec.increments == Increments::plain) return true;
  const std::vector<AirfoilLoop> fused = airfoil_loops(AirfoilSequence::fused);
  return std::find(fused.begin(), fused.end(), loop) == fused.end();
}

/// The points at the fewest elements, of the least cost, and at the most elements.
void add_airfoil_curve(const char* loop, const std::vector<AirfoilLoopPoint>& points,
                       ParameterTable& table) {
  const auto least =
      std::min_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
        return a.seconds_per_element.value < b.seconds_per_element.value;
      });
  std::string line = fmt::format("  {:<14}", loop);
  for (const AirfoilLoopPoint& point : {points.front(), *least, points.back()})
    line +=
        table_cell(point.seconds_per_element, 1e9) + fmt::format("over {:<12.0f}", point.elements);
  table.line(line);
}

}  // namespace

void airfoil_from_samples(const AirfoilCases& cases, const SampleStore& store, Machine& machine) {
  if (cases.empty()) return;
  const double launch_s =
      machine.device.kind == "cpu" ? 0 : machine.device.launch_latency_s.value().value;
  AirfoilParameters parameters;
  for (const auto& [spec, key] : cases) {
    const std::vector<AirfoilLoop> loops = airfoil_loops(spec.sequence());
    if (spec.increments != Increments::gather) parameters.increments = name_of(spec.increments);
    for (std::size_t part = 0; part < loops.size(); ++part) {
      const AirfoilLoop loop = loops[part];
      if (!taken_from(spec, loop)) continue;
      const double elements = airfoil_elements(spec.mesh, loop);
      Quantity cost = quantity_of(store.at(key.of_part(part)));
      for (double* const end : {&cost.value, &cost.low, &cost.high})
        *end = std::max(0.0, *end / airfoil_calls(loop) - launch_s) / elements;
      parameters.loops[spec.precision][static_cast<std::size_t>(loop)].push_back({elements, cost});
    }
  }
  set_section(machine, parameters);
}

void airfoil_table(const Machine& machine, ParameterTable& table) {
  const auto* const own = section<AirfoilParameters>(machine);
  if (own == nullptr) return;
  const AirfoilParameters& airfoil = *own;
  for (const auto& [precision, curves] : airfoil.loops) {
    table.heading(
        fmt::format("airfoil loops, {}: ns [95 %] for one of a call's elements", precision));
    const bool measured = curves.front().size() > 1;
    if (measured)
      table.line(fmt::format("  {:<14}   {:<37}{:<37}{}", "", "fewest", "least", "most"));
    for (std::size_t loop = 0; loop < curves.size(); ++loop) {
      if (measured && !curves[loop].empty())
        add_airfoil_curve(airfoil_loop_names[loop], curves[loop], table);
      else
        for (const AirfoilLoopPoint& point : curves[loop])
          table.row(
              airfoil_loop_names[loop], point.seconds_per_element, 1e9, "ns",
              fmt::format("over {:.0f} ({})", point.elements, point.seconds_per_element.source));
    }
  }
  if (airfoil.ranks_per_nic)
    table.line(fmt::format("  {} through one network card", ranks_text(*airfoil.ranks_per_nic)));
}

Folder airfoil_folder() {
  return {.plan = measured(plan_airfoil, airfoil_from_samples),
          .table = airfoil_table,
          .parameters = "Airfoil",
          .is_of_a_miniapp = true};
}

}  // namespace bellwether
