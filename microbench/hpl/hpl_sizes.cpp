// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "microbench/hpl/hpl.hpp"
#include "miniapps/hpl/local_matrix.hpp"

namespace bellwether {

using Operation = HplSpec::Operation;

std::size_t hpl_values(long rows, long columns) {
  return static_cast<std::size_t>(rows * odd_lines(columns));
}

std::size_t HplSizes::arena_values() const {
  const long width = widths.back();
  const std::size_t products =
      hpl_values(edge, edge) + hpl_values(width, edge) * 3 + hpl_values(width, width);
  return std::max(products, hpl_values(tallest, columns_about()));
}

std::size_t HplSizes::panel_values() const {
  const long width = widths.back();
  return hpl_values(width, tallest) + static_cast<std::size_t>(width * width);
}

std::string HplSpec::name() const {
  constexpr const char* names[] = {"product",      "triangle",       "panel",
                                   "device_panel", "solve_triangle", "swap",
                                   "solve",        "broadcast",      "pivot"};
  std::string name = fmt::format("hpl/{}", names[static_cast<int>(operation)]);
  if (rows > 0) name += fmt::format("/rows:{}", rows);
  if (columns > 0) name += fmt::format("/columns:{}", columns);
  if (width > 0) name += fmt::format("/width:{}", width);
  return name;
}

HplSizes hpl_sizes(const CalibrationLimits& limits, std::size_t room) {
  const std::size_t most = std::min(room / 2, limits.most_case_bytes);
  HplSizes sizes;
  const auto bytes = [&] { return sizeof(double) * (sizes.arena_values() + sizes.panel_values()); };
  for (const int edge : {2048, 1024, 512, 256, 128}) {
    sizes = {edge, edge == 2048 ? (limits.quick ? 10240 : 16384) : 2 * edge, {}, {}};
    for (const int width : limits.quick ? std::vector{64, 128, 384}
                                        : std::vector{32, 64, 96, 128, 192, 256, 384, 512})
      if (width <= edge / 4) sizes.widths.push_back(width);
    if (!sizes.empty() && bytes() <= most) break;
    sizes = {};
  }
  if (sizes.empty()) return sizes;
  for (const int height : limits.quick ? std::vector{1024} : std::vector{512, 2048, 6144})
    if (height >= sizes.widths.back() && height < sizes.tallest) sizes.heights.push_back(height);
  sizes.heights.push_back(sizes.tallest);
  return sizes;
}

std::vector<HplSpec> hpl_specs(const HplSizes& sizes, const HplSite& site) {
  std::vector<HplSpec> specs;
  if (sizes.empty()) return specs;
  const int large = sizes.edge, small = sizes.edge / 8;
  for (const int width : sizes.widths) {
    for (const int rows : {small, large})
      for (const int columns : {small, large})
        specs.push_back({Operation::product, rows, columns, width});
    for (const int columns : {small, large}) {
      specs.push_back({Operation::triangle, 0, columns, width});
      if (site.device_panels) specs.push_back({Operation::solve_triangle, 0, columns, width});
    }
    for (const int rows : sizes.heights) {
      specs.push_back({Operation::panel, rows, 0, width});
      if (site.device_panels) specs.push_back({Operation::device_panel, rows, 0, width});
    }
  }
  const int usual = sizes.widths[sizes.widths.size() / 2];
  specs.push_back({Operation::swap, 0, large, std::min(usual, large / 16)});
  specs.push_back({Operation::solve, large, 0, usual});
  if (!site.has_pairs) return specs;
  if (site.on_host) specs.push_back({Operation::broadcast, large, usual, 0});
  specs.push_back({Operation::pivot, 0, usual, 0});
  return specs;
}

}  // namespace bellwether
