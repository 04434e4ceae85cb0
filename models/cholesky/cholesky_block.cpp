// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/network/link.hpp"
#include "models/network/paths.hpp"
#include "models/roofline/roofline.hpp"
#include "models/scaling/rank_prediction.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

/// Columns of blocks that are multiplied together, as the mini-app's.
constexpr double product_columns = 256;
constexpr double most_panels = 256;

BlockCosts costs_of(const CholeskyBlock& one, Bound bound) {
  return {cost_at(one.factor_s, bound), rate_at(one.solve_flops_per_s, bound),
          rate_at(one.product_flops_per_s, bound), cost_at(one.half_m, bound),
          cost_at(one.half_n, bound)};
}

BlockCosts between(const std::vector<CholeskyBlock>& blocks, double block, Bound bound) {
  const auto after = std::find_if(blocks.begin(), blocks.end(),
                                  [block](const CholeskyBlock& one) { return one.block >= block; });
  const CholeskyBlock& second = after == blocks.end() ? blocks.back() : *after;
  const CholeskyBlock& first =
      after == blocks.begin() || after == blocks.end() ? second : after[-1];
  BlockCosts costs = costs_of(second, bound);
  const auto per_column = [](const BlockCosts& of, const CholeskyBlock& one) {
    return of.factor_s / one.block;
  };
  if (&first == &second) {
    const double times = block / second.block;
    costs.factor_s *= times * times * times;
    return costs;
  }
  const BlockCosts before = costs_of(first, bound);
  const double share = (block - first.block) / (second.block - first.block);
  const double in_inverse = share * second.block / block;
  const auto rate = [&](double one, double other) {
    return 1 / std::lerp(1 / one, 1 / other, in_inverse);
  };
  costs.factor_s = block * std::lerp(per_column(before, first), per_column(costs, second), share);
  costs.solve_flops_per_s = rate(before.solve_flops_per_s, costs.solve_flops_per_s);
  costs.product_flops_per_s = rate(before.product_flops_per_s, costs.product_flops_per_s);
  costs.half_m = std::lerp(before.half_m, costs.half_m, in_inverse);
  costs.half_n = std::lerp(before.half_n, costs.half_n, in_inverse);
  return costs;
}

const CholeskyKernelRates* rates_of(const Machine& machine, const std::string& precision) {
  const auto* own = section<CholeskyParameters>(machine);
  if (own == nullptr) return nullptr;
  const auto found = own->kernels.find(precision);
  return found == own->kernels.end() || found->second.blocks.empty() ? nullptr : &found->second;
}

/// A panel's way to the other ranks: all of it, and what of it computation can hide.
struct Way {
  double seconds = 0, hideable_s = 0;
};

Way way_of(const Paths& paths, const ColumnWay& way, const LinkTiming* broadcast, double bytes,
           Bound bound) {
  Way all;
  const auto add = [&](double times, double sharing, double added_s, const LinkTiming& timing,
                       double hideable) {
    const double seconds = times * (link_time(timing, bytes, bound, sharing) + added_s);
    all.seconds += seconds;
    all.hideable_s += hideable * seconds;
  };
  if (way.between_nodes > 0) {
    const Path path = paths.to(Across::other_node);
    add(way.between_nodes, way.sharing_between, way.added_between_s(bytes), path.link->one_way,
        paths.hideable_share(path, bytes, bound));
  }
  if (way.within_node == 0) return all;
  if (broadcast != nullptr) {
    const double told = cost_at(broadcast->latency_s, bound);
    add(way.within_node, 1, 0, *broadcast, told / link_time(*broadcast, bytes, bound));
  } else {
    const Path path = paths.to(Across::same_node);
    add(way.within_node, way.sharing_within, 0, path.link->one_way,
        paths.hideable_share(path, bytes, bound));
  }
  return all;
}

