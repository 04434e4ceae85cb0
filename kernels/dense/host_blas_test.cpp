// SPDX-License-Identifier: MIT
#include "kernels/dense/host_blas.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

TEST(HostBlas, RemarksOnKernelsThatLeaveTheProcessorIdle) {
  // OpenBLAS 0.3.21 on an Emerald Rapids: 30 of 128 GFLOP/s.
  EXPECT_EQ(blas_remark("Prescott", VectorWidth::avx512),
            "SLOW BLAS: OpenBLAS runs its kernels for Prescott (SSE) on a processor with AVX-512: "
            "set OPENBLAS_CORETYPE=SkylakeX, or use an OpenBLAS that knows the processor");
  EXPECT_NE(blas_remark("Haswell", VectorWidth::avx512).find("(AVX2)"), std::string::npos);
  EXPECT_NE(blas_remark("Nehalem", VectorWidth::avx2).find("=Haswell"), std::string::npos);
  EXPECT_NE(blas_remark("Core2", VectorWidth::avx).find("=Sandybridge"), std::string::npos);
}

TEST(HostBlas, RemarksOnNothingWhereAllIsUsedOrNobodyKnows) {
  EXPECT_EQ(blas_remark("SkylakeX", VectorWidth::avx512), "");
  EXPECT_EQ(blas_remark("SapphireRapids", VectorWidth::avx512), "");
  EXPECT_EQ(blas_remark("Zen", VectorWidth::avx2), "");
  EXPECT_EQ(blas_remark("Prescott", VectorWidth::sse), "");
  EXPECT_EQ(blas_remark("", VectorWidth::avx512), "");  // no OpenBLAS
  EXPECT_EQ(blas_remark("neoversen1", {}), "");         // no x86
}

}  // namespace
}  // namespace bellwether
