// SPDX-License-Identifier: MIT
#include "microbench/airfoil/airfoil_table.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bellwether {
namespace {

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

std::string airfoil_line(const Machine& machine) {
  const auto* const own = section<AirfoilParameters>(machine);
  if (own == nullptr) return {};
  std::string line;
  for (const auto& [precision, curves] : own->loops) {
    double fewest = 0, most = 0;
    for (const std::vector<AirfoilLoopPoint>& points : curves) {
      if (points.empty()) continue;
      if (most == 0) fewest = points.front().elements;
      fewest = std::min(fewest, points.front().elements);
      most = std::max(most, points.back().elements);
    }
    line += fmt::format("{} {}", line.empty() ? "Airfoil's loops:" : ",", precision);
    line += fewest < most ? fmt::format(" over {:.0f} to {:.0f} elements", fewest, most)
                          : fmt::format(" over {:.0f} elements", most);
  }
  return line;
}

}  // namespace bellwether
