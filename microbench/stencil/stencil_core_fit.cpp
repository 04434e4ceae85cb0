// SPDX-License-Identifier: MIT
#include "microbench/stencil/stencil_core_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "models/fit/nonnegative_fit.hpp"
#include "models/roofline/roofline.hpp"
#include "models/stencil/stencil_core.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

/// What the memory curves' row kernel takes for a cube.
double row_kernel_s(const Machine& machine, const std::string& precision, double cells) {
  constexpr double rereads = 4;
  const double bytes = 2 * cells * value_bytes(precision);
  const KernelTimer timer(machine.device, rereads,
                          {precision, "auto", machine.layout.ranks_per_node, bytes});
  return bytes * timer.memory(bytes).value;
}

/// The coefficients, each with the relative interval of what they sum up to: alone each is known
/// far worse, as one's error makes up for another's.
std::array<Quantity, 3> with_interval_of_sum(const NonnegativeFit& fit,
                                             const std::vector<FitRow>& rows) {
  double half = 0;
  for (const FitRow& row : rows)
    half = std::max(half, fit.half_width(row.factors) / fit.seconds(row));
  std::array<Quantity, 3> all;
  for (std::size_t index = 0; index < all.size(); ++index) {
    const double value = fit.coefficients[index].value;
    all[index] = {value, value * std::max(0., 1 - half), value * (1 + half), {}};
  }
  return all;
}

}  // namespace

std::string CoreSpec::name() const { return fmt::format("{}_core/{}/{}", app, precision, edge); }

void core_from_samples(const CoreCases& cases, double whole_row_bytes, bool beyond_row_kernel,
                       const SampleStore& store, Machine& machine) {
  // Of a difference that noise made nothing, or less.
  constexpr double least_share = 0.02;
  std::map<std::string, std::vector<FitRow>> of_precision;
  for (const auto& [spec, key] : cases) {
    const double rows = double(spec.edge) * spec.edge, cells = rows * spec.edge;
    double seconds = quantity_of(store.at(key)).value;
    if (beyond_row_kernel)
      seconds =
          std::max(least_share * seconds, seconds - row_kernel_s(machine, spec.precision, cells));
    const bool whole = std::fmod(spec.edge * value_bytes(spec.precision), whole_row_bytes) == 0;
    of_precision[spec.precision].push_back({{cells, rows, whole ? 0 : rows}, seconds});
  }
  for (const auto& [precision, rows] : of_precision) {
    // Where memory is short too few cubes fit to tell the three apart.
    const auto fit = rows.size() > 3 ? solve_nonnegative(rows, 3) : std::nullopt;
    if (!fit) continue;
    StencilCores* cores = section<StencilCores>(machine);
    if (cores == nullptr) cores = &set_section(machine, StencilCores{});
    const auto [cell_s, row_s, broken_row_s] = with_interval_of_sum(*fit, rows);
    cores->kernels.push_back({cases.front().spec.app, precision, cell_s, row_s, broken_row_s});
  }
}

void stencil_core_table(const Machine& machine, ParameterTable& table) {
  const auto* const cores = section<StencilCores>(machine);
  if (cores == nullptr) return;
  table.heading("stencils in the caches");
  for (const StencilCore& core : cores->kernels) {
    const std::string kernel = core.app + ", " + core.precision;
    table.row(kernel, core.cell_s, 1e9, "ns",
              core.app == "lbm" ? "a cell" : "a cell, beyond the row kernel");
    table.row("  a row", core.row_s, 1e9, "ns", "");
    table.row("  a row's end", core.broken_row_s, 1e9, "ns", "where it is not a line's");
  }
}

}  // namespace bellwether
