// SPDX-License-Identifier: MIT
#include "microbench/stencil/stencil_core_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "models/fit/nonnegative_fit.hpp"
#include "models/stencil/stencil_core.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

/// The coefficients, each with the relative interval of what they sum up to: alone each is known
/// far worse, as one's error makes up for another's.
std::array<Quantity, 4> with_interval_of_sum(const NonnegativeFit& fit,
                                             const std::vector<FitRow>& rows) {
  double half = 0;
  for (const FitRow& row : rows)
    half = std::max(half, fit.half_width(row.factors) / fit.seconds(row));
  std::array<Quantity, 4> all;
  for (std::size_t index = 0; index < all.size(); ++index) {
    const double value = fit.coefficients[index].value;
    all[index] = {value, value * std::max(0., 1 - half), value * (1 + half), {}};
  }
  return all;
}

KernelWork work_of(const CoreSpec& spec, double whole_row_bytes) {
  KernelWork work;
  work.rows = double(spec.across) * spec.across;
  work.cells = work.rows * spec.row;
  const double end_bytes = std::fmod(spec.row * value_bytes(spec.precision), whole_row_bytes);
  work.broken_rows = end_bytes == 0 ? 0 : work.rows;
  work.end_cells = work.rows * end_bytes / value_bytes(spec.precision);
  return work;
}

/// Of boxes of one size, moment for moment: what they took, and what their memory and their core
/// take alone.
struct BoxBesideMemory {
  double core_s = 0, ends_s = 0;  ///< at the core's calibrated speed
  std::vector<double> update_s, memory_s;
};

/// A moment's.
struct MomentOfBox {
  double memory_s, share;
};

double middle_of(const std::vector<MomentOfBox>& moments, double MomentOfBox::*what) {
  std::vector<double> values;
  for (const MomentOfBox& one : moments) values.push_back(one.*what);
  return quantity_of(values).value;
}

/// The middle one of all moments; of those in the state that lasted longer where memory was seen in
/// two, and what the other's differs by.
ExposedShare exposed_share(double set, double cells, std::vector<MomentOfBox> moments) {
  constexpr double apart = 1.15;  // times: more than what a state varies by
  constexpr std::size_t fewest = 3;
  std::sort(moments.begin(), moments.end(),
            [](const auto& one, const auto& other) { return one.memory_s < other.memory_s; });
  const double fast_s = moments[moments.size() / 10].memory_s;
  const double slow_s = moments[moments.size() - 1 - moments.size() / 10].memory_s;
  const auto slower = std::find_if(moments.begin(), moments.end(), [&](const MomentOfBox& one) {
    return one.memory_s > std::sqrt(fast_s * slow_s);
  });
  std::vector<MomentOfBox> most(moments.begin(), slower), others(slower, moments.end());
  if (most.size() < others.size()) std::swap(most, others);
  const bool two = slow_s > apart * fast_s && others.size() >= fewest;
  if (!two) most = moments;
  std::vector<double> shares;
  for (const MomentOfBox& one : most) shares.push_back(one.share);
  ExposedShare exposed{set, quantity_of(shares), middle_of(most, &MomentOfBox::memory_s) / cells,
                       0};
  if (two)
    exposed.less_if_slower = std::max(
        0.,
        (exposed.share.value - middle_of(others, &MomentOfBox::share)) /
            std::log2(middle_of(others, &MomentOfBox::memory_s) / (exposed.memory_cell_s * cells)));
  return exposed;
}

/// By size the middle share of all moments, of the boxes that are an `update` and of its `memory`.
/// `held_values`: of a cell, that an update goes through.
std::vector<ExposedShare> exposed_shares(const StencilCore& core, const CoreCases& cases,
                                         const std::string& update, const std::string& memory,
                                         double held_values, double whole_row_bytes,
                                         const SampleStore& store) {
  std::map<double, BoxBesideMemory> by_set;
  std::vector<double> slowness;
  for (const auto& [spec, key] : cases) {
    if (spec.precision != core.precision) continue;
    const std::vector<double>& seconds = store.at(key);
    const KernelWork work = work_of(spec, whole_row_bytes);
    if (spec.what == "core_beside") {
      if (core.probed_cells_per_s)
        for (const double one : seconds)
          slowness.push_back(one * core.probed_cells_per_s->value / work.cells);
      continue;
    }
    if (spec.what != update && spec.what != memory) continue;
    BoxBesideMemory& box = by_set[work.cells * held_values * value_bytes(spec.precision)];
    (spec.what == update ? box.update_s : box.memory_s) = seconds;
    box.core_s = core.seconds(work, Bound::value);
    box.ends_s = core.ends_s(work, Bound::value);
  }
  std::vector<ExposedShare> exposed;
  for (const auto& [set, box] : by_set) {
    std::vector<MomentOfBox> moments;
    for (std::size_t n = 0; n < std::min(box.update_s.size(), box.memory_s.size()); ++n) {
      const double slower = n < slowness.size() ? slowness[n] : 1;
      const double core_s = box.core_s * slower;
      const double shorter_s = std::min(core_s, box.memory_s[n]);
      const double longer_s = std::max(core_s, box.memory_s[n]);
      moments.push_back(
          {box.memory_s[n],
           std::clamp((box.update_s[n] - box.ends_s * slower - longer_s) / shorter_s, 0., 1.)});
    }
    const double cells = set / (held_values * value_bytes(core.precision));
    if (!moments.empty()) exposed.push_back(exposed_share(set, cells, std::move(moments)));
  }
  return exposed;
}

