// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "microbench/cholesky/cholesky.hpp"
#include "models/cholesky/cholesky_parameters.hpp"
#include "models/fit/fit.hpp"
#include "models/fit/nonnegative_fit.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

using Operation = CholeskySpec::Operation;

struct Measured {
  CholeskySpec spec;
  Quantity seconds;
};
using Series = std::vector<Measured>;

/// Updates so small that all is in the nearest cache tell a call and a column from a value; what is
/// left of all others is the values'.
void set_updates(const Series& updates, double value_bytes, CholeskyKernelRates& rates) {
  constexpr double nearest_cache_bytes = 40e3;
  std::vector<FitRow> rows;
  for (const auto& [spec, seconds] : updates)
    if (value_bytes * spec.updated_values() <= nearest_cache_bytes)
      rows.push_back({{1, spec.updated_columns(), spec.updated_values()}, seconds.value});
  const NonnegativeFit fit =
      fit_nonnegative(rows, {"a call", "a column", "a value"}, "Cholesky's updates by columns");
  rates.update_start_up_s = fit.coefficients[0];
  rates.column_start_up_s = fit.coefficients[1];
  for (const auto& [spec, seconds] : updates) {
    if (spec.processes > 1 || spec.rows < 64) continue;
    const double start_up =
        fit.coefficients[0].value + fit.coefficients[1].value * spec.updated_columns();
    // Of a time that was all start-up by chance, a tenth.
    const double left = std::max(seconds.value - start_up, 0.1 * seconds.value);
    rates.update.push_back({value_bytes * spec.updated_values(),
                            rate_like(2 * value_bytes * spec.updated_values() / left, seconds)});
  }
  std::sort(rates.update.begin(), rates.update.end(),
            [](const auto& one, const auto& other) { return one.bytes < other.bytes; });
}

CholeskyBlock block_of(double block, const Measured& factor, const Measured& solve,
                       const Series& products) {
  std::vector<FitRow> rows;
  for (const auto& [spec, seconds] : products) {
    const auto m = static_cast<double>(spec.rows), n = static_cast<double>(spec.columns);
    rows.push_back({{2 * m * n * block, 2 * n * block, 2 * m * block}, seconds.value});
  }
  const NonnegativeFit fit =
      fit_nonnegative(rows, {"a flop", "a column", "a row"}, "Cholesky's matrix products");
  const double a = fit.coefficients[0].value;
  const Measured& largest = *std::max_element(products.begin(), products.end(),
                                              [](const Measured& one, const Measured& other) {
                                                return one.seconds.value < other.seconds.value;
                                              });
  const double flops = block * block * static_cast<double>(solve.spec.rows);
  const Quantity solve_rate = rate_like(flops / solve.seconds.value, solve.seconds);
  // Times that noise made all alike leave nothing to a flop: the largest product's rate then.
  const double largest_flops = 2 * static_cast<double>(largest.spec.rows) *
                               static_cast<double>(largest.spec.columns) * block;
  const double per_flop = largest.seconds.value / largest_flops;
  if (a < 0.1 * per_flop)
    return {block,
            factor.seconds,
            solve_rate,
            rate_like(1 / per_flop, largest.seconds),
            Quantity::exact(0),
            Quantity::exact(0)};
  return {block,
          factor.seconds,
          solve_rate,
          rate_like(1 / a, largest.seconds),
          Quantity::exact(fit.coefficients[1].value / a),
          Quantity::exact(fit.coefficients[2].value / a)};
}

}  // namespace

void cholesky_from_samples(const CholeskyCases& cases, const SampleStore& store, Machine& machine) {
  if (cases.empty()) return;
  struct Family {
    Series updates;
    std::vector<RepeatedSample> scales;
    std::map<int, Series> factors, solves, products;
  };
  std::map<std::string, Family> families;
  std::vector<RepeatedSample> broadcasts;
  CholeskyParameters parameters;
  for (const auto& [spec, key] : cases) {
    const std::vector<double>& samples = store.at(key);
    const auto rows = static_cast<double>(spec.rows);
    const Measured measured{spec, quantity_of(samples)};
    if (spec.operation == Operation::broadcast) {
      broadcasts.push_back({rows * sizeof(double), samples});
      continue;
    }
    if (spec.operation == Operation::overhead) {
      parameters.broadcast_overhead_s = measured.seconds;
      continue;
    }
    Family& family = families[spec.precision];
    switch (spec.operation) {
      case Operation::update:
        family.updates.push_back(measured);
        break;
      case Operation::scale:
        family.scales.push_back({rows * value_bytes(spec.precision), samples});
        break;
      case Operation::factor:
        family.factors[spec.width].push_back(measured);
        break;
      case Operation::solve:
        family.solves[spec.width].push_back(measured);
        break;
      case Operation::product:
        family.products[spec.width].push_back(measured);
        break;
      case Operation::broadcast:
      case Operation::overhead:
        break;
    }
  }
  for (const auto& [precision, family] : families) {
    CholeskyKernelRates& rates = parameters.kernels[precision];
    set_updates(family.updates, value_bytes(precision), rates);
    const LinkTiming scale = fit_link(family.scales);
    rates.scale_start_up_s = scale.latency_s;
    rates.scale_bandwidth_bytes_per_s = scale.bandwidth_bytes_per_s;
    for (const auto& [width, products] : family.products)
      rates.blocks.push_back(block_of(width, family.factors.at(width).front(),
                                      family.solves.at(width).front(), products));
  }
  if (!broadcasts.empty()) {
    const LinkTiming line = fit_link(broadcasts);
    parameters.broadcast_latency_s = line.latency_s;
    parameters.broadcast_bandwidth_bytes_per_s = line.bandwidth_bytes_per_s;
  }
  set_section(machine, std::move(parameters));
}

Folder cholesky_folder() { return {measured(plan_cholesky, cholesky_from_samples), true}; }

}  // namespace bellwether
