// SPDX-License-Identifier: MIT
#pragma once

// A GPU made of CPU, for tests: what the .cu sources use of CUDA's runtime, under its names, so
// that g++ compiles them unchanged and the CPU runs them. README.md says what it does and does not
// show.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <tuple>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static  // one block at a time runs in a process
#define __restrict__ __restrict
#define __CUDA_ARCH__ 900  // the code of an H100
#define __CUDA_ARCH_LIST__ 900
#define BELLWETHER_HOST_GPU 1

struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline double2 make_double2(double x, double y) { return {x, y}; }

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// CUDA's own numbers.
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidPitchValue = 12,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorECCUncorrectable = 214,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchTimeout = 702,
  cudaErrorAssert = 710,
  cudaErrorHardwareStackError = 714,
  cudaErrorIllegalInstruction = 715,
  cudaErrorMisalignedAddress = 716,
  cudaErrorInvalidAddressSpace = 717,
  cudaErrorInvalidPc = 718,
  cudaErrorLaunchFailure = 719,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureUnmatched = 903,
  cudaErrorUnknown = 999
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrL2CacheSize = 38
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
};
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventDisableTiming = 2 };

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2
};

struct cudaUUID_t {
  char bytes[16];
};
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  std::size_t totalGlobalMem;
  int major, minor;
  int multiProcessorCount, l2CacheSize;
  int pciBusID, pciDeviceID, pciDomainID;
};

namespace bellwether::host_gpu {

struct Stream;
struct Event;
struct Graph;
struct GraphExec;

/// What a kernel's launch puts into a stream: its threads call `thread` in places of their own.
struct Launch {
  const void* kernel;  ///< the function, as the name of the launch
  dim3 grid, block;
  const std::byte* arguments;  ///< searched for addresses that a device cannot reach
  std::size_t argument_bytes;
  std::function<void()> thread;
};
cudaError_t launch(const Launch& launch, Stream* stream);
/// For libraries on the device (the matrix product): runs when the stream gets there, with access
/// to the device's memory.
void enqueue(std::function<void()> work, Stream* stream);

/// The lanes of a mask of the calling thread's warp wait for each other.
void wait_for_warp(unsigned mask);
void wait_for_block();
/// Eight bytes that lane `lane` of the calling thread's warp gave in the same call.
std::uint64_t exchange(unsigned mask, std::uint64_t mine, int lane);

template <class T>
T shuffled(unsigned mask, T mine, int lane) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &mine, sizeof mine);
  bits = exchange(mask, bits, lane);
  std::memcpy(&mine, &bits, sizeof mine);
  return mine;
}
int occupancy();

}  // namespace bellwether::host_gpu

// Where the code that runs now stands in its grid: one thread runs at a time.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

using cudaStream_t = bellwether::host_gpu::Stream*;
using cudaEvent_t = bellwether::host_gpu::Event*;
using cudaGraph_t = bellwether::host_gpu::Graph*;
using cudaGraphExec_t = bellwether::host_gpu::GraphExec*;

// -- Device functions ---------------------------------------------------------------------------

template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
T __ldcg(const T* from) {
  return *from;
}
template <class T>
void __stcs(T* to, T value) {
  *to = value;
}
template <class T>
void __stcg(T* to, T value) {
  *to = value;
}
inline float fma(float x, float y, float z) { return std::fma(x, y, z); }
inline long long __double_as_longlong(double x) {
  long long bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}
inline float __frcp_rn(float x) { return 1.0F / x; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline void __syncwarp(unsigned mask = ~0U) { bellwether::host_gpu::wait_for_warp(mask); }
inline void __threadfence() {}  // a store is seen at once
inline void __syncthreads() { bellwether::host_gpu::wait_for_block(); }
template <class T>
T __shfl_down_sync(unsigned mask, T mine, unsigned distance) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int from = lane + static_cast<int>(distance);
  return bellwether::host_gpu::shuffled(mask, mine, from < 32 ? from : lane);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T mine, int lanes) {
  return bellwether::host_gpu::shuffled(mask, mine, static_cast<int>(threadIdx.x % 32) ^ lanes);
}
template <class T>
T __shfl_sync(unsigned mask, T mine, int lane) {
  return bellwether::host_gpu::shuffled(mask, mine, lane % 32);
}
// One thread runs at a time, so that these are atomic.
template <class T, class U>
T atomicAdd(T* to, U by) {
  const T before = *to;
  *to = before + static_cast<T>(by);
  return before;
}
inline float4 atomicAdd(float4* to, float4 by) {
  const float4 before = *to;
  *to = {before.x + by.x, before.y + by.y, before.z + by.z, before.w + by.w};
  return before;
}
template <class T, class U>
T atomicMax(T* to, U by) {
  const T before = *to;
  if (before < static_cast<T>(by)) *to = static_cast<T>(by);
  return before;
}

// -- The runtime --------------------------------------------------------------------------------

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char* id, int bytes, int device);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* all);
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t row_bytes, std::size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int, std::size_t) {
  *blocks = bellwether::host_gpu::occupancy();
  return cudaSuccess;
}

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
};

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  const std::tuple<Parameters...> values(std::forward<Arguments>(arguments)...);
  // What is looked through for addresses, without what lies between members, or behind a short
  // argument, by chance. Copies, each argument by itself: g++ 12 clears the wrong bytes of a
  // structure where padding follows an array of structures.
  constexpr auto words = [](std::size_t bytes) { return (bytes + 7) / 8 * 8; };
  std::array<std::byte, (words(sizeof(Parameters)) + ... + 0)> searched{};
  std::byte* at = searched.data();
  const auto add = [&](auto value) {
    __builtin_clear_padding(&value);
    std::memcpy(at, &value, sizeof value);
    at += words(sizeof value);
  };
  std::apply([&](const auto&... value) { (add(value), ...); }, values);
  return bellwether::host_gpu::launch(
      {reinterpret_cast<const void*>(kernel), config->gridDim, config->blockDim, searched.data(),
       searched.size(), [kernel, values] { std::apply(kernel, values); }},
      config->stream);
}
