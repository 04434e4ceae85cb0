// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "microbench/amg/amg.hpp"
#include "microbench/driver/toy_calibration_test.hpp"
#include "models/amg/amg_parameters.hpp"

namespace bellwether {
namespace {

TEST(AmgMatrices, RunEveryOperation) {
  const auto device = make_device("kokkos", 0);
  if (!has_amg_matrices(*device)) GTEST_SKIP() << "built without hypre";
  EXPECT_GE(amg_threads(), 1);
  for (const AmgSpec& spec : amg_specs(true, std::size_t{1} << 20)) {
    const auto matrix = make_amg_matrix(session->world(), spec, *device);
    for (const AmgOperation operation : amg_operations(spec)) {
      EXPECT_NO_THROW(matrix->run(operation)) << spec.name();
      EXPECT_GT(matrix->seconds(operation), 0) << spec.name();
    }
  }
}

TEST(Calibrate, MeasuresTheOperationsOfASolveCycle) {
  const Machine& machine = toy_calibration().machine;
  const AmgKernelParameters* const kernels = amg_kernels(machine);
  ASSERT_EQ(kernels != nullptr, has_amg_matrices(*make_device("kokkos", 0)));
  if (kernels == nullptr) GTEST_SKIP() << "built without hypre";
  for (const AmgKernelTable* const table :
       {&kernels->spmv, &kernels->gauss_seidel, &kernels->interpolate, &kernels->restriction}) {
    EXPECT_GE(table->size(), 2U);
    for (const AmgKernelCurve& curve : *table)
      for (const AmgKernelTime& time : curve.times) {
        EXPECT_GT(time.cold_s.value, 0);
        EXPECT_TRUE(time.again_s.has_value());
      }
  }
  EXPECT_EQ(kernels->spmv.front().times.front().rows, 100);
  EXPECT_EQ(kernels->threads, amg_threads());
}

}  // namespace
}  // namespace bellwether
