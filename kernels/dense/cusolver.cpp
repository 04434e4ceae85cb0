// SPDX-License-Identifier: MIT
#include "kernels/dense/cusolver.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace bellwether {
namespace {

constexpr int real_double = 1;  // CUDA_R_64F of library_types.h

void check_cusolver(int status, const char* call) {
  if (status == 0) return;  // CUSOLVER_STATUS_SUCCESS
  throw std::runtime_error(std::string("cuSOLVER: ") + call + " failed with status " +
                           std::to_string(status));
}

template <class Function>
void find(Function& function, void* library, const char* name) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(std::string("has no function ") + name);
  function = reinterpret_cast<Function>(symbol);
}

std::string path_of(void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0) return "libcusolver.so";
  char path[PATH_MAX];
  return realpath(info.dli_fname, path) != nullptr ? path : info.dli_fname;
}

}  // namespace

Cusolver::Cusolver(const std::vector<std::string>& files, void* stream) {
  std::string problems;
  for (const std::string& file : files) {
    try {
      start(file, stream);
      return;
    } catch (const std::runtime_error& error) {
      const std::string problem = error.what();
      if (problem.rfind(file + ": cannot open shared object file", 0) != 0)
        problems += "; " + problem;
    }
  }
  throw std::runtime_error(
      "cuSOLVER cannot be loaded: no libcusolver.so.12, .so.11 or .so on LD_LIBRARY_PATH, where "
      "CUDA_HOME names a toolkit, or in the usual places" +
      problems);
}

/// It is never unloaded, as other libraries of CUDA may have registered with it.
void Cusolver::start(const std::string& file, void* stream) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  try {
    int (*create)(void**) = nullptr;
    int (*create_parameters)(void**) = nullptr;
    int (*set_stream)(void*, void*) = nullptr;
    int (*property)(int, int*) = nullptr;
    find(create, library, "cusolverDnCreate");
    find(create_parameters, library, "cusolverDnCreateParams");
    find(set_stream, library, "cusolverDnSetStream");
    find(property, library, "cusolverGetProperty");
    find(sizes_, library, "cusolverDnXgetrf_bufferSize");
    find(factor_, library, "cusolverDnXgetrf");
    find(destroy_parameters_, library, "cusolverDnDestroyParams");
    find(destroy_, library, "cusolverDnDestroy");
    check_cusolver(create(&handle_), "cusolverDnCreate");
    check_cusolver(create_parameters(&parameters_), "cusolverDnCreateParams");
    check_cusolver(set_stream(handle_, stream), "cusolverDnSetStream");
    std::string version;
    for (int part = 0; part < 3; ++part) {  // MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
      int number = 0;
      check_cusolver(property(part, &number), "cusolverGetProperty");
      if (part > 0) version += '.';
      version += std::to_string(number);
    }
    file_ = path_of(reinterpret_cast<void*>(create)) + " (" + version + ")";
  } catch (const std::runtime_error& error) {
    end();
    throw std::runtime_error(file + ": " + error.what());
  }
}

void Cusolver::end() {
  if (parameters_ != nullptr) (void)destroy_parameters_(std::exchange(parameters_, nullptr));
  if (handle_ != nullptr) (void)destroy_(std::exchange(handle_, nullptr));
}

Cusolver::~Cusolver() { end(); }

Cusolver::Workspace Cusolver::workspace(long m, long n, const double* a, long lda) {
  Workspace needed;
  check_cusolver(sizes_(handle_, parameters_, m, n, real_double, a, lda, real_double,
                        &needed.device_bytes, &needed.host_bytes),
                 "cusolverDnXgetrf_bufferSize");
  return needed;
}

void Cusolver::factor(long m, long n, double* a, long lda, std::int64_t* pivots, int* info,
                      const Workspace& workspace, void* on_device, void* on_host) {
  check_cusolver(factor_(handle_, parameters_, m, n, real_double, a, lda, pivots, real_double,
                         on_device, workspace.device_bytes, on_host, workspace.host_bytes, info),
                 "cusolverDnXgetrf");
}

}  // namespace bellwether