StencilCores& section_of(Machine& machine) {
  StencilCores* const known = section<StencilCores>(machine);
  return known != nullptr ? *known : set_section(machine, StencilCores{});
}

}  // namespace

std::string CoreSpec::name() const {
  const std::string size = row == across ? fmt::to_string(row) : fmt::format("{}x{}", row, across);
  return fmt::format("{}_{}/{}/{}", app, what, precision, size);
}

std::vector<BoxShape> boxes_in_cache(const std::vector<int>& rows, double cell_bytes,
                                     std::size_t cache_bytes) {
  constexpr int fewest = 4, most = 80;
  std::vector<BoxShape> boxes;
  for (const int row : rows) {
    const double fitting = std::sqrt(0.6 * static_cast<double>(cache_bytes) / (cell_bytes * row));
    if (fitting >= fewest)
      boxes.emplace_back(row, static_cast<int>(std::min<double>(fitting, most)));
  }
  return boxes;
}

int edge_of_set(double times, double cell_bytes, std::size_t cache_bytes) {
  return static_cast<int>(std::cbrt(times * static_cast<double>(cache_bytes) / cell_bytes));
}

std::vector<int> device_edges(const CalibrationLimits& limits) {
  std::vector<int> edges;
  for (const int edge : {288, 400})
    if (limits.largest_edge == 0 || edge <= limits.largest_edge) edges.push_back(edge);
  return edges;
}

void core_from_samples(const CoreCases& cases, double held_values, double whole_row_bytes,
                       const SampleStore& store, Machine& machine) {
  std::map<std::string, std::vector<FitRow>> of_precision;
  std::map<std::string, Quantity> probed;
  for (const auto& [spec, key] : cases) {
    if (spec.what != "core" && spec.what != "probed") continue;
    const KernelWork work = work_of(spec, whole_row_bytes);
    const Quantity seconds = quantity_of(store.at(key));
    if (spec.what == "probed") {
      probed[spec.precision] = {
          work.cells / seconds.value, work.cells / seconds.high, work.cells / seconds.low, {}};
      continue;
    }
    of_precision[spec.precision].push_back(
        {{work.cells, work.rows, work.broken_rows, work.end_cells}, seconds.value});
  }
  for (const auto& [precision, rows] : of_precision) {
    // Where memory is short too few boxes fit to tell the four apart.
    const auto fit = rows.size() > 4 ? solve_nonnegative(rows, 4) : std::nullopt;
    if (!fit) continue;
    const auto [cell_s, row_s, broken_row_s, end_cell_s] = with_interval_of_sum(*fit, rows);
    StencilCore core{cases.front().spec.app, precision, cell_s, row_s, broken_row_s, end_cell_s};
    if (const auto cube = probed.find(precision); cube != probed.end())
      core.probed_cells_per_s = cube->second;
    const auto shares = [&, &core = core](const std::string& update, const std::string& memory,
                                          double held) {
      return exposed_shares(core, cases, update, memory, held, whole_row_bytes, store);
    };
    core.exposed = shares("update", "memory", held_values);
    core.exposed_cached = shares("cached", "cached_memory", held_values);
    core.exposed_shifted = shares("shifted", "shifted_memory", 1);
    section_of(machine).kernels.push_back(core);
  }
}

void update_from_samples(const CoreCases& cases, const StencilKernel& kernel,
                         const SampleStore& store, Machine& machine) {
  std::map<std::string, std::vector<double>> of_precision;
  for (const auto& [spec, key] : cases) {
    const StencilVariant variant{.precision = spec.precision, .stores = "cached"};
    const auto model =
        refined_stencil_model(machine, kernel, variant, machine.layout.ranks_per_node);
    const RankStep step = model->step({{spec.row, spec.across, spec.across}, {}}, Bound::value, 0);
    if (!step.compute || !(step.compute->memory_s > 0)) continue;
    for (const double seconds : store.at(key))
      of_precision[spec.precision].push_back((seconds - step.compute->beside_s) /
                                             step.compute->memory_s);
  }
  for (const auto& [precision, times] : of_precision)
    section_of(machine).updates.push_back({kernel.name, precision, quantity_of(times)});
}

void stencil_core_table(const Machine& machine, ParameterTable& table) {
  const auto* const cores = section<StencilCores>(machine);
  if (cores == nullptr) return;
  if (!cores->kernels.empty()) table.heading("stencils in the caches");
  for (const StencilCore& core : cores->kernels) {
    const std::string kernel = core.app + ", " + core.precision;
    table.row(kernel, core.cell_s, 1e9, "ns", "a cell");
    table.row("  a row", core.row_s, 1e9, "ns", "");
    table.row("  a row's end", core.broken_row_s, 1e9, "ns", "where it is not a line's");
    table.row("  a cell in it", core.end_cell_s, 1e9, "ns", "more than another");
    const auto add = [&](const std::string& what, const std::vector<ExposedShare>& shares) {
      for (const ExposedShare& one : shares)
        table.row(
            fmt::format("  {}, {}", what, size_text(one.working_set_bytes)), one.share, 100, "%",
            one.less_if_slower == 0
                ? "of the shorter of core and memory"
                : fmt::format("of the shorter of core and memory, {:.0f} less where memory takes "
                              "twice as long: it was seen in two states",
                              100 * one.less_if_slower));
    };
    add("not hidden", core.exposed);
    add("cached stores", core.exposed_cached);
    add("shifted", core.exposed_shifted);
  }
  if (!cores->updates.empty()) table.heading("stencils' updates");
  for (const StencilUpdate& update : cores->updates)
    table.row(update.app + ", " + update.precision, update.times, 1, "times",
              "what the memory curves have for it");
}

}  // namespace bellwether
