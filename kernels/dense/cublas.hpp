// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

namespace bellwether {

/// cuBLAS' matrix products and triangles, from the first of some files that can be loaded and
/// starts on this device: loaded when this is made, so that a program without the library starts.
/// Throws std::runtime_error if there is none, with what is wrong with those that there are, and if
/// a call fails.
///
/// Matrices are column-major and lie in device memory; `lda` values go from column to column of A.
/// What is called runs on a CUDA stream (a cudaStream_t), each of which has a handle of the library
/// and so a workspace of its own: the results' bits are then the same run by run (cuBLAS
/// documentation, "Results Reproducibility"). Sizes are at least 1; one beyond int's range is
/// std::length_error.
class Cublas {
 public:
  /// `files`: names, which the system's loader looks for, and paths; as cublas_files() has them.
  explicit Cublas(const std::vector<std::string>& files);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// The file that was taken and its version: "/usr/local/cuda/lib64/libcublas.so.13 (13.1.0)".
  [[nodiscard]] const std::string& library() const { return file_; }

  /// Makes what a stream's first call else makes, which takes time and memory.
  void prepare(void* stream) { (void)handle_of(stream); }

  /// C = A B: n x n matrices without gaps.
  void gemm(long n, const float* a, const float* b, float* c, void* stream);
  void gemm(long n, const double* a, const double* b, double* c, void* stream);
  /// C = alpha A B^T + beta C: C m x n, A m x k, B n x k.
  void multiply_transposed(long m, long n, long k, double alpha, const double* a, long lda,
                           const double* b, long ldb, double beta, double* c, long ldc,
                           void* stream);
  void multiply_transposed(long m, long n, long k, float alpha, const float* a, long lda,
                           const float* b, long ldb, float beta, float* c, long ldc, void* stream);
  /// C -= A B: C m x n, A m x k, B k x n.
  void subtract_product(long m, long n, long k, const double* a, long lda, const double* b,
                        long ldb, double* c, long ldc, void* stream);
  /// B = B L^-T: B m x n, L the lower triangle of A, n x n.
  void solve_lower_from_right(long m, long n, const float* a, long lda, float* b, long ldb,
                              void* stream);
  void solve_lower_from_right(long m, long n, const double* a, long lda, double* b, long ldb,
                              void* stream);
  /// B = B L^-T: B m x n, L the unit lower triangle of A, n x n.
  void solve_from_right(long m, long n, const double* a, long lda, double* b, long ldb,
                        void* stream);
  /// B = L^-1 B: B m x n, L the unit lower triangle of A, m x m.
  void solve_from_left(long m, long n, const double* a, long lda, double* b, long ldb,
                       void* stream);
  /// y -= A^T x: A m x n.
  void subtract_transposed(long m, long n, const double* a, long lda, const double* x, double* y,
                           void* stream);
  /// x = L^-T x: L the lower triangle of A, n x n.
  void solve_transposed(long n, const double* a, long lda, double* x, void* stream);

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
  void start(void* library, const std::string& path);
  void* new_handle();
  void* handle_of(void* stream);
  template <class T>
  void run(Gemm<T> product, long n, const T* a, const T* b, T* c, void* stream);
  template <class T>
  void run(Gemm<T> product, const char* call, long m, long n, long k, T alpha, const T* a, long lda,
           const T* b, long ldb, T beta, T* c, long ldc, void* stream);
  template <class T>
  void run(Trsm<T> solve, const char* call, int diagonal, long m, long n, const T* a, long lda,
           T* b, long ldb, void* stream);

  std::string file_;
  std::map<void*, void*> handles_;  ///< by stream
  void* unused_ = nullptr;          ///< the handle of the first stream, until that comes
  int (*create_)(void**) = nullptr;
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
