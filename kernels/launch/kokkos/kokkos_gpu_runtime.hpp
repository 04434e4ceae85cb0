// SPDX-License-Identifier: MIT
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>

#if defined(KOKKOS_ENABLE_CUDA)
#include "kernels/launch/cuda/cuda_problem.hpp"
#endif
#include "kernels/launch/device.hpp"

/// What Kokkos leaves to a GPU's own runtime, under one name each for CUDA and HIP: events, copies
/// that do not block, priorities of streams, and memory without a header of Kokkos' in front of it.
namespace bellwether::launch::gpu {

#if defined(KOKKOS_ENABLE_CUDA)
using Status = cudaError_t;
using Queue = cudaStream_t;
using Mark = cudaEvent_t;
inline constexpr Status success = cudaSuccess, not_ready = cudaErrorNotReady,
                        out_of_memory = cudaErrorMemoryAllocation;
inline constexpr auto* text_of = cudaGetErrorString;
inline constexpr auto* take_error = cudaGetLastError;
inline constexpr auto* count_devices = cudaGetDeviceCount;
inline constexpr auto* memory_info = cudaMemGetInfo;
inline constexpr Status (*allocate)(void**, std::size_t) = cudaMalloc;
inline constexpr auto* release = cudaFree;
inline constexpr Status (*allocate_pinned)(void**, std::size_t, unsigned) = cudaHostAlloc;
inline constexpr auto* release_pinned = cudaFreeHost;
inline constexpr auto* copy_async = cudaMemcpyAsync;
inline constexpr auto copy_any = cudaMemcpyDefault;
inline constexpr auto* priority_range = cudaDeviceGetStreamPriorityRange;
inline constexpr auto* create_queue = cudaStreamCreateWithPriority;
inline constexpr auto* destroy_queue = cudaStreamDestroy;
inline constexpr auto* finish = cudaStreamSynchronize;
inline constexpr unsigned no_implicit_waits = cudaStreamNonBlocking;
inline constexpr auto* create_mark = cudaEventCreateWithFlags;
inline constexpr unsigned with_time = cudaEventDefault, without_time = cudaEventDisableTiming;
inline constexpr auto* destroy_mark = cudaEventDestroy;
inline constexpr Status (*record)(Mark, Queue) = cudaEventRecord;
inline constexpr auto* query = cudaEventQuery;
inline constexpr auto* finish_to = cudaEventSynchronize;
inline constexpr auto* elapsed_ms = cudaEventElapsedTime;
inline constexpr Status (*wait)(Queue, Mark, unsigned) = cudaStreamWaitEvent;
/// The process' device, by a name that no other has; empty where it does not answer.
inline std::string identity() {
  int device = 0;
  cudaDeviceProp properties{};
  if (cudaGetDevice(&device) != success || cudaGetDeviceProperties(&properties, device) != success)
    return {};
  return {properties.uuid.bytes, sizeof properties.uuid.bytes};
}
/// The process' device, and that on which memory lies; -1 where there is none.
inline int current() {
  int device = -1;
  return cudaGetDevice(&device) == success ? device : -1;
}
inline int device_of(const void* memory) {
  cudaPointerAttributes found{};
  const bool on_device =
      cudaPointerGetAttributes(&found, memory) == success &&
      (found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged);
  return on_device ? found.device : -1;
}
/// What else a device is called.
inline GpuIdentity names(int device) {
  cudaDeviceProp properties{};
  if (device < 0 || cudaGetDeviceProperties(&properties, device) != success) return {};
  return cuda::identity_of(properties);
}
/// Of the same device; 0 where it does not answer.
inline std::size_t last_level_cache_bytes() {
  int device = 0, bytes = 0;
  if (cudaGetDevice(&device) != success ||
      cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device) != success)
    return 0;
  return static_cast<std::size_t>(bytes);
}
/// Why the device of a process with this node-local rank cannot be used; empty if it can.
inline std::string problem(int local_rank) {
  std::string device;
  return cuda::problem({__CUDA_ARCH_LIST__}, local_rank, device);
}
/// Puts the process on that device; why it could not, empty if it could.
inline std::string choose(int local_rank) { return cuda::choose(local_rank); }
#elif defined(KOKKOS_ENABLE_HIP)
using Status = hipError_t;
using Queue = hipStream_t;
using Mark = hipEvent_t;
inline constexpr Status success = hipSuccess, not_ready = hipErrorNotReady,
                        out_of_memory = hipErrorOutOfMemory;
