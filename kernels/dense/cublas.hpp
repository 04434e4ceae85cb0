// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace bellwether {

/// cuBLAS' matrix products, from the first of some files that can be loaded and starts on this
/// device: loaded when this is made, so that a program without the library starts. Throws
/// std::runtime_error if there is none, with what is wrong with those that there are, and if a call
/// fails.
class Cublas {
 public:
  /// `files`: names, which the system's loader looks for, and paths; as cublas_files() has them.
  explicit Cublas(const std::vector<std::string>& files);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// The file that was taken and its version: "/usr/local/cuda/lib64/libcublas.so.13 (13.1.0)".
  [[nodiscard]] const std::string& library() const { return file_; }

  /// C = A B on a CUDA stream (a cudaStream_t): column-major n x n matrices in device memory.
  void gemm(int n, const float* a, const float* b, float* c, void* stream);
  void gemm(int n, const double* a, const double* b, double* c, void* stream);

 private:
  /// The functions' types as in cublas_v2.h, enumerations being int there.
  template <class T>
  using Gemm = int (*)(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                       const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta,
                       T* c, int ldc);
  void start(const std::string& file);
  template <class T>
  void run(Gemm<T> product, int n, const T* a, const T* b, T* c, void* stream);

  std::string file_;
  void* handle_ = nullptr;
  int (*destroy_)(void*) = nullptr;
  int (*set_stream_)(void*, void*) = nullptr;
  Gemm<float> sgemm_ = nullptr;
  Gemm<double> dgemm_ = nullptr;
};

}  // namespace bellwether