RankStep step_of(const BlockPanels& panels, const CholeskyRun& run, const ColumnCosts& costs,
                 const ColumnWay& column_way, bool gpu, Bound bound) {
  RankStep result;
  const double ranks = run.ranks;
  double scale = 0, waited = 0, sent = 0, updated = 0, copied = 0;
  const double count = std::min(panels.count(), most_panels);
  for (double group = 0; group < count; ++group) {
    const double from = std::floor(panels.count() * group / count);
    const double to = std::floor(panels.count() * (group + 1) / count);
    const double panel = std::floor((from + to) / 2), times = to - from;
    // The next one's owner has most to update, this one's least.
    const double most = panels.update_s(panel + 1);
    const double least = ranks > 1 ? panels.update_s(panel + ranks) : most;
    const double mean = (most + least) / 2;
    const double own = panels.factor_s(panel);
    const double copies = panels.to_host_s(panel) + panels.to_device_s(panel);
    const Way way = ranks > 1 ? way_of(panels.paths(), column_way, costs.broadcast(),
                                       panels.bytes(panel), bound)
                              : Way{};
    const double share = own / ranks;
    scale += times * share;
    updated += times * mean;
    copied += times * copies;
    result.communication_s += times * way.seconds;
    if (!run.overlap || ranks == 1) {
      waited += times * (own - share + most - mean);
      result.add_imbalance(times * most, most, mean);
      sent += times * way.seconds;
      continue;
    }
    // From panel to panel: its columns' update, its factor and its way. Meanwhile the ranks
    // update theirs, and are late by what that leaves.
    const double chain = panels.next_s(panel + 1) + own + copies + way.hideable_s;
    const double late = std::max(0., chain - mean - share);
    const double told = std::min(late, way.hideable_s);
    sent += times * (way.seconds - way.hideable_s + told);
    waited += times * (late - told);
    result.hiding_s += times * mean;
  }
  result.terms.add("compute.scale", scale);
  if (ranks > 1) {
    result.terms.add("wait", waited);
    result.terms.add("network.broadcast", sent);
    if (gpu && !run.overlap) result.terms.add("copy.to_host", copied);
  }
  result.terms.add("compute.update", updated);
  if (!run.overlap) result.hiding_s = updated;
  if (result.communication_s > 0)
    result.hidden_fraction = std::max(0., 1 - sent / result.communication_s);
  return result;
}

void note_ways(const Paths& paths, const CholeskyRun& run, const ColumnCosts& costs,
               std::vector<std::string>& notes) {
  if (run.ranks == 1) return;
  const double bytes = value_bytes(run.precision) * run.size * run.block;
  if (paths.placement().nodes(run.ranks) > 1)
    note_beyond_samples("panel", paths.to(Across::other_node).link->one_way, bytes, notes);
  if (paths.placement().on_node(run.ranks) > 1 && costs.broadcast() == nullptr)
    note_beyond_samples("panel", paths.to(Across::same_node).link->one_way, bytes, notes);
  paths.note_copies(notes);
}

}  // namespace

BlockPanels::BlockPanels(const Machine& machine, const CholeskyRun& run, const ColumnCosts& costs,
                         Bound bound, std::vector<std::string>& notes)
    : bound_(bound),
      paths_(machine, {run.ranks_per_node}),
      gpu_(machine.device.kind == "gpu"),
      size_(run.size),
      block_(run.block),
      ranks_(run.ranks),
      value_(value_bytes(run.precision)),
      group_(std::max(1., std::floor(product_columns / run.block))),
      costs_(block_costs(machine, run.precision, run.block, bound, notes)),
      panels_(std::ceil(size_ / block_)) {
  if (const auto& launch = machine.device.launch_latency_s; launch && gpu_)
    launch_s_ = cost_at(*launch, bound);
  memory_bytes_per_s_ = costs.broadcast() != nullptr
                            ? rate_at(costs.broadcast()->bandwidth_bytes_per_s, bound)
                            : rate_at(machine.device.memory_bandwidth_bytes_per_s, bound);
}

double BlockPanels::factor_s(double panel) const {
  const double put = ranks_ > 1 && !gpu_ ? bytes(panel) / memory_bytes_per_s_ : 0;
  return costs_.panel(rows(panel), width(panel)) + launch_s_ + put;
}