inline constexpr auto* text_of = hipGetErrorString;
inline constexpr auto* take_error = hipGetLastError;
inline constexpr auto* count_devices = hipGetDeviceCount;
inline constexpr auto* memory_info = hipMemGetInfo;
inline constexpr Status (*allocate)(void**, std::size_t) = hipMalloc;
inline constexpr auto* release = hipFree;
inline constexpr Status (*allocate_pinned)(void**, std::size_t, unsigned) = hipHostMalloc;
inline constexpr auto* release_pinned = hipHostFree;
inline constexpr auto* copy_async = hipMemcpyAsync;
inline constexpr auto copy_any = hipMemcpyDefault;
inline constexpr auto* priority_range = hipDeviceGetStreamPriorityRange;
inline constexpr auto* create_queue = hipStreamCreateWithPriority;
inline constexpr auto* destroy_queue = hipStreamDestroy;
inline constexpr auto* finish = hipStreamSynchronize;
inline constexpr unsigned no_implicit_waits = hipStreamNonBlocking;
inline constexpr auto* create_mark = hipEventCreateWithFlags;
inline constexpr unsigned with_time = hipEventDefault, without_time = hipEventDisableTiming;
inline constexpr auto* destroy_mark = hipEventDestroy;
inline constexpr Status (*record)(Mark, Queue) = hipEventRecord;
inline constexpr auto* query = hipEventQuery;
inline constexpr auto* finish_to = hipEventSynchronize;
inline constexpr auto* elapsed_ms = hipEventElapsedTime;
inline constexpr Status (*wait)(Queue, Mark, unsigned) = hipStreamWaitEvent;
inline std::string identity() {
  int device = 0;
  hipUUID uuid{};
  if (hipGetDevice(&device) != success || hipDeviceGetUuid(&uuid, device) != success) return {};
  return {uuid.bytes, sizeof uuid.bytes};
}
inline int current() {
  int device = -1;
  return hipGetDevice(&device) == success ? device : -1;
}
inline int device_of(const void* memory) {
  hipPointerAttribute_t found{};
  return hipPointerGetAttributes(&found, memory) == success ? found.device : -1;
}
inline GpuIdentity names(int device) {
  hipDeviceProp_t properties{};
  char bus[32] = "";
  if (device < 0 || hipGetDeviceProperties(&properties, device) != success ||
      hipDeviceGetPCIBusId(bus, sizeof bus, device) != success)
    return {};
  return {properties.name, {}, bus, "HIP"};
}
inline std::size_t last_level_cache_bytes() {
  int device = 0, bytes = 0;
  if (hipGetDevice(&device) != success ||
      hipDeviceGetAttribute(&bytes, hipDeviceAttributeL2CacheSize, device) != success)
    return 0;
  return static_cast<std::size_t>(bytes);
}
inline std::string problem(int) {
  int devices = 0;
  const Status status = count_devices(&devices);
  (void)take_error();
  if (status != success) return std::string("HIP finds no device: ") + text_of(status);
  return devices > 0 ? "" : "HIP finds no device";
}
inline std::string choose(int local_rank) {
  const std::string missing = problem(local_rank);
  if (!missing.empty()) return missing;
  int devices = 0;
  (void)count_devices(&devices);
  const Status status = hipSetDevice(local_rank % devices);
  return status == success ? "" : std::string("hipSetDevice failed: ") + text_of(status);
}
#else
#error "The kokkos backend runs where Kokkos' default is the host, CUDA or HIP."
#endif

}  // namespace bellwether::launch::gpu
