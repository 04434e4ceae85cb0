// SPDX-License-Identifier: MIT
#include "kernels/dense/cusolver.hpp"

#include <stdexcept>
#include <utility>

#include "kernels/dense/cuda_library.hpp"

namespace bellwether {
namespace {

constexpr int real_double = 1;  // CUDA_R_64F of library_types.h

void check_cusolver(int status, const char* call) {
  if (status == 0) return;  // CUSOLVER_STATUS_SUCCESS
  throw std::runtime_error(std::string("cuSOLVER: ") + call + " failed with status " +
                           std::to_string(status));
}

}  // namespace

Cusolver::Cusolver(const std::vector<std::string>& files, void* stream) {
  load_cuda_library(files, "cuSOLVER", "libcusolver.so.12, .so.11 or .so",
                    [&](void* library, const std::string& path) {
                      try {
                        start(library, path, stream);
                      } catch (const std::runtime_error&) {
                        end();
                        throw;
                      }
                    });
}

void Cusolver::start(void* library, const std::string& path, void* stream) {
  int (*create)(void**) = nullptr;
  int (*create_parameters)(void**) = nullptr;
  int (*set_stream)(void*, void*) = nullptr;
  int (*property)(int, int*) = nullptr;
  find_function(create, library, "cusolverDnCreate");
  find_function(create_parameters, library, "cusolverDnCreateParams");
  find_function(set_stream, library, "cusolverDnSetStream");
  find_function(property, library, "cusolverGetProperty");
  find_function(sizes_, library, "cusolverDnXgetrf_bufferSize");
  find_function(factor_, library, "cusolverDnXgetrf");
  find_function(destroy_parameters_, library, "cusolverDnDestroyParams");
  find_function(destroy_, library, "cusolverDnDestroy");
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
  file_ = path + " (" + version + ")";
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
