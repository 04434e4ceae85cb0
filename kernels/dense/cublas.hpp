// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace bellwether {

/// cuBLAS' matrix products and triangles, from the first of some files that can be loaded and
/// starts on this device: loaded when this is made, so that a program without the library starts.
/// Throws std::runtime_error if there is none, with what is wrong with those that there are, and if
/// a call fails.
///
/// Matrices are column-major and lie in device memory; `lda` values go from column to column of A.
/// What is called runs on a CUDA stream (a cudaStream_t). Sizes are at least 1.
class Cublas {
 public:
  /// `files`: names, which the system's loader looks for, and paths; as cublas_files() has them.
  explicit Cublas(const std::vector<std::string>& files);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// The file that was taken and its version: "/usr/local/cuda/lib64/libcublas.so.13 (13.1.0)".
  [[nodiscard]] const std::string& library() const { return file_; }

  /// C = A B: n x n matrices without gaps.
  void gemm(int n, const float* a, const float* b, float* c, void* stream);
  void gemm(int n, const double* a, const double* b, double* c, void* stream);
  /// C = alpha A B^T + beta C: C m x n, A m x k, B n x k.
  void multiply_transposed(int m, int n, int k, double alpha, const double* a, int lda,
                           const double* b, int ldb, double beta, double* c, int ldc, void* stream);
  void multiply_transposed(int m, int n, int k, float alpha, const float* a, int lda,
                           const float* b, int ldb, float beta, float* c, int ldc, void* stream);
  /// B = B L^-T: B m x n, L the lower triangle of A, n x n.
  void solve_lower_from_right(int m, int n, const float* a, int lda, float* b, int ldb,
                              void* stream);
  void solve_lower_from_right(int m, int n, const double* a, int lda, double* b, int ldb,
                              void* stream);
  /// B = B L^-T: B m x n, L the unit lower triangle of A, n x n.
  void solve_from_right(int m, int n, const double* a, int lda, double* b, int ldb, void* stream);
  /// y -= A^T x: A m x n.
  void subtract_transposed(int m, int n, const double* a, int lda, const double* x, double* y,
                           void* stream);
  /// x = L^-T x: L the lower triangle of A, n x n.
  void solve_transposed(int n, const double* a, int lda, double* x, void* stream);

 private:
  /// The functions' types as in cublas_v2.h, enumerations being int there.
  template <class T>
  using Gemm = int (*)(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                       const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta,
                       T* c, int ldc);
  template <class T>
  using Trsm = int (*)(void* handle, int side, int triangle, int transpose, int diagonal, int m,
                       int n, const T* alpha, const T* a, int lda, T* b, int ldb);
  using Gemv = int (*)(void* handle, int transpose, int m, int n, const double* alpha,
                       const double* a, int lda, const double* x, int step_x, const double* beta,
                       double* y, int step_y);
  using Trsv = int (*)(void* handle, int triangle, int transpose, int diagonal, int n,
                       const double* a, int lda, double* x, int step);
  void start(const std::string& file);
  template <class T>
  void run(Gemm<T> product, int n, const T* a, const T* b, T* c, void* stream);
  template <class T>
  void run(Trsm<T> solve, const char* call, int diagonal, int m, int n, const T* a, int lda, T* b,
           int ldb, void* stream);

  std::string file_;
  void* handle_ = nullptr;
  int (*destroy_)(void*) = nullptr;
  int (*set_stream_)(void*, void*) = nullptr;
  Gemm<float> sgemm_ = nullptr;
  Gemm<double> dgemm_ = nullptr;
  Trsm<float> strsm_ = nullptr;
  Trsm<double> dtrsm_ = nullptr;
  Gemv dgemv_ = nullptr;
  Trsv dtrsv_ = nullptr;
};

}  // namespace bellwether
