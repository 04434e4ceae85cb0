// SPDX-License-Identifier: MIT
#include "microbench/compute/compute.hpp"

#include <fmt/format.h>

#include <utility>

namespace bellwether {
namespace {

constexpr double least_of_peak = 0.6;

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

void compute_from_samples(const ComputeCases& cases, const SampleStore& store, Machine& machine) {
  DeviceParameters& device = machine.device;
  for (const auto& [spec, key] : cases.kernels) {
    const bool product = spec.kernel == ComputeKernel::gemm;
    Quantity& rate = (product ? device.gemm_flops_per_s : device.peak_flops_per_s)[spec.precision];
    rate = rate_of(spec.flops, store.at(key));
    if (product) rate.source = fmt::format("n = {}", spec.gemm_size);
  }
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
