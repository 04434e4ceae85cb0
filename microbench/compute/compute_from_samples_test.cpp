// SPDX-License-Identifier: MIT
#include "microbench/compute/compute.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

DeviceParameters device(double gemm_f32, double gemm_f64) {
  DeviceParameters device;
  device.kind = "cpu";
  device.peak_flops_per_s = {{"f32", Quantity::exact(100)}, {"f64", Quantity::exact(50)}};
  device.gemm_flops_per_s = {{"f32", Quantity::exact(gemm_f32)},
                             {"f64", Quantity::exact(gemm_f64)}};
  return device;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(GemmWarning, ComesBelowThreeFifthsOfThePeak) {
  EXPECT_EQ(gemm_warning(device(61, 31), {}), "");
  const std::string one = gemm_warning(device(42, 31), {});
  EXPECT_TRUE(holds(one, "0.42 in f32")) << one;
  EXPECT_FALSE(holds(one, "f64")) << one;
  EXPECT_TRUE(holds(gemm_warning(device(42, 25), {}), "(0.42 in f32, 0.50 in f64)"));
}

TEST(GemmWarning, NamesTheLikelyCause) {
  const auto slow = device(42, 21);
  EXPECT_TRUE(
      holds(gemm_warning(slow, {"Haswell", "Haswell", "", ""}), "OPENBLAS_CORETYPE=Haswell"));
  EXPECT_TRUE(holds(gemm_warning(slow, {"", "", "", ""}), "reference BLAS"));
  EXPECT_TRUE(holds(gemm_warning(slow, {"", "Prescott", "", "SLOW BLAS: why"}), "SLOW BLAS: why"));
  const std::string threads = gemm_warning(slow, {"", "SkylakeX", "", ""});
  EXPECT_TRUE(holds(threads, "kernels for SkylakeX") && holds(threads, "OPENBLAS_NUM_THREADS"));
  DeviceParameters gpu = slow;
  gpu.kind = "gpu";
  EXPECT_FALSE(holds(gemm_warning(gpu, {"Haswell", "", "", ""}), "OPENBLAS"));
}

TEST(GemmWarning, NeedsBothRates) {
  DeviceParameters published = device(42, 21);
  published.peak_flops_per_s.clear();
  EXPECT_EQ(gemm_warning(published, {}), "");
}

/// Seconds of products at `rate`, half of it at n = `half`, each three times.
std::vector<RepeatedSample> products_at(double rate, double half, double spread) {
  std::vector<RepeatedSample> measured;
  for (const double n : {256., 512., 1024., 2048., 4096.}) {
    const double seconds = 2 * n * n * n / rate * (1 + half / n);
    measured.push_back({n, {seconds * (1 + spread), seconds, seconds * (1 - spread)}});
  }
  return measured;
}

TEST(FitProducts, FindsTheRateOfLargeOnesAndTheSizeAtHalfOfIt) {
  const ProductCurve exact = fit_products(products_at(5e13, 300, 0));
  EXPECT_NEAR(exact.flops_per_s.value, 5e13, 1e6);
  EXPECT_NEAR(exact.half_size.value, 300, 1e-6);
  EXPECT_LT(exact.largest_residual, 1e-9);
  const ProductCurve noisy = fit_products(products_at(5e13, 300, 0.05));
  EXPECT_LT(noisy.flops_per_s.low, 5e13);
  EXPECT_GT(noisy.flops_per_s.high, 5e13);
  EXPECT_LT(noisy.half_size.low, 300);
  EXPECT_GT(noisy.half_size.high, 300);
  EXPECT_GT(noisy.flops_per_s.low, 4e13);
}

TEST(FitProducts, OfOneRateHaveNoSuchSize) {
  const ProductCurve flat = fit_products(products_at(1e11, 0, 0));
  EXPECT_NEAR(flat.flops_per_s.value, 1e11, 1e4);
  EXPECT_NEAR(flat.half_size.value, 0, 1e-6);
}

/// A calibration's products: seconds by size, in f64 on all ranks, and what comes of them.
Machine machine_from(const std::vector<std::pair<int, double>>& seconds_of) {
  ComputeCases cases;
  SampleStore store;
  for (const auto& [size, seconds] : seconds_of) {
    const SampleKey key{static_cast<int>(cases.kernels.size()), 0};
    const ComputeSpec spec{ComputeKernel::gemm, "f64", true, size, 2. * size * size * size, 1};
    cases.kernels.push_back({spec, key});
    for (int round = 0; round < 3; ++round) store.add(key, spec.name(), seconds);
  }
  cases.launches.push_back({{1}, {100, 0}});
  store.add({100, 0}, "launch", 1e-6);
  Machine machine;
  compute_from_samples(cases, store, machine);
  return machine;
}

TEST(ComputeFromSamples, ProductsBecomeACurveFromThreeSizesOn) {
  const auto seconds = [](int n) { return 2e-11 * n * n * (n + 100.); };
  const Machine two = machine_from({{512, seconds(512)}, {1024, seconds(1024)}});
  EXPECT_NEAR(two.device.gemm_flops_per_s.at("f64").value, 1e11 * 1024 / 1124, 1e3);
  EXPECT_TRUE(two.device.gemm_half_size.empty());

  const Machine three =
      machine_from({{256, seconds(256)}, {512, seconds(512)}, {1024, seconds(1024)}});
  EXPECT_NEAR(three.device.gemm_flops_per_s.at("f64").value, 1e11, 1e3);
  EXPECT_NEAR(three.device.gemm_half_size.at("f64").value, 100, 1e-6);
  EXPECT_EQ(three.device.gemm_flops_per_s.at("f64").source,
            "fit over n = 256 to 1024: misses at most 0 %");
  EXPECT_TRUE(three.warnings.empty());

  const Machine odd =
      machine_from({{256, seconds(256)}, {512, 2 * seconds(512)}, {1024, seconds(1024)}});
  ASSERT_EQ(odd.warnings.size(), 1u);
  EXPECT_TRUE(holds(odd.warnings[0], "matrix products f64: no curve goes through"));
  EXPECT_TRUE(odd.device.gemm_half_size.empty());
  EXPECT_NEAR(odd.device.gemm_flops_per_s.at("f64").value, 1e11 * 1024 / 1124, 1e3);
}

TEST(ComputeFromSamples, SustainedProductsHaveARateOfTheirOwn) {
  SustainedCases cases;
  SampleStore store;
  cases.products.push_back(
      {{ComputeKernel::gemm, "f64", true, 1024, 2. * 1024 * 1024 * 1024, 50, true}, {1, 0}});
  EXPECT_EQ(cases.products[0].spec.name(), "gemm/1024/f64/sustained");
  for (const double seconds : {0.03, 0.04, 0.05}) store.add({1, 0}, "gemm", seconds);
  Machine machine;
  sustained_from_samples(cases, store, machine);
  EXPECT_TRUE(machine.device.gemm_flops_per_s.empty());
  const Quantity& rate = machine.device.gemm_sustained_flops_per_s.at("f64");
  EXPECT_DOUBLE_EQ(rate.value, 2. * 1024 * 1024 * 1024 / 0.04);
  EXPECT_EQ(rate.source, "n = 1024, 50 products after as many");
}

}  // namespace
}  // namespace bellwether
