// SPDX-License-Identifier: MIT
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
}

namespace {

struct Handle {
  bellwether::host_gpu::Stream* stream = nullptr;
};

constexpr int success = 0, not_initialized = 1, invalid_value = 7;

const char* letter(int transpose) { return transpose == 0 ? "N" : "T"; }

void multiply(const char* ta, const char* tb, int m, int n, int k, float alpha, const float* a,
              int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  sgemm_(ta, tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}
void multiply(const char* ta, const char* tb, int m, int n, int k, double alpha, const double* a,
              int lda, const double* b, int ldb, double beta, double* c, int ldc) {
  dgemm_(ta, tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

template <class T>
int gemm(void* handle, int ta, int tb, int m, int n, int k, const T* alpha, const T* a, int lda,
         const T* b, int ldb, const T* beta, T* c, int ldc) {
  if (handle == nullptr) return not_initialized;
  auto* const stream = static_cast<Handle*>(handle)->stream;
  if (stream == nullptr || m < 0 || n < 0 || k < 0) return invalid_value;
  // Alpha and beta are read now: they lie in the caller's memory.
  bellwether::host_gpu::enqueue(
      [=, alpha = *alpha, beta = *beta] {
        multiply(letter(ta), letter(tb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
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
}