double BlockPanels::next_s(double next) const {
  return costs_.product(rows(next), width(next), block_);
}

double BlockPanels::copy_s(const LinkTiming* timing, double panel) const {
  if (!gpu_ || ranks_ == 1 || timing == nullptr) return 0;
  return link_time(*timing, bytes(panel), bound_);
}

double BlockPanels::update_s(double first) const {
  if (first >= panels_) return 0;
  const double owner = std::fmod(first, ranks_), own = std::floor((panels_ - 1 - owner) / ranks_);
  const auto global = [&](double block) { return (block * ranks_ + owner) * block_; };
  double seconds = 0;
  double columns = 0;
  for (double block = std::floor(first / ranks_); block <= own;) {
    const double end = std::min(own + 1, (std::floor(block / group_) + 1) * group_);
    const double common = global(end - 1);
    // What juts out: the last block's distance from each, a product each but the last.
    const double jutting = end - 1 - block;
    if (jutting > 0) {
      const double mean_rows = (jutting + 1) / 2 * ranks_ * block_;
      seconds += jutting * (costs_.product(mean_rows, block_, block_) + launch_s_);
    }
    const double shared = std::min((end - block) * block_, size_ - global(block));
    seconds += costs_.product(size_ - common, shared, block_) + launch_s_;
    columns += shared;
    block = end;
  }
  // Its rows of the panel, gathered.
  if (ranks_ > 1) seconds += 2 * value_ * columns * block_ / memory_bytes_per_s_;
  return seconds;
}

double BlockCosts::panel(double rows, double block) const {
  return factor_s + block * block * std::max(0., rows - block) / solve_flops_per_s;
}

double BlockCosts::product(double m, double n, double block) const {
  if (m <= 0 || n <= 0) return 0;
  return 2 * block * (m * n + half_m * n + half_n * m) / product_flops_per_s;
}

BlockCosts block_costs(const Machine& machine, const std::string& precision, double block,
                       Bound bound, std::vector<std::string>& notes) {
  if (const CholeskyKernelRates* const own = rates_of(machine, precision)) {
    const double first = own->blocks.front().block, last = own->blocks.back().block;
    if (block < first || block > last)
      notes.push_back(
          fmt::format("blocks of {:g} columns, calibrated from {:g} to {:g}", block, first, last));
    return between(own->blocks, block, bound);
  }
  const DeviceParameters& device = machine.device;
  const auto measured = device.gemm_flops_per_s.find(precision);
  const bool known = measured != device.gemm_flops_per_s.end();
  const double rate =
      rate_at(known ? measured->second : peak_flops(device, precision, notes), bound);
  notes.push_back(fmt::format("not calibrated: no cholesky.kernels.{}.blocks; all flops at the {}",
                              precision,
                              known ? "device's matrix product's rate" : "device's peak"));
  BlockCosts costs{block * block * block / 3 / rate, rate, rate, 0, 0};
  if (const auto half = device.gemm_half_size.find(precision); half != device.gemm_half_size.end())
    costs.half_m = costs.half_n = cost_at(half->second, bound) / 4;
  return costs;
}

Prediction predict_cholesky_blocks(const Machine& machine, const CholeskyRun& run,
                                   const ColumnCosts& costs) {
  const ColumnWay way(machine, {run.ranks_per_node}, run.ranks,
                      value_bytes(run.precision) * run.size * run.block);
  return predict_with_bounds("refined", [&](Bound bound) {
    std::vector<std::string> notes;
    const BlockPanels panels(machine, run, costs, bound, notes);
    if (run.ranks > std::ceil(static_cast<double>(run.size) / run.block))
      notes.push_back(fmt::format("{} ranks for {:g} blocks of columns: the others only wait",
                                  run.ranks, std::ceil(static_cast<double>(run.size) / run.block)));
    note_ways(panels.paths(), run, costs, notes);
    RankStep step = step_of(panels, run, costs, way, machine.device.kind == "gpu", bound);
    step.notes = std::move(notes);
    return step;
  });
}

}  // namespace bellwether
