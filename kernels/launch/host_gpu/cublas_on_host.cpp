// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "kernels/launch/host_gpu/host_gpu.hpp"

// libcublas.so.13 for the GPU made of CPU: the functions that dense/cublas.cpp opens, by the CPU's
// BLAS, when the stream gets there. The types are those of cublas_v2.h, enumerations being int.

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void strsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const float*, const float*, const int*, float*, const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const double*, const double*, const int*, double*, const int*);
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void dtrsv_(const char*, const char*, const char*, const int*, const double*, const int*, double*,
            const int*);
}

namespace {

struct Handle {
  bellwether::host_gpu::Stream* stream = nullptr;
};

constexpr int success = 0, not_initialized = 1, invalid_value = 7;

const char* letter(int transpose) { return transpose == 0 ? "N" : "T"; }
const char* letter_of_side(int side) { return side == 0 ? "L" : "R"; }
const char* letter_of_triangle(int triangle) { return triangle == 0 ? "L" : "U"; }
const char* letter_of_diagonal(int diagonal) { return diagonal == 0 ? "N" : "U"; }

void multiply(const char* ta, const char* tb, int m, int n, int k, float alpha, const float* a,
              int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  sgemm_(ta, tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}
void multiply(const char* ta, const char* tb, int m, int n, int k, double alpha, const double* a,
              int lda, const double* b, int ldb, double beta, double* c, int ldc) {
  dgemm_(ta, tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

int at_least_1(int size) { return std::max(size, 1); }

template <class T>
int gemm(void* handle, int ta, int tb, int m, int n, int k, const T* alpha, const T* a, int lda,
         const T* b, int ldb, const T* beta, T* c, int ldc) {
  if (handle == nullptr) return not_initialized;
  auto* const stream = static_cast<Handle*>(handle)->stream;
  if (stream == nullptr || m < 0 || n < 0 || k < 0 || lda < at_least_1(ta == 0 ? m : k) ||
      ldb < at_least_1(tb == 0 ? k : n) || ldc < at_least_1(m))
    return invalid_value;
  // Alpha and beta are read now: they lie in the caller's memory.
  bellwether::host_gpu::enqueue(
      [=, alpha = *alpha, beta = *beta] {
        multiply(letter(ta), letter(tb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
      },
      stream);
  return success;
}

template <class T, class Solve>
int trsm(void* handle, Solve* solve, int side, int triangle, int transpose, int diagonal, int m,
         int n, const T* alpha, const T* a, int lda, T* b, int ldb) {
  if (handle == nullptr) return not_initialized;
  auto* const stream = static_cast<Handle*>(handle)->stream;
  if (stream == nullptr || m < 0 || n < 0 || lda < at_least_1(side == 0 ? m : n) ||
      ldb < at_least_1(m))
    return invalid_value;
  bellwether::host_gpu::enqueue(
      [=, alpha = *alpha] {
        solve(letter_of_side(side), letter_of_triangle(triangle), letter(transpose),
              letter_of_diagonal(diagonal), &m, &n, &alpha, a, &lda, b, &ldb);
      },
      stream);
  return success;
}

}  // namespace

extern "C" {
int cublasCreate_v2(void** handle) {
  *handle = new Handle;
  return success;
}
int cublasDestroy_v2(void* handle) {
  delete static_cast<Handle*>(handle);
  return success;
}
int cublasGetVersion_v2(void* handle, int* version) {
  if (handle == nullptr) return not_initialized;
  *version = 130000;
  return success;
}
int cublasSetStream_v2(void* handle, void* stream) {
  if (handle == nullptr) return not_initialized;
  static_cast<Handle*>(handle)->stream = static_cast<bellwether::host_gpu::Stream*>(stream);
  return success;
}
int cublasSgemm_v2(void* handle, int ta, int tb, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                   int ldc) {
  return gemm(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
int cublasDgemm_v2(void* handle, int ta, int tb, int m, int n, int k, const double* alpha,
                   const double* a, int lda, const double* b, int ldb, const double* beta,
                   double* c, int ldc) {
  return gemm(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
int cublasStrsm_v2(void* handle, int side, int triangle, int transpose, int diagonal, int m, int n,
                   const float* alpha, const float* a, int lda, float* b, int ldb) {
  return trsm(handle, strsm_, side, triangle, transpose, diagonal, m, n, alpha, a, lda, b, ldb);
}
int cublasDtrsm_v2(void* handle, int side, int triangle, int transpose, int diagonal, int m, int n,
                   const double* alpha, const double* a, int lda, double* b, int ldb) {
  return trsm(handle, dtrsm_, side, triangle, transpose, diagonal, m, n, alpha, a, lda, b, ldb);
}
int cublasDgemv_v2(void* handle, int transpose, int m, int n, const double* alpha, const double* a,
                   int lda, const double* x, int step_x, const double* beta, double* y,
                   int step_y) {
  if (handle == nullptr) return not_initialized;
  auto* const stream = static_cast<Handle*>(handle)->stream;
  if (stream == nullptr || m < 0 || n < 0 || lda < at_least_1(m) || step_x == 0 || step_y == 0)
    return invalid_value;
  bellwether::host_gpu::enqueue(
      [=, alpha = *alpha, beta = *beta] {
        dgemv_(letter(transpose), &m, &n, &alpha, a, &lda, x, &step_x, &beta, y, &step_y);
      },
      stream);
  return success;
}
int cublasDtrsv_v2(void* handle, int triangle, int transpose, int diagonal, int n, const double* a,
                   int lda, double* x, int step) {
  if (handle == nullptr) return not_initialized;
  auto* const stream = static_cast<Handle*>(handle)->stream;
  if (stream == nullptr || n < 0 || lda < at_least_1(n) || step == 0) return invalid_value;
  bellwether::host_gpu::enqueue(
      [=] {
        dtrsv_(letter_of_triangle(triangle), letter(transpose), letter_of_diagonal(diagonal), &n, a,
               &lda, x, &step);
      },
      stream);
  return success;
}
}
