// SPDX-License-Identifier: MIT

// libcublas.so for a test: as much of cuBLAS as cublas.cpp calls, in plain loops on the host, on
// any stream but a null one. A handle takes one stream alone, as results are promised to be
// repeatable only then; fake_cublas_handles() tells how many live. With FAKE_CUBLAS_STATUS it does
// not start, as on a driver that is too old.

#ifndef FAKE_CUBLAS_STATUS
#define FAKE_CUBLAS_STATUS 0
#endif

namespace {

struct Handle {
  void* stream = nullptr;
};
int handles = 0;

bool has_stream(void* handle) { return static_cast<Handle*>(handle)->stream != nullptr; }

template <class T>
int multiply(void* handle, int ta, int tb, int m, int n, int k, const T* alpha, const T* a, int lda,
             const T* b, int ldb, const T* beta, T* c, int ldc) {
  if (!has_stream(handle) || ta != 0) return 7;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      T sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a[i + l * lda] * (tb == 0 ? b[l + j * ldb] : b[j + l * ldb]);
      c[i + j * ldc] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * ldc]);
    }
  return 0;
}

/// B = alpha B L^-T, of a lower triangle with its diagonal or a unit one, or B = alpha L^-1 B of a
/// unit one.
template <class T>
int solve(void* handle, int side, int triangle, int transpose, int diagonal, int m, int n,
          const T* alpha, const T* a, int lda, T* b, int ldb) {
  if (!has_stream(handle) || triangle != 0 || transpose != side) return 7;
  if (side == 0) {
    if (diagonal != 1) return 7;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        b[i + j * ldb] *= *alpha;
        for (int l = 0; l < i; ++l) b[i + j * ldb] -= a[i + l * lda] * b[l + j * ldb];
      }
    return 0;
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      T sum = *alpha * b[i + j * ldb];
      for (int l = 0; l < j; ++l) sum -= b[i + l * ldb] * a[j + l * lda];
      b[i + j * ldb] = diagonal == 1 ? sum : sum / a[j + j * lda];
    }
  return 0;
}

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
  *handle = nullptr;
  if (FAKE_CUBLAS_STATUS != 0) return FAKE_CUBLAS_STATUS;
  *handle = new Handle;
  ++handles;
  return 0;
}
int cublasDestroy_v2(void* handle) {
  delete static_cast<Handle*>(handle);
  --handles;
  return 0;
}
int fake_cublas_handles() { return handles; }
int cublasGetVersion_v2(void*, int* version) {
  *version = 130203;
  return 0;
}
int cublasSetStream_v2(void* handle, void* stream) {
  auto& of = *static_cast<Handle*>(handle);
  if (of.stream != nullptr && of.stream != stream) return 14;  // CUBLAS_STATUS_INTERNAL_ERROR
  of.stream = stream;
  return 0;
}
int cublasSgemm_v2(void* handle, int ta, int tb, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                   int ldc) {
  return multiply(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
int cublasDgemm_v2(void* handle, int ta, int tb, int m, int n, int k, const double* alpha,
                   const double* a, int lda, const double* b, int ldb, const double* beta,
                   double* c, int ldc) {
  return multiply(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
int cublasStrsm_v2(void* handle, int side, int triangle, int transpose, int diagonal, int m, int n,
                   const float* alpha, const float* a, int lda, float* b, int ldb) {
  return solve(handle, side, triangle, transpose, diagonal, m, n, alpha, a, lda, b, ldb);
}
int cublasDtrsm_v2(void* handle, int side, int triangle, int transpose, int diagonal, int m, int n,
                   const double* alpha, const double* a, int lda, double* b, int ldb) {
  return solve(handle, side, triangle, transpose, diagonal, m, n, alpha, a, lda, b, ldb);
}
int cublasDgemv_v2(void* handle, int transpose, int m, int n, const double* alpha, const double* a,
                   int lda, const double* x, int step_x, const double* beta, double* y,
                   int step_y) {
  if (!has_stream(handle) || transpose != 1) return 7;
  for (int j = 0; j < n; ++j) {
    double sum = 0;
    for (int i = 0; i < m; ++i) sum += a[i + j * lda] * x[i * step_x];
    y[j * step_y] = *alpha * sum + *beta * y[j * step_y];
  }
  return 0;
}
/// x = L^-T x, of a lower triangle with its diagonal.
int cublasDtrsv_v2(void* handle, int triangle, int transpose, int diagonal, int n, const double* a,
                   int lda, double* x, int step) {
  if (!has_stream(handle) || triangle != 0 || transpose != 1 || diagonal != 0) return 7;
  for (int j = n - 1; j >= 0; --j) {
    double sum = x[j * step];
    for (int i = j + 1; i < n; ++i) sum -= a[i + j * lda] * x[i * step];
    x[j * step] = sum / a[j + j * lda];
  }
  return 0;
}
}
