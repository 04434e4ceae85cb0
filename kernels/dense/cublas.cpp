// SPDX-License-Identifier: MIT
#include "kernels/dense/cublas.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace bellwether {
namespace {

constexpr int no_transpose = 0;  // CUBLAS_OP_N

void check(int status, const char* call) {
  if (status == 0) return;  // CUBLAS_STATUS_SUCCESS
  throw std::runtime_error(std::string("cuBLAS: ") + call + " failed with status " +
                           std::to_string(status));
}

/// Any version serves: the functions' types have not changed. It is never unloaded, as other
/// libraries of CUDA may have registered with it.
void* load_library() {
  std::string problems;
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    problems += std::string(problems.empty() ? " " : "; ") + dlerror();
  }
  throw std::runtime_error("cuBLAS cannot be loaded (libcublas.so.13, .so.12 or .so):" + problems);
}

}  // namespace

template <class Function>
Function Cublas::function(const char* name) {
  void* const symbol = dlsym(library_, name);
  if (symbol == nullptr)
    throw std::runtime_error(std::string("libcublas.so has no function ") + name);
  return reinterpret_cast<Function>(symbol);
}

Cublas::Cublas() : library_(load_library()) {
  set_stream_ = function<int (*)(void*, void*)>("cublasSetStream_v2");
  sgemm_ = function<Gemm<float>>("cublasSgemm_v2");
  dgemm_ = function<Gemm<double>>("cublasDgemm_v2");
  destroy_ = function<int (*)(void*)>("cublasDestroy_v2");
  check(function<int (*)(void**)>("cublasCreate_v2")(&handle_), "cublasCreate");
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

}  // namespace bellwether
