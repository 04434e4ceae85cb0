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
  EXPECT_TRUE(holds(gemm_warning(slow, {"Haswell", "Haswell", ""}), "OPENBLAS_CORETYPE=Haswell"));
  EXPECT_TRUE(holds(gemm_warning(slow, {"", "", ""}), "reference BLAS"));
  const std::string threads = gemm_warning(slow, {"", "SkylakeX", ""});
  EXPECT_TRUE(holds(threads, "kernels for SkylakeX") && holds(threads, "OPENBLAS_NUM_THREADS"));
  DeviceParameters gpu = slow;
  gpu.kind = "gpu";
  EXPECT_FALSE(holds(gemm_warning(gpu, {"Haswell", "", ""}), "OPENBLAS"));
}

TEST(GemmWarning, NeedsBothRates) {
  DeviceParameters published = device(42, 21);
  published.peak_flops_per_s.clear();
  EXPECT_EQ(gemm_warning(published, {}), "");
}

}  // namespace
}  // namespace bellwether
