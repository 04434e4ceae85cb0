// SPDX-License-Identifier: MIT
#include "kernels/dense/cublas.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

#include "kernels/dense/cuda_library.hpp"

namespace bellwether {
namespace {

// As in cublas_v2.h.
constexpr int no_transpose = 0, transpose = 1;  // CUBLAS_OP_N, _T
constexpr int side_left = 0, side_right = 1;    // CUBLAS_SIDE_LEFT, _RIGHT
constexpr int lower = 0;                        // CUBLAS_FILL_MODE_LOWER
constexpr int non_unit = 0, unit = 1;           // CUBLAS_DIAG_NON_UNIT, _UNIT

void check(int status, const char* call) {
  if (status == 0) return;  // CUBLAS_STATUS_SUCCESS
  throw std::runtime_error(std::string("cuBLAS: ") + call + " failed with status " +
                           std::to_string(status));
}

/// cuBLAS counts in int.
int as_int(long count) {
  if (count > std::numeric_limits<int>::max())
    throw std::length_error("cuBLAS: a matrix' size or stride is " + std::to_string(count) +
                            ", and is at most 2147483647: take smaller blocks or more processes");
  return static_cast<int>(count);
}

/// "13.1.0" for 130100.
std::string version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace

/// Any version serves: the functions' types have not changed.
Cublas::Cublas(const std::vector<std::string>& files) {
  load_cuda_library(files, "cuBLAS", "libcublas.so.13, .so.12 or .so",
                    [&](void* library, const std::string& path) { start(library, path); });
}

void Cublas::start(void* library, const std::string& path) {
  find_function(set_stream_, library, "cublasSetStream_v2");
  find_function(sgemm_, library, "cublasSgemm_v2");
  find_function(dgemm_, library, "cublasDgemm_v2");
  find_function(strsm_, library, "cublasStrsm_v2");
  find_function(dtrsm_, library, "cublasDtrsm_v2");
  find_function(dgemv_, library, "cublasDgemv_v2");
  find_function(dtrsv_, library, "cublasDtrsv_v2");
  find_function(destroy_, library, "cublasDestroy_v2");
  find_function(create_, library, "cublasCreate_v2");
  int (*get_version)(void*, int*) = nullptr;
  find_function(get_version, library, "cublasGetVersion_v2");
  unused_ = new_handle();
  int version = 0;
  if (const int status = get_version(unused_, &version); status != 0) {
    (void)destroy_(std::exchange(unused_, nullptr));
    check(status, "cublasGetVersion");
  }
  file_ = path + " (" + version_text(version) + ")";
}

Cublas::~Cublas() {
  if (unused_ != nullptr) (void)destroy_(unused_);
  for (const auto& [stream, handle] : handles_) (void)destroy_(handle);
}

void* Cublas::new_handle() {
  void* handle = nullptr;
  check(create_(&handle), "cublasCreate");
  return handle;
}

void* Cublas::handle_of(void* stream) {
  if (const auto found = handles_.find(stream); found != handles_.end()) return found->second;
  if (unused_ == nullptr) unused_ = new_handle();
  check(set_stream_(unused_, stream), "cublasSetStream");
  handles_.emplace(stream, unused_);
  return std::exchange(unused_, nullptr);
}

template <class T>
void Cublas::run(Gemm<T> product, long n, const T* a, const T* b, T* c, void* stream) {
  const T one = 1, zero = 0;
  const int size = as_int(n);
  check(product(handle_of(stream), no_transpose, no_transpose, size, size, size, &one, a, size, b,
                size, &zero, c, size),
        "gemm");
}

void Cublas::gemm(long n, const float* a, const float* b, float* c, void* stream) {
  run(sgemm_, n, a, b, c, stream);
}
void Cublas::gemm(long n, const double* a, const double* b, double* c, void* stream) {
  run(dgemm_, n, a, b, c, stream);
}

template <class T>
void Cublas::run(Gemm<T> product, const char* call, long m, long n, long k, T alpha, const T* a,
                 long lda, const T* b, long ldb, T beta, T* c, long ldc, void* stream) {
  check(product(handle_of(stream), no_transpose, transpose, as_int(m), as_int(n), as_int(k), &alpha,
                a, as_int(lda), b, as_int(ldb), &beta, c, as_int(ldc)),
        call);
}

void Cublas::multiply_transposed(long m, long n, long k, double alpha, const double* a, long lda,
                                 const double* b, long ldb, double beta, double* c, long ldc,
                                 void* stream) {
  run(dgemm_, "cublasDgemm", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, stream);
}
void Cublas::multiply_transposed(long m, long n, long k, float alpha, const float* a, long lda,
                                 const float* b, long ldb, float beta, float* c, long ldc,
                                 void* stream) {
  run(sgemm_, "cublasSgemm", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, stream);
}

void Cublas::subtract_product(long m, long n, long k, const double* a, long lda, const double* b,
                              long ldb, double* c, long ldc, void* stream) {
  const double minus_one = -1, one = 1;
  check(dgemm_(handle_of(stream), no_transpose, no_transpose, as_int(m), as_int(n), as_int(k),
               &minus_one, a, as_int(lda), b, as_int(ldb), &one, c, as_int(ldc)),
        "cublasDgemm");
}

template <class T>
void Cublas::run(Trsm<T> solve, const char* call, int diagonal, long m, long n, const T* a,
                 long lda, T* b, long ldb, void* stream) {
  const T one = 1;
  check(solve(handle_of(stream), side_right, lower, transpose, diagonal, as_int(m), as_int(n), &one,
              a, as_int(lda), b, as_int(ldb)),
        call);
}

void Cublas::solve_lower_from_right(long m, long n, const float* a, long lda, float* b, long ldb,
                                    void* stream) {
  run(strsm_, "cublasStrsm", non_unit, m, n, a, lda, b, ldb, stream);
}
void Cublas::solve_lower_from_right(long m, long n, const double* a, long lda, double* b, long ldb,
                                    void* stream) {
  run(dtrsm_, "cublasDtrsm", non_unit, m, n, a, lda, b, ldb, stream);
}
void Cublas::solve_from_right(long m, long n, const double* a, long lda, double* b, long ldb,
                              void* stream) {
  run(dtrsm_, "cublasDtrsm", unit, m, n, a, lda, b, ldb, stream);
}

void Cublas::solve_from_left(long m, long n, const double* a, long lda, double* b, long ldb,
                             void* stream) {
  const double one = 1;
  check(dtrsm_(handle_of(stream), side_left, lower, no_transpose, unit, as_int(m), as_int(n), &one,
               a, as_int(lda), b, as_int(ldb)),
        "cublasDtrsm");
}

void Cublas::subtract_transposed(long m, long n, const double* a, long lda, const double* x,
                                 double* y, void* stream) {
  const double minus_one = -1, one = 1;
  check(dgemv_(handle_of(stream), transpose, as_int(m), as_int(n), &minus_one, a, as_int(lda), x, 1,
               &one, y, 1),
        "cublasDgemv");
}

void Cublas::solve_transposed(long n, const double* a, long lda, double* x, void* stream) {
  check(dtrsv_(handle_of(stream), lower, transpose, non_unit, as_int(n), a, as_int(lda), x, 1),
        "cublasDtrsv");
}

}  // namespace bellwether
