// SPDX-License-Identifier: MIT
#include "microbench/stencil/stencil_core_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "models/fit/nonnegative_fit.hpp"
#include "models/median.hpp"
#include "models/stencil/stencil_core.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

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

KernelWork work_of(const CoreSpec& spec, double whole_row_bytes) {
  KernelWork work;
  work.rows = double(spec.across) * spec.across;
  work.cells = work.rows * spec.row;
  const bool whole = std::fmod(spec.row * value_bytes(spec.precision), whole_row_bytes) == 0;
  work.broken_rows = whole ? 0 : work.rows;
  return work;
}

/// Of one sample: what memory, core, rows' ends and all together took, and what was exposed of the
/// first two.
struct SampleOfBox {
  double memory_s, core_s, ends_s, update_s, share;
};

/// What the moments' medians scatter by about the update's time with so much exposed: the deviation
/// of the logarithm, by its median size; 0 of fewer than three moments.
double scatter_of_moments(const std::vector<SampleOfBox>& samples, std::size_t samples_a_moment,
                          double share) {
  constexpr double deviations = 1.4826;  // of a normal distribution, in which half lie within one
  std::vector<double> sizes;
  for (std::size_t n = 0; n + samples_a_moment <= samples.size(); n += samples_a_moment) {
    std::vector<double> ratios;
    for (std::size_t k = n; k < n + samples_a_moment; ++k) {
      const SampleOfBox& one = samples[k];
      ratios.push_back(one.update_s / (overlapped_s(one.memory_s, one.core_s, share) + one.ends_s));
    }
    sizes.push_back(std::abs(std::log(median_of(std::move(ratios)))));
  }
  return sizes.size() < 3 ? 0 : deviations * median_of(std::move(sizes));
}

/// The median share of all samples, and the scatter.
ExposedShare exposed_share(double set, const std::vector<SampleOfBox>& samples,
                           std::size_t samples_a_moment) {
  std::vector<double> shares;
  for (const SampleOfBox& one : samples) shares.push_back(one.share);
  const Quantity middle = quantity_of(std::move(shares));
  return {set, middle, scatter_of_moments(samples, samples_a_moment, middle.value)};
}

/// By size, of the boxes beside their memory. `held_values`: of a cell, that an update goes
/// through; `probed_s`: what the probed cube took when the core was measured.
std::vector<ExposedShare> exposed_shares(const StencilCore& core, double probed_s,
                                         const CoreCases& cases, double held_values,
                                         double whole_row_bytes, const SampleStore& store) {
  std::vector<ExposedShare> exposed;
  for (const auto& [spec, key] : cases) {
    if (spec.precision != core.precision || spec.what != "update") continue;
    const std::vector<double>&update_s = store.at(key), &cube_s = store.at(key.of_part(0)),
          &memory_s = store.at(key.of_part(1));
    const KernelWork work = work_of(spec, whole_row_bytes);
    std::vector<SampleOfBox> samples;
    for (std::size_t n = 0; n < update_s.size(); ++n) {
      const double slower = cube_s[n] / probed_s;
      const double core_s = core.seconds(work, Bound::value) * slower;
      const double ends_s = core.ends_s(work, Bound::value) * slower;
      samples.push_back({memory_s[n], core_s, ends_s, update_s[n],
                         exposed_share_of(core_s, memory_s[n], update_s[n] - ends_s)});
    }
    const double set = work.cells * held_values * value_bytes(spec.precision);
    exposed.push_back(
        exposed_share(set, samples, static_cast<std::size_t>(spec.samples_per_round())));
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

std::vector<int> device_edges(const CalibrationLimits& limits) {
  std::vector<int> edges;
  for (const int edge : {288, 400})
    if (limits.largest_edge == 0 || edge <= limits.largest_edge) edges.push_back(edge);
  return edges;
}

void time_beside(const Bench& bench, BenchCase& work, std::function<void()> update,
                 std::function<void()> cube, int cube_batch, std::function<void()> memory) {
  const auto beside_s = std::make_shared<std::vector<double>>();
  work.parts = {"core"};
  if (memory) work.parts.emplace_back("memory");
  work.part_seconds = [beside_s] { return *beside_s; };
  work.sample = [&bench, beside_s, batch = work.batch, cube_batch, update = std::move(update),
                 cube = std::move(cube), memory = std::move(memory)] {
    const auto seconds = [&](const std::function<void()>& once, int times) {
      if (times > 1) once();  // a box that takes long leaves nothing behind
      return batch * repeated(bench, once, times)() / times;
    };
    const double update_s = seconds(update, batch);
    *beside_s = {seconds(cube, cube_batch)};
    if (memory) beside_s->push_back(seconds(memory, batch));
    return update_s;
  };
}

void core_from_samples(const CoreCases& cases, double held_values, double whole_row_bytes,
                       const SampleStore& store, Machine& machine) {
  std::map<std::string, double> probed_s;
  std::map<std::string, Quantity> probed;
  for (const auto& [spec, key] : cases) {
    if (spec.what != "probed") continue;
    const Quantity seconds = quantity_of(store.at(key));
    const double cells = work_of(spec, whole_row_bytes).cells;
    probed_s[spec.precision] = seconds.value;
    probed[spec.precision] = {cells / seconds.value, cells / seconds.high, cells / seconds.low, {}};
  }
  std::map<std::string, std::vector<FitRow>> of_precision;
  for (const auto& [spec, key] : cases) {
    if (spec.what != "core") continue;
    const std::vector<double>&update_s = store.at(key), &cube_s = store.at(key.of_part(0));
    std::vector<double> by_cube;
    for (std::size_t n = 0; n < update_s.size(); ++n) by_cube.push_back(update_s[n] / cube_s[n]);
    const KernelWork work = work_of(spec, whole_row_bytes);
    of_precision[spec.precision].push_back(
        {{work.cells, work.rows, work.broken_rows},
         median_of(std::move(by_cube)) * probed_s.at(spec.precision)});
  }
  for (const auto& [precision, rows] : of_precision) {
    // Where memory is short too few boxes fit to tell the three apart.
    const auto fit = rows.size() > 3 ? solve_nonnegative(rows, 3) : std::nullopt;
    if (!fit) continue;
    const auto [cell_s, row_s, broken_row_s] = with_interval_of_sum(*fit, rows);
    StencilCore core{cases.front().spec.app, precision, cell_s, row_s, broken_row_s};
    core.probed_cells_per_s = probed.at(precision);
    core.exposed =
        exposed_shares(core, probed_s.at(precision), cases, held_values, whole_row_bytes, store);
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

}  // namespace bellwether
