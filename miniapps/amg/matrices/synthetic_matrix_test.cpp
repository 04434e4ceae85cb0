// SPDX-License-Identifier: MIT
// Synthetic matrices: what of their rows others hold, and that hypre's products take it as 0.
#include "miniapps/amg/matrices/synthetic_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "miniapps/amg/hypre/hypre_library.hpp"
#include "miniapps/amg/matrices/operation_matrix.hpp"
#include "miniapps/comm/session/test_session.hpp"

namespace bellwether::synthetic {
namespace {

constexpr AmgShape shapes[] = {{AmgRole::level, 1000, 7},
                               {AmgRole::level, 2000, 20},
                               {AmgRole::level, 1000, 45},
                               {AmgRole::interpolation, 3000, 4},
                               {AmgRole::interpolation, 3000, 2}};

int entries_of(const hypre_CSRMatrix* matrix, int row) {
  return hypre_CSRMatrixI(matrix)[row + 1] - hypre_CSRMatrixI(matrix)[row];
}

TEST(SyntheticMatrix, OthersHoldAThirdOfTheRowsAtABorder) {
  const HypreLibrary library(0);
  const Neighbours all(test_session().world());
  for (const AmgShape& shape : shapes) {
    const Matrix matrix = make_matrix(all, shape);
    const hypre_CSRMatrix* const own = hypre_ParCSRMatrixDiag(matrix.get());
    const hypre_CSRMatrix* const others = hypre_ParCSRMatrixOffd(matrix.get());
    int at_border = 0;
    for (int row = 0; row < shape.rows; ++row) {
      if (shape.role == AmgRole::level) {
        ASSERT_GT(entries_of(own, row), 0) << row;
      }
      ASSERT_LE(entries_of(others, row), 1 + entries_of(own, row) / 2) << row;
      if (entries_of(others, row) > 0) ++at_border;
    }
    const double entries = hypre_CSRMatrixNumNonzeros(own) + hypre_CSRMatrixNumNonzeros(others);
    EXPECT_NEAR(entries / shape.rows, shape.entries_per_row, 0.1 * shape.entries_per_row);
    if (all.ranks() == 1) {
      EXPECT_EQ(at_border, 0);
      continue;
    }
    const double expected = shape.rows / std::cbrt(shape.rows);
    EXPECT_NEAR(at_border, expected, 0.3 * expected) << shape.rows << ' ' << shape.entries_per_row;
    if (shape.entries_per_row == 7) {
      EXPECT_EQ(hypre_CSRMatrixNumRownnz(others), at_border);
    }
  }
}

TEST(SyntheticMatrix, ProductsTakeWhatOthersHoldAsZero) {
  const HypreLibrary library(0);
  const Neighbours all(test_session().world());
  for (const AmgShape& shape : shapes) {
    const Matrix matrix = make_matrix(all, shape);
    const hypre_CSRMatrix* const own = hypre_ParCSRMatrixDiag(matrix.get());
    const Vector x = make_vector(all, columns_of(shape), 1), y = make_vector(all, shape.rows, 2);
    hypre_ParCSRMatrixMatvec(1, matrix.get(), x.get(), 0, y.get());
    const double* const found = hypre_VectorData(hypre_ParVectorLocalVector(y.get()));
    const double* const values = hypre_VectorData(hypre_ParVectorLocalVector(x.get()));
    for (int row = 0; row < shape.rows; ++row) {
      double sum = 0;
      for (int e = hypre_CSRMatrixI(own)[row]; e < hypre_CSRMatrixI(own)[row + 1]; ++e)
        sum += hypre_CSRMatrixData(own)[e] * values[hypre_CSRMatrixJ(own)[e]];
      ASSERT_NEAR(found[row], sum, 1e-12 * (1 + std::abs(sum)) * shape.entries_per_row) << row;
    }
    check("a product");
  }
}

}  // namespace
}  // namespace bellwether::synthetic
