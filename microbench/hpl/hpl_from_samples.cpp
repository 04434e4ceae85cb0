// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>

#include "microbench/hpl/hpl.hpp"
#include "models/fit/nonnegative_fit.hpp"
#include "models/hpl/hpl_parameters.hpp"

namespace bellwether {
namespace {

using Operation = HplSpec::Operation;

struct Measured {
  HplSpec spec;
  Quantity seconds;
};

const Measured& largest_of(const std::vector<Measured>& measured) {
  return *std::max_element(
      measured.begin(), measured.end(),
      [](const Measured& a, const Measured& b) { return a.seconds.value < b.seconds.value; });
}

/// Seconds = a flops + b columns-and-width + c rows-and-width, as ProductRate says. The rate's
/// interval is that of the largest product, by which it is known.
ProductRate product_rate(const std::vector<Measured>& measured) {
  std::vector<FitRow> rows;
  for (const auto& [spec, seconds] : measured) {
    const double m = spec.rows, n = spec.columns, k = spec.width;
    rows.push_back({{2 * m * n * k, 2 * n * k, 2 * m * k}, seconds.value});
  }
  const NonnegativeFit fit =
      fit_nonnegative(rows, {"a flop", "a row of U", "a column of L"}, "HPL's matrix products");
  const double a = fit.coefficients[0].value;
  const auto half = [&](int which) {
    return Quantity::exact(fit.coefficients[static_cast<std::size_t>(which)].value / a);
  };
  const Measured& largest = largest_of(measured);
  const auto width = static_cast<double>(measured.front().spec.width);
  // Times that noise made all alike leave nothing to a flop: the largest product's rate then.
  const double per_flop =
      largest.seconds.value / (2. * static_cast<double>(largest.spec.rows) *
                               static_cast<double>(largest.spec.columns) * width);
  if (a < 0.1 * per_flop)
    return {width, rate_like(1 / per_flop, largest.seconds), Quantity::exact(0),
            Quantity::exact(0)};
  return {width, rate_like(1 / a, largest.seconds), half(1), half(2)};
}

/// Of one width, from few and many columns: seconds = width^2 (columns + half_n) / rate.
ProductRate triangle_rate(const std::vector<Measured>& measured) {
  const Measured& large = largest_of(measured);
  const Measured& small = &large == &measured.front() ? measured.back() : measured.front();
  const double width = large.spec.width;
  const double columns = large.spec.columns - small.spec.columns;
  double slope = columns > 0 ? (large.seconds.value - small.seconds.value) / columns : 0;
  const double through_zero = large.seconds.value / large.spec.columns;
  if (slope <= 0 || slope > through_zero) slope = through_zero;
  const double half = large.seconds.value / slope - large.spec.columns;
  return {width,
          rate_like(width * width / slope, large.seconds),
          {},
          Quantity::exact(std::max(0., half))};
}

/// Seconds = a column's by columns + a flop's by flops. The rate's interval is that of the largest
/// panel, by which it is known.
DevicePanel device_panel(const std::vector<Measured>& measured) {
  std::vector<FitRow> rows;
  const auto flops = [](const HplSpec& spec) {
    const double w = spec.width;
    return w * w * (spec.rows - w / 3);
  };
  for (const auto& [spec, seconds] : measured)
    rows.push_back({{1. * spec.width, flops(spec)}, seconds.value});
  constexpr int column = 0, flop = 1, coefficients = 2;
  const auto fit = rows.size() > coefficients ? solve_nonnegative(rows, coefficients)
                                              : std::optional<NonnegativeFit>();
  const Measured& largest = largest_of(measured);
  const double most = flops(largest.spec) / largest.seconds.value;
  if (!fit) return {Quantity::exact(0), rate_like(most, largest.seconds), {}};  // of too few
  // Of the largest a thousandth at least, so that there is a rate where columns take all the time.
  const double per_flop = std::max(fit->coefficients[flop].value, 1e-3 / most);
  return {fit->coefficients[column], rate_like(1 / per_flop, largest.seconds), {}};
}

}  // namespace

void hpl_from_samples(const HplCases& cases, const SampleStore& store, Machine& machine) {
  if (cases.empty()) return;
  std::map<int, std::vector<Measured>> products, triangles, solved_triangles;
  std::vector<Measured> device_panels;
  std::map<int, PanelWidth> panels;
  HplKernelParameters kernels;
  kernels.panel_on = machine.device.kind == "gpu" ? "host" : "device";
  for (const auto& [spec, key] : cases) {
    const double values = 1. * spec.width * spec.columns;
    switch (spec.operation) {
      case Operation::product:
        products[spec.width].push_back({spec, quantity_of(store.at(key))});
        break;
      case Operation::triangle:
        triangles[spec.width].push_back({spec, quantity_of(store.at(key))});
        break;
      case Operation::solve_triangle:
        solved_triangles[spec.width].push_back({spec, quantity_of(store.at(key))});
        break;
      case Operation::device_panel:
        device_panels.push_back({spec, quantity_of(store.at(key))});
        break;
      case Operation::panel: {
        const SampleKey& whole = key;
        const auto part = [&](PanelPart which) -> const std::vector<double>& {
          return store.at(whole.of_part(static_cast<std::size_t>(which)));
        };
        PanelWidth& panel = panels[spec.width];
        panel.width = spec.width;
        panel.heights.push_back(
            {static_cast<double>(spec.rows), quantity_of(part(PanelPart::factor))});
        panel.inverse_s = quantity_of(part(PanelPart::invert));
        // The last one's: the widest and tallest.
        kernels.panel_copy_bandwidth_bytes_per_s =
            rate_of(2. * sizeof(double) * spec.rows * spec.width, part(PanelPart::copy));
        break;
      }
      case Operation::swap:
        kernels.swap_bandwidth_bytes_per_s = rate_of(4 * sizeof(double) * values, store.at(key));
        break;
      case Operation::solve:
        kernels.solve_bandwidth_bytes_per_s =
            rate_of(1. * sizeof(double) * spec.rows * spec.width, store.at(key));
        break;
      case Operation::broadcast:
        kernels.broadcast_bandwidth_bytes_per_s =
            rate_of(1. * sizeof(double) * spec.rows * spec.columns, store.at(key));
        break;
      case Operation::pivot:
        kernels.pivot_s = quantity_of(store.at(key));
        break;
    }
  }
  std::vector<ProductRate> rates;
  for (const auto& [width, measured] : products) rates.push_back(product_rate(measured));
  const ProductRate& deepest = rates.back();
  kernels.gemm = {deepest.flops_per_s, deepest.half_m, deepest.half_n, Quantity::exact(0), rates};
  for (const auto& [width, measured] : triangles)
    kernels.triangle.push_back(triangle_rate(measured));
  for (auto& [width, panel] : panels) kernels.panel.push_back(std::move(panel));
  if (!device_panels.empty()) {
    kernels.device_panel = device_panel(device_panels);
    for (const auto& [width, measured] : solved_triangles)
      kernels.device_panel->triangle.push_back(triangle_rate(measured));
  }
  HplParameters parameters;
  if (const auto* const own = section<HplParameters>(machine)) parameters = *own;
  parameters.kernels = std::move(kernels);
  set_section(machine, std::move(parameters));
}

Folder hpl_folder() { return {measured(plan_hpl, hpl_from_samples), true}; }

}  // namespace bellwether
