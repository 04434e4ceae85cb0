// SPDX-License-Identifier: MIT
#include "kernels/dense/cublas.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <stdexcept>

namespace bellwether {
namespace {

// As in cublas_v2.h.
constexpr int no_transpose = 0, transpose = 1;  // CUBLAS_OP_N, _T
constexpr int side_right = 1;                   // CUBLAS_SIDE_RIGHT
constexpr int lower = 0;                        // CUBLAS_FILL_MODE_LOWER
constexpr int non_unit = 0, unit = 1;           // CUBLAS_DIAG_NON_UNIT, _UNIT

void check(int status, const char* call) {
  if (status == 0) return;  // CUBLAS_STATUS_SUCCESS
  throw std::runtime_error(std::string("cuBLAS: ") + call + " failed with status " +
                           std::to_string(status));
}

template <class Function>
Function function_of(void* library, const char* name) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(std::string("has no function ") + name);
  return reinterpret_cast<Function>(symbol);
}

/// The path of the file that a function was loaded from.
std::string file_of(void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0) return "libcublas.so";
  char path[PATH_MAX];
  return realpath(info.dli_fname, path) != nullptr ? path : info.dli_fname;
}

/// "13.1.0" for 130100.
std::string version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace

Cublas::Cublas(const std::vector<std::string>& files) {
  std::string problems;
  for (const std::string& file : files) {
    try {
      start(file);
      return;
    } catch (const std::runtime_error& error) {
      const std::string problem = error.what();
      // That there is no file of a name goes without saying; that it lacks another does not.
      if (problem.rfind(file + ": cannot open shared object file", 0) != 0)
        problems += "; " + problem;
    }
  }
  throw std::runtime_error(
      "cuBLAS cannot be loaded: no libcublas.so.13, .so.12 or .so on LD_LIBRARY_PATH, where "
      "CUDA_HOME names a toolkit, or in the usual places" +
      problems);
}

/// Any version serves: the functions' types have not changed. It is never unloaded, as other
/// libraries of CUDA may have registered with it.
void Cublas::start(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  try {
    set_stream_ = function_of<int (*)(void*, void*)>(library, "cublasSetStream_v2");
    sgemm_ = function_of<Gemm<float>>(library, "cublasSgemm_v2");
    dgemm_ = function_of<Gemm<double>>(library, "cublasDgemm_v2");
    strsm_ = function_of<Trsm<float>>(library, "cublasStrsm_v2");
    dtrsm_ = function_of<Trsm<double>>(library, "cublasDtrsm_v2");
    dgemv_ = function_of<Gemv>(library, "cublasDgemv_v2");
    dtrsv_ = function_of<Trsv>(library, "cublasDtrsv_v2");
    destroy_ = function_of<int (*)(void*)>(library, "cublasDestroy_v2");
    const auto create = function_of<int (*)(void**)>(library, "cublasCreate_v2");
    file_ = file_of(reinterpret_cast<void*>(create));
    check(create(&handle_), "cublasCreate");
    int version = 0;
    check(function_of<int (*)(void*, int*)>(library, "cublasGetVersion_v2")(handle_, &version),
          "cublasGetVersion");
    file_ += " (" + version_text(version) + ")";
  } catch (const std::runtime_error& error) {
    if (handle_ != nullptr) (void)destroy_(handle_);
    handle_ = nullptr;
    throw std::runtime_error(file + ": " + error.what());
  }
}

Cublas::~Cublas() { (void)destroy_(handle_); }

template <class T>
void Cublas::run(Gemm<T> product, int n, const T* a, const T* b, T* c, void* stream) {
  const T one = 1, zero = 0;
  check(set_stream_(handle_, stream), "cublasSetStream");
  check(product(handle_, no_transpose, no_transpose, n, n, n, &one, a, n, b, n, &zero, c, n),
        "gemm");
}

void Cublas::gemm(int n, const float* a, const float* b, float* c, void* stream) {
  run(sgemm_, n, a, b, c, stream);
}
void Cublas::gemm(int n, const double* a, const double* b, double* c, void* stream) {
  run(dgemm_, n, a, b, c, stream);
}

void Cublas::multiply_transposed(int m, int n, int k, double alpha, const double* a, int lda,
                                 const double* b, int ldb, double beta, double* c, int ldc,
                                 void* stream) {
  check(set_stream_(handle_, stream), "cublasSetStream");
  check(dgemm_(handle_, no_transpose, transpose, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc),
        "cublasDgemm");
}

void Cublas::multiply_transposed(int m, int n, int k, float alpha, const float* a, int lda,
                                 const float* b, int ldb, float beta, float* c, int ldc,
                                 void* stream) {
  check(set_stream_(handle_, stream), "cublasSetStream");
  check(sgemm_(handle_, no_transpose, transpose, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc),
        "cublasSgemm");
}

template <class T>
void Cublas::run(Trsm<T> solve, const char* call, int diagonal, int m, int n, const T* a, int lda,
                 T* b, int ldb, void* stream) {
  const T one = 1;
  check(set_stream_(handle_, stream), "cublasSetStream");
  check(solve(handle_, side_right, lower, transpose, diagonal, m, n, &one, a, lda, b, ldb), call);
}

void Cublas::solve_lower_from_right(int m, int n, const float* a, int lda, float* b, int ldb,
                                    void* stream) {
  run(strsm_, "cublasStrsm", non_unit, m, n, a, lda, b, ldb, stream);
}
void Cublas::solve_lower_from_right(int m, int n, const double* a, int lda, double* b, int ldb,
                                    void* stream) {
  run(dtrsm_, "cublasDtrsm", non_unit, m, n, a, lda, b, ldb, stream);
}
void Cublas::solve_from_right(int m, int n, const double* a, int lda, double* b, int ldb,
                              void* stream) {
  run(dtrsm_, "cublasDtrsm", unit, m, n, a, lda, b, ldb, stream);
}

void Cublas::subtract_transposed(int m, int n, const double* a, int lda, const double* x, double* y,
                                 void* stream) {
  const double minus_one = -1, one = 1;
  check(set_stream_(handle_, stream), "cublasSetStream");
  check(dgemv_(handle_, transpose, m, n, &minus_one, a, lda, x, 1, &one, y, 1), "cublasDgemv");
}

void Cublas::solve_transposed(int n, const double* a, int lda, double* x, void* stream) {
  check(set_stream_(handle_, stream), "cublasSetStream");
  check(dtrsv_(handle_, lower, transpose, non_unit, n, a, lda, x, 1), "cublasDtrsv");
}

}  // namespace bellwether
