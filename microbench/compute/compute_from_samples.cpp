// SPDX-License-Identifier: MIT
#include "microbench/compute/compute.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace bellwether {
namespace {

constexpr double least_of_peak = 0.6;
constexpr double most_residual = 0.25;

std::string likely_cause(const BlasFacts& blas) {
  if (!blas.asked_core.empty())
    return fmt::format(
        "OPENBLAS_CORETYPE={} is set and chooses OpenBLAS's kernels, whatever the processor is",
        blas.asked_core);
  if (blas.core.empty())
    return "the BLAS is not OpenBLAS: a reference BLAS, or one for another processor?";
  if (!blas.remark.empty()) return blas.remark;
  return fmt::format("OpenBLAS runs its kernels for {}: is that the processor? {}", blas.core,
                     blas.threads.empty()
                         ? "Or it starts threads of its own (OPENBLAS_NUM_THREADS is not set)"
                         : "OPENBLAS_NUM_THREADS=" + blas.threads);
}

/// In place of the rate of the largest product that of the curve through all, where there are
/// enough.
void fit_curve(const std::string& precision, const std::vector<RepeatedSample>& measured,
               Machine& machine) {
  Quantity& rate = machine.device.gemm_flops_per_s.at(precision);
  const double smallest = measured.front().bytes, largest = measured.back().bytes;
  rate.source = fmt::format("n = {:g}", largest);
  if (measured.size() < 3) return;
  const ProductCurve curve = fit_products(measured);
  if (curve.largest_residual > most_residual ||
      curve.flops_per_s.high > 2 * curve.flops_per_s.low) {
    machine.warnings.push_back(
        fmt::format("matrix products {}: no curve goes through the times of n = {:g} to {:g} (it "
                    "misses them by "
                    "up to {:.0f} %); the rate is that of the largest",
                    precision, smallest, largest, 100 * curve.largest_residual));
    return;
  }
  rate = curve.flops_per_s;
  rate.source = fmt::format("fit over n = {:g} to {:g}: misses at most {:.0f} %", smallest, largest,
                            100 * curve.largest_residual);
  machine.device.gemm_half_size[precision] = curve.half_size;
}

}  // namespace

std::string gemm_warning(const DeviceParameters& device, const BlasFacts& blas) {
  std::string below;
  for (const auto& [precision, rate] : device.gemm_flops_per_s) {
    const auto peak = device.peak_flops_per_s.find(precision);
    if (peak == device.peak_flops_per_s.end()) continue;
    const double share = rate.value / peak->second.value;
    if (share < least_of_peak)
      below += fmt::format("{}{:.2f} in {}", below.empty() ? "" : ", ", share, precision);
  }
  if (below.empty()) return {};
  const std::string cause = device.kind == "cpu" ? "; likely cause: " + likely_cause(blas) : "";
  return fmt::format("matrix products reach little of the multiply-add peak ({}){}", below, cause);
}

ProductCurve fit_products(std::vector<RepeatedSample> measured) {
  // t / n^2 = 2 half / rate + 2 n / rate: a line, as of a link's latency and bandwidth.
  for (auto& [n, seconds] : measured)
    for (double& one : seconds) one /= n * n;
  const LinkTiming line = fit_link(measured);
  const Quantity& offset = line.latency_s;
  const Quantity& slope = line.bandwidth_bytes_per_s;
  return {{2 * slope.value, 2 * slope.low, 2 * slope.high, {}},
          {offset.value * slope.value, offset.low * slope.low, offset.high * slope.high, {}},
          line.largest_residual_paper};
}

void compute_from_samples(const ComputeCases& cases, const SampleStore& store, Machine& machine) {
  DeviceParameters& device = machine.device;
  std::map<std::string, std::vector<RepeatedSample>> products;
  for (const auto& [spec, key] : cases.kernels) {
    if (!spec.all) continue;
    const bool product = spec.kernel == ComputeKernel::gemm;
    auto& rates = product ? device.gemm_flops_per_s : device.peak_flops_per_s;
    rates[spec.precision] = rate_of(spec.flops, store.at(key));
    if (product) products[spec.precision].push_back({1. * spec.gemm_size, store.at(key)});
  }
  for (const auto& [precision, measured] : products) fit_curve(precision, measured, machine);
  device.launch_latency_s = quantity_of(store.at(cases.launches.front().key));
  if (!cases.gaps.empty()) device.between_kernels_s = quantity_of(store.at(cases.gaps.front().key));
  if (std::string warning = gemm_warning(device, cases.blas); !warning.empty())
    machine.warnings.push_back(std::move(warning));
  if (!cases.gemm_library.empty()) machine.provenance["gemm_library"] = cases.gemm_library;
  if (!cases.gemm_problem.empty())
    machine.warnings.push_back(
        "NO MATRIX PRODUCT was measured, and what needs its rate cannot be predicted: " +
        cases.gemm_problem);
}

void sustained_from_samples(const SustainedCases& cases, const SampleStore& store,
                            Machine& machine) {
  for (const auto& [spec, key] : cases.products) {
    Quantity& rate = machine.device.gemm_sustained_flops_per_s[spec.precision];
    rate = rate_of(spec.flops, store.at(key));
    rate.source = fmt::format("n = {}, {} products after as many", spec.gemm_size, spec.batch);
  }
}

Folder sustained_folder() { return {measured(plan_sustained, sustained_from_samples)}; }

Folder compute_folder() { return {measured(plan_compute, compute_from_samples)}; }

}  // namespace bellwether
