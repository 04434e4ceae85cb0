// SPDX-License-Identifier: MIT
#pragma once

#include <cblas.h>

namespace bellwether::blas {

/// CBLAS takes int.
inline int narrow(long value) { return static_cast<int>(value); }

/// b = b L^-T, column-major; L not unit.
inline void solve_from_right(double* b, long ldb, const double* l, long ldl, long rows,
                             long width) {
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, narrow(rows),
              narrow(width), 1, l, narrow(ldl), b, narrow(ldb));
}
inline void solve_from_right(float* b, long ldb, const float* l, long ldl, long rows, long width) {
  cblas_strsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, narrow(rows),
              narrow(width), 1, l, narrow(ldl), b, narrow(ldb));
}
/// c -= l w^T, column-major.
inline void subtract_product(double* c, long ldc, const double* l, long ldl, const double* w,
                             long ldw, long rows, long columns, long inner) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, narrow(rows), narrow(columns), narrow(inner),
              -1, l, narrow(ldl), w, narrow(ldw), 1, c, narrow(ldc));
}
inline void subtract_product(float* c, long ldc, const float* l, long ldl, const float* w, long ldw,
                             long rows, long columns, long inner) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, narrow(rows), narrow(columns), narrow(inner),
              -1, l, narrow(ldl), w, narrow(ldw), 1, c, narrow(ldc));
}

}  // namespace bellwether::blas
