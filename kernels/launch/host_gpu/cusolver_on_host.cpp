// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/launch/host_gpu/host_gpu.hpp"

// libcusolver.so.12 for the GPU made of CPU: the functions that dense/cusolver.cpp opens. The types
// are those of cusolverDn.h, enumerations being int.

namespace {

struct Handle {
  bellwether::host_gpu::Stream* stream = nullptr;
};

constexpr int success = 0, not_initialized = 1, invalid_value = 3;
constexpr int real_double = 1;
/// It asks for a workspace of the matrix' size, and writes all of it.
std::size_t workspace_bytes(std::int64_t m, std::int64_t n) {
  return static_cast<std::size_t>(m * n) * sizeof(double);
}

/// LU with row pivoting, column by column.
void factor(std::int64_t m, std::int64_t n, double* a, std::int64_t lda, std::int64_t* pivots,
            int* info) {
  *info = 0;
  const auto at = [=](std::int64_t i, std::int64_t j) -> double& { return a[j * lda + i]; };
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < m; ++i)
      if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
    pivots[k] = pivot + 1;
    for (std::int64_t j = 0; j < n; ++j) std::swap(at(k, j), at(pivot, j));
    if (at(k, k) == 0) {
      if (*info == 0) *info = static_cast<int>(k + 1);
      continue;
    }
    for (std::int64_t i = k + 1; i < m; ++i) at(i, k) /= at(k, k);
    for (std::int64_t j = k + 1; j < n; ++j)
      for (std::int64_t i = k + 1; i < m; ++i) at(i, j) -= at(i, k) * at(k, j);
  }
}

}  // namespace

extern "C" {
int cusolverDnCreate(void** handle) {
  *handle = new Handle;
  return success;
}
int cusolverDnDestroy(void* handle) {
  delete static_cast<Handle*>(handle);
  return success;
}
int cusolverDnCreateParams(void** parameters) {
  *parameters = new int(0);
  return success;
}
int cusolverDnDestroyParams(void* parameters) {
  delete static_cast<int*>(parameters);
  return success;
}
int cusolverDnSetStream(void* handle, void* stream) {
  if (handle == nullptr) return not_initialized;
  static_cast<Handle*>(handle)->stream = static_cast<bellwether::host_gpu::Stream*>(stream);
  return success;
}
int cusolverGetProperty(int part, int* number) {
  *number = part == 0 ? 12 : 0;
  return success;
}
int cusolverDnXgetrf_bufferSize(void* handle, void* /*parameters*/, std::int64_t m, std::int64_t n,
                                int type, const void* /*a*/, std::int64_t lda, int compute_type,
                                std::size_t* on_device, std::size_t* on_host) {
  if (handle == nullptr) return not_initialized;
  if (type != real_double || compute_type != real_double || m < 0 || n < 0 || lda < m)
    return invalid_value;
  *on_device = *on_host = workspace_bytes(m, n);
  return success;
}
int cusolverDnXgetrf(void* handle, void* /*parameters*/, std::int64_t m, std::int64_t n, int type,
                     void* a, std::int64_t lda, std::int64_t* pivots, int compute_type,
                     void* on_device, std::size_t device_bytes, void* on_host,
                     std::size_t host_bytes, int* info) {
  if (handle == nullptr) return not_initialized;
  auto* const stream = static_cast<Handle*>(handle)->stream;
  const std::size_t needed = workspace_bytes(m, n);
  if (stream == nullptr || type != real_double || compute_type != real_double || m < 0 || n < 0 ||
      lda < m || device_bytes < needed || host_bytes < needed)
    return invalid_value;
  bellwether::host_gpu::enqueue(
      [=] {
        std::fill_n(static_cast<std::byte*>(on_device), needed, std::byte{0xff});
        std::fill_n(static_cast<std::byte*>(on_host), needed, std::byte{0xff});
        factor(m, n, static_cast<double*>(a), lda, pivots, info);
      },
      stream);
  return success;
}
}
