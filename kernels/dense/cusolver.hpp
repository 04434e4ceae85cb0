// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bellwether {

/// cuSOLVER's LU with row pivoting, from the first of some files that can be loaded and starts on
/// this device, as Cublas has its library. Throws std::runtime_error if there is none, with what is
/// wrong with those that there are, and if a call fails.
class Cusolver {
 public:
  /// As cusolver_files() has them. What is called runs on the CUDA stream.
  Cusolver(const std::vector<std::string>& files, void* stream);
  ~Cusolver();
  Cusolver(const Cusolver&) = delete;
  Cusolver& operator=(const Cusolver&) = delete;

  /// The file that was taken and its version: "/usr/local/cuda/lib64/libcusolver.so.12 (12.0.4)".
  [[nodiscard]] const std::string& library() const { return file_; }

  struct Workspace {
    std::size_t device_bytes = 0, host_bytes = 0;
  };
  /// What factor() needs for a matrix of this shape.
  [[nodiscard]] Workspace workspace(long m, long n, const double* a, long lda);
  /// Factors a column-major m x n matrix in device memory in place. `pivots`: min(m, n) rows from
  /// 1, as LAPACK's; `info`: LAPACK's. Both, and what on_device points to, in device memory; what
  /// on_host points to is used when the stream gets there.
  void factor(long m, long n, double* a, long lda, std::int64_t* pivots, int* info,
              const Workspace& workspace, void* on_device, void* on_host);

 private:
  /// The functions' types as in cusolverDn.h, enumerations being int there.
  using Sizes = int (*)(void* handle, void* parameters, std::int64_t m, std::int64_t n, int type_a,
                        const void* a, std::int64_t lda, int compute_type, std::size_t* on_device,
                        std::size_t* on_host);
  using Factor = int (*)(void* handle, void* parameters, std::int64_t m, std::int64_t n, int type_a,
                         void* a, std::int64_t lda, std::int64_t* pivots, int compute_type,
                         void* on_device, std::size_t device_bytes, void* on_host,
                         std::size_t host_bytes, int* info);
  void start(void* library, const std::string& path, void* stream);
  void end();

  std::string file_;
  void *handle_ = nullptr, *parameters_ = nullptr;
  int (*destroy_)(void*) = nullptr;
  int (*destroy_parameters_)(void*) = nullptr;
  Sizes sizes_ = nullptr;
  Factor factor_ = nullptr;
};

}  // namespace bellwether
