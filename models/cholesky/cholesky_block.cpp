// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/roofline/roofline.hpp"
#include "models/scaling/rank_prediction.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

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

}  // namespace

BlockPanels::BlockPanels(const Machine& machine, const CholeskyRun& run, const ColumnCosts& costs,
                         Bound bound, std::vector<std::string>& notes)
    : gpu_(machine.device.kind == "gpu"),
      size_(run.size),
      block_(run.block),
      ranks_(run.ranks),
      value_(value_bytes(run.precision)),
      group_(static_cast<double>(cholesky_product_columns(run.block, gpu_) / run.block)),
      costs_(block_costs(machine, run.precision, run.block, bound, notes)),
      panels_(std::ceil(size_ / block_)) {
  if (const auto& launch = machine.device.launch_latency_s; launch && gpu_)
    launch_s_ = cost_at(*launch, bound);
  // Calibrated products were timed with their launches, one after another as here.
  if (rates_of(machine, run.precision) == nullptr) product_launch_s_ = launch_s_;
  memory_bytes_per_s_ = costs.broadcast() != nullptr
                            ? rate_at(costs.broadcast()->bandwidth_bytes_per_s, bound)
                            : memory_rate(machine, std::min(run.ranks, run.ranks_per_node), bound);
}

double BlockPanels::factor_s(double panel) const {
  const double put = ranks_ > 1 && !gpu_ ? bytes(panel) / memory_bytes_per_s_ : 0;
  return costs_.panel(rows(panel), width(panel)) + launch_s_ + put;
}

double BlockPanels::next_s(double next) const {
  return costs_.product(rows(next), width(next), block_);
}

double BlockPanels::update_s(double first) const {
  if (first >= panels_) return 0;
  const double owner = std::fmod(first, ranks_), own = std::floor((panels_ - 1 - owner) / ranks_);
  const auto global = [&](double block) { return (block * ranks_ + owner) * block_; };
  double seconds = 0;
  double columns = 0;
  for (double block = std::floor(first / ranks_); block <= own;) {
    const double end = std::min(own + 1, (std::floor(block / group_) + 1) * group_);
    const bool whole = cholesky_whole_products(static_cast<int>(ranks_), gpu_);
    const double common = global(whole ? block : end - 1);
    // What juts out: the last block's distance from each, a product each but the last.
    const double jutting = whole ? 0 : end - 1 - block;
    if (jutting > 0) {
      const double mean_rows = (jutting + 1) / 2 * ranks_ * block_;
      seconds += jutting * (costs_.product(mean_rows, block_, block_) + product_launch_s_);
    }
    const double shared = std::min((end - block) * block_, size_ - global(block));
    seconds += costs_.product(size_ - common, shared, block_) + product_launch_s_;
    columns += shared;
    block = end;
  }
  // Its rows of the panel, gathered.
  if (ranks_ > 1) seconds += 2 * value_ * columns * block_ / memory_bytes_per_s_;
  return seconds;
}

double BlockPanels::group_s(double first) const {
  const double blocks = std::ceil((panels_ - first) / ranks_);
  return update_s(first) / std::max(1., std::ceil(blocks / group_));
}

double BlockCosts::panel(double rows, double block) const {
  return factor_s + block * block * std::max(0., rows - block) / solve_flops_per_s;
}

double BlockCosts::product(double m, double n, double block) const {
  if (m <= 0 || n <= 0) return 0;
  return 2 * block * (m * n + half_m * n + half_n * m) / product_flops_per_s;
}

std::pair<double, double> calibrated_blocks(const Machine& machine, const std::string& precision) {
  const CholeskyKernelRates* const own = rates_of(machine, precision);
  if (own == nullptr) return {0, std::numeric_limits<double>::infinity()};
  return {own->blocks.front().block, own->blocks.back().block};
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
  return {block * block * block / 3 / rate, rate, rate, 0, 0};
}

}  // namespace bellwether
