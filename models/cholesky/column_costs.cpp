// SPDX-License-Identifier: MIT
#include "models/cholesky/column_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/cholesky/start_up_parameters.hpp"
#include "models/network/link.hpp"
#include "models/roofline/roofline.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

constexpr double flops_per_value = 2;
constexpr double moved_per_value = 2;  // read and written

}  // namespace

ColumnCosts::ColumnCosts(const Machine& machine, const std::string& precision, int ranks_on_node,
                         bool parallel)
    : machine_(machine), precision_(precision), ranks_on_node_(ranks_on_node), parallel_(parallel) {
  if (const auto* own = section<CholeskyParameters>(machine)) {
    if (own->broadcast_latency_s && machine.device.kind != "gpu") {
      broadcast_.emplace();
      broadcast_->latency_s = *own->broadcast_latency_s;
      broadcast_->bandwidth_bytes_per_s = *own->broadcast_bandwidth_bytes_per_s;
      broadcast_->overhead_s = own->broadcast_overhead_s;
    }
    if (const auto found = own->kernels.find(precision); found != own->kernels.end()) {
      measured_ = found->second;
      return;
    }
  }
  if (const auto* fit = section<StartUpParameters>(machine)) {
    fitted_ = *fit;
    return;
  }
  std::vector<std::string> unused;  // notes() says what holds for the working sets asked for
  for (const Bound bound : {Bound::value, Bound::fastest, Bound::slowest})
    for (int point = 0; point < points; ++point)
      seconds_[static_cast<int>(bound)][point] = device_value_s(
          std::exp2(first_doubling + static_cast<double>(point) / points_per_doubling), bound,
          unused);
}

double ColumnCosts::device_value_s(double working_set_bytes, Bound bound,
                                   std::vector<std::string>& notes) const {
  // Enough values that the launch, which is a term of its own, does not count.
  constexpr double values = 1e15;
  const KernelWork work{.cells = values,
                        .flops = flops_per_value * values,
                        .bytes = moved_per_value * value_bytes(precision_) * values};
  // The faster of both kinds of stores: beyond the caches an update in place moves each value
  // twice, as streaming stores do; cached ones to another place also read what they overwrite.
  const KernelConditions conditions{.precision = precision_,
                                    .stores = "auto",
                                    .ranks = ranks_on_node_,
                                    .working_set_bytes = working_set_bytes};
  return kernel_time(machine_, work, conditions, bound, notes) / values;
}

double ColumnCosts::read(double working_set_bytes, Bound bound) const {
  const Curve& curve = seconds_[static_cast<int>(bound)];
  const double place =
      (std::log2(std::max(working_set_bytes, 1.0)) - first_doubling) * points_per_doubling;
  const double inside = std::clamp(place, 0.0, points - 1.0);
  const int below = std::min(static_cast<int>(inside), points - 2);
  const double share = inside - below;
  return (1 - share) * curve[below] + share * curve[below + 1];
}

namespace {

/// Seconds for each byte, linear in the logarithm of the columns' bytes.
double update_byte_s(const std::vector<ColumnUpdateRate>& rates, double bytes, Bound bound) {
  const auto seconds = [bound](const ColumnUpdateRate& one) {
    return 1 / rate_at(one.bandwidth_bytes_per_s, bound);
  };
  const auto after = std::find_if(rates.begin(), rates.end(), [bytes](const ColumnUpdateRate& one) {
    return one.bytes >= bytes;
  });
  if (after == rates.end()) return seconds(rates.back());
  if (after == rates.begin()) return seconds(rates.front());
  const auto before = after - 1;
  const double share = std::log(bytes / before->bytes) / std::log(after->bytes / before->bytes);
  return (1 - share) * seconds(*before) + share * seconds(*after);
}

}  // namespace

double ColumnCosts::update_s(double working_set_bytes, Bound bound) const {
  if (measured_)
    return moved_per_value * value_bytes(precision_) *
           update_byte_s(measured_->update, working_set_bytes, bound);
  if (!fitted_) return read(working_set_bytes, bound);
  const double one = flops_per_value / (rate_at(fitted_->peak_flops_per_s, bound) *
                                        rate_at(fitted_->update.efficiency, bound));
  return parallel_ ? one / rate_at(fitted_->parallel_update.efficiency, bound) : one;
}

double ColumnCosts::scaling_s(double column_bytes, Bound bound) const {
  if (measured_)
    return value_bytes(precision_) / rate_at(measured_->scale_bandwidth_bytes_per_s, bound);
  if (!fitted_) return read(column_bytes, bound);
  return flops_per_value /
         (rate_at(fitted_->peak_flops_per_s, bound) * rate_at(fitted_->scaling.efficiency, bound));
}

double ColumnCosts::update_start_up_s(Bound bound) const {
  if (measured_) return cost_at(measured_->update_start_up_s, bound);
  if (fitted_) return parallel_ ? cost_at(fitted_->parallel_update.start_up_s, bound) : 0;
  return machine_.device.launch_latency_s ? cost_at(*machine_.device.launch_latency_s, bound) : 0;
}

double ColumnCosts::updated_column_start_up_s(Bound bound) const {
  if (measured_) return cost_at(measured_->column_start_up_s, bound);
  return fitted_ ? cost_at(fitted_->update.start_up_s, bound) : 0;
}

double ColumnCosts::scaling_start_up_s(Bound bound) const {
  if (measured_) return cost_at(measured_->scale_start_up_s, bound);
  if (fitted_) return cost_at(fitted_->scaling.start_up_s, bound);
  return machine_.device.launch_latency_s ? cost_at(*machine_.device.launch_latency_s, bound) : 0;
}

std::vector<std::string> ColumnCosts::notes(double working_set_bytes) const {
  std::vector<std::string> all;
  if (measured_) {
    if (working_set_bytes > measured_->update.back().bytes)
      all.push_back(fmt::format("columns of {:.3g} MB, updates calibrated up to {:.3g} MB",
                                working_set_bytes / 1e6, measured_->update.back().bytes / 1e6));
    return all;
  }
  if (fitted_) return all;
  all.push_back(fmt::format(
      "not calibrated: {} has no start_up section; the factorization's rates derived from peak "
      "flop/s and memory {}, its start-up times {}",
      machine_.name, machine_.device.memory.empty() ? "bandwidth" : "curves",
      machine_.device.launch_latency_s ? "from the launch latency"
                                       : "taken as zero since no launch latency is known"));
  (void)device_value_s(working_set_bytes, Bound::value, all);
  return all;
}

}  // namespace bellwether
