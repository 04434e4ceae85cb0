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

TEST(ComputeFromSamples, ProductsHaveTheRateOfTheLargest) {
  ComputeCases cases;
  SampleStore store;
  const ComputeSpec spec{ComputeKernel::gemm, "f64", 1024, 2. * 1024 * 1024 * 1024, 1};
  EXPECT_EQ(spec.name(), "gemm/1024/f64");
  cases.kernels.push_back({spec, {0, 0}});
  for (const double seconds : {0.02, 0.01, 0.03}) store.add({0, 0}, spec.name(), seconds);
  cases.launches.push_back({{}, {100, 0}});
  store.add({100, 0}, "launch", 1e-6);
  Machine machine;
  compute_from_samples(cases, store, machine);
  const Quantity& rate = machine.device.gemm_flops_per_s.at("f64");
  EXPECT_DOUBLE_EQ(rate.value, 2. * 1024 * 1024 * 1024 / 0.02);
  EXPECT_EQ(rate.source, "n = 1024");
  EXPECT_EQ(machine.device.launch_latency_s->value, 1e-6);
}

TEST(ComputeFromSamples, SustainedProductsHaveARateOfTheirOwn) {
  SustainedCases cases;
  SampleStore store;
  cases.products.push_back(
      {{ComputeKernel::gemm, "f64", 1024, 2. * 1024 * 1024 * 1024, 50, true}, {1, 0}});
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
