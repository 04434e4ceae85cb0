// SPDX-License-Identifier: MIT
#pragma once

namespace bellwether {

/// cuBLAS' matrix products, loaded when this is made, so that a program without the library starts.
/// Throws std::runtime_error with the library's name if it cannot be loaded or a call fails.
class Cublas {
 public:
  Cublas();
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// C = A B on a CUDA stream (a cudaStream_t): column-major n x n matrices in device memory.
  void gemm(int n, const float* a, const float* b, float* c, void* stream);
  void gemm(int n, const double* a, const double* b, double* c, void* stream);

 private:
  /// The functions' types as in cublas_v2.h, enumerations being int there.
  template <class T>
  using Gemm = int (*)(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                       const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta,
                       T* c, int ldc);
  template <class Function>
  Function function(const char* name);
  template <class T>
  void run(Gemm<T> product, int n, const T* a, const T* b, T* c, void* stream);

  void* library_ = nullptr;
  void* handle_ = nullptr;
  int (*destroy_)(void*) = nullptr;
  int (*set_stream_)(void*, void*) = nullptr;
  Gemm<float> sgemm_ = nullptr;
  Gemm<double> dgemm_ = nullptr;
};

}  // namespace bellwether
