// SPDX-License-Identifier: MIT
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <thread>
#include <vector>

#include "kernels/launch/host_gpu/streams.hpp"

namespace bellwether::host_gpu {

namespace {

struct Runtime {
  int device = 0;                   ///< that the process has chosen
  cudaError_t last = cudaSuccess;   ///< of the calls, until it is asked for
  cudaError_t fault = cudaSuccess;  ///< of a kernel: every later call reports it
  std::map<std::string, long> calls;
  int eagerness = 0;  ///< of the device between waits: 0 none, 1 some, 2 all it can
  std::thread::id thread = std::this_thread::get_id();
};
Runtime& runtime() {
  static auto* const all = new Runtime;  // it may be asked for when static objects have gone
  return *all;
}

cudaError_t failed(cudaError_t error) {
  runtime().last = error;
  return error;
}

bool fails_here(const std::string& call) {
  const std::string& fail = settings().fail;
  const std::size_t colon = fail.find(':');
  if (fail.substr(0, colon) != call) return false;
  return std::to_string(++runtime().calls[call]) == fail.substr(colon + 1);
}

/// What a call begins with: cudaSuccess, or the error that it is to return.
cudaError_t enter(const char* call) {
  Runtime& r = runtime();
  if (r.thread != std::this_thread::get_id())
    stop(std::string(call) + " from a second thread of the process");
  if (r.fault != cudaSuccess) return failed(r.fault);
  if (fails_here(call))
    return failed(std::string(call).find("Malloc") != std::string::npos ? cudaErrorMemoryAllocation
                                                                        : cudaErrorUnknown);
  if (random_below(64) == 0) r.eagerness = static_cast<int>(random_below(3));
  if (r.eagerness == 2) {
    while (go_on()) {
    }
  } else if (r.eagerness == 1) {
    while (random_below(3) != 0 && go_on()) {
    }
  }
  close_devices();
  return r.fault == cudaSuccess ? cudaSuccess : failed(r.fault);
}

cudaError_t told(const std::string& what, cudaError_t error) {
  std::fprintf(stderr, "host GPU: %s\n", what.c_str());
  return failed(error);
}

bool is_mapped(const void* address) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  auto* const start =
      reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) / page * page);
  return mincore(start, 1, &resident) == 0;
}

/// Where Linux puts a program, its heap and what it maps, and none of the shadow that
/// AddressSanitizer maps for them: smaller words are numbers.
constexpr std::uintptr_t lowest_address = std::uintptr_t{1} << 46,
                         highest_address = 2 * lowest_address;

/// A kernel's arguments hold no address that its device cannot reach: words that are addresses of
/// pageable memory or of another device's are told.
void check_arguments(const Launch& launch, int device) {
  for (std::size_t at = 0; at + 8 <= launch.argument_bytes; at += 8) {
    std::uintptr_t word = 0;
    std::memcpy(&word, launch.arguments + at, sizeof word);
    if (word < lowest_address || word >= highest_address) continue;
    const auto* const address = reinterpret_cast<const void*>(word);
    const Owner owner = owner_of(address);
    if (owner.kind == Kind::device && owner.device != device)
      stop("a kernel is given memory of another device");
    if (owner.kind == Kind::pageable && is_mapped(address))
      stop("a kernel is given the address of pageable host memory, or of code");
  }
}

/// Null: the device's default stream, which here waits for no other.
Stream* queue_of(Stream* stream) {
  static std::map<int, Stream*> defaults;
  if (stream != nullptr) return stream;
  Stream*& found = defaults[runtime().device];
  if (found == nullptr) {
    found = new Stream{runtime().device, {}, random_engine()(), false, nullptr};
    streams().push_back(found);
  }
  return found;
}

/// Nothing waits on a stream that is recorded, nor for it: a graph here is a line of work.
cudaError_t refuse_if_recorded(const Stream* stream) {
  return stream->recorded == nullptr ? cudaSuccess : failed(cudaErrorStreamCaptureUnsupported);
}

/// Whether `bytes` from an address on lie within its allocation.
bool reaches(const Owner& owner, std::size_t bytes) {
  return owner.kind == Kind::pageable || bytes <= owner.left;
}

}  // namespace

int occupancy() { return 2; }

cudaError_t launch(const Launch& launch, Stream* stream) {
  if (const cudaError_t error = enter("cudaLaunchKernelEx")) return error;
  const auto threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  const auto blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  if (threads == 0 || threads > 1024 || blocks == 0 || launch.grid.x > 2147483647U ||
      launch.grid.y > 65535 || launch.grid.z > 65535)
    return failed(cudaErrorInvalidConfiguration);
  if (launch.argument_bytes > 32764) return failed(cudaErrorInvalidValue);
  if (stream->device != runtime().device) return failed(cudaErrorInvalidResourceHandle);
  check_arguments(launch, stream->device);
  const std::size_t left_out = dropped("block", launch.kernel) ? 1 : 0;
  enqueue(
      [grid = launch.grid, block = launch.block, left_out, thread = launch.thread] {
        if (fails_here("kernel")) runtime().fault = cudaErrorIllegalAddress;
        if (runtime().fault == cudaSuccess) run_grid(grid, block, left_out, thread);
      },
      stream);
  return cudaSuccess;
}

}  // namespace bellwether::host_gpu

using namespace bellwether::host_gpu;

cudaError_t cudaGetLastError() {
  const cudaError_t last = runtime().last;
  runtime().last = runtime().fault;
  return last;
}
cudaError_t cudaPeekAtLastError() { return runtime().last; }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {  // those that this runtime returns
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidPitchValue:
      return "cudaErrorInvalidPitchValue";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureUnmatched:
      return "cudaErrorStreamCaptureUnmatched";
    default:
      return "cudaErrorUnknown";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "the host GPU's error";
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = settings().devices;
  if (const cudaError_t error = enter("cudaGetDeviceCount")) return error;
  return settings().devices > 0 ? cudaSuccess : failed(cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int* device) {
  *device = runtime().device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t error = enter("cudaSetDevice")) return error;
  if (device < 0 || device >= settings().devices) return failed(cudaErrorInvalidDevice);
  runtime().device = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (const cudaError_t error = enter("cudaGetDeviceProperties")) return error;
  if (device < 0 || device >= settings().devices) return failed(cudaErrorInvalidDevice);
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "host GPU (a CPU, for tests)");
  std::memcpy(properties->uuid.bytes, "host GPU", 8);
  properties->uuid.bytes[15] = static_cast<char>(device);
  properties->totalGlobalMem = settings().memory;
  properties->major = 9;
  properties->multiProcessorCount = 2;
  properties->l2CacheSize = 1 << 20;
  properties->pciBusID = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (const cudaError_t error = enter("cudaDeviceGetAttribute")) return error;
  if (device < 0 || device >= settings().devices) return failed(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = 1024;
      return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = 2;
      return cudaSuccess;
    case cudaDevAttrL2CacheSize:
      *value = 1 << 20;
      return cudaSuccess;
  }
  return failed(cudaErrorInvalidValue);
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int bytes, int device) {
  std::snprintf(id, static_cast<std::size_t>(bytes), "0000:%02x:00.0", device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (const cudaError_t error = enter("cudaDeviceGetStreamPriorityRange")) return error;
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t error = enter("cudaDeviceSynchronize")) return error;
  go_on_until(all_idle);
  return runtime().fault == cudaSuccess ? cudaSuccess : failed(runtime().fault);
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* all) {
  if (const cudaError_t error = enter("cudaMemGetInfo")) return error;
  *all = settings().memory;
  *available = *all - allocated_on(runtime().device);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (const cudaError_t error = enter("cudaMalloc")) return error;
  *memory = allocate(Kind::device, runtime().device, bytes);
  return *memory != nullptr ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* memory) {
  if (const cudaError_t error = enter("cudaFree")) return error;
  if (memory == nullptr) return cudaSuccess;
  go_on_until(all_idle);
  if (release(Kind::device, memory)) return cudaSuccess;
  return told("cudaFree of what cudaMalloc did not give", cudaErrorInvalidValue);
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  if (const cudaError_t error = enter("cudaMallocHost")) return error;
  *memory = allocate(Kind::pinned, runtime().device, bytes);
  return *memory != nullptr ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* memory) {
  if (const cudaError_t error = enter("cudaFreeHost")) return error;
  if (memory == nullptr) return cudaSuccess;
  go_on_until(all_idle);
  if (release(Kind::pinned, memory)) return cudaSuccess;
  return told("cudaFreeHost of what cudaMallocHost did not give", cudaErrorInvalidValue);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  if (const cudaError_t error = enter("cudaPointerGetAttributes")) return error;
  const Owner owner = owner_of(memory);
  attributes->type = owner.kind == Kind::device   ? cudaMemoryTypeDevice
                     : owner.kind == Kind::pinned ? cudaMemoryTypeHost
                                                  : cudaMemoryTypeUnregistered;
  attributes->device = owner.device;
  return cudaSuccess;
}

namespace {

/// Whether a stream can copy between these addresses, so many bytes from each on.
cudaError_t check_copy(const void* to, std::size_t to_bytes, const void* from,
                       std::size_t from_bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const Owner target = owner_of(to), source = owner_of(from);
  if (!reaches(target, to_bytes) || !reaches(source, from_bytes))
    return told("a copy of " + std::to_string(std::max(to_bytes, from_bytes)) +
                    " bytes reaches beyond an allocation",
                cudaErrorInvalidValue);
  const bool to_device = target.kind == Kind::device, from_device = source.kind == Kind::device;
  if (kind != cudaMemcpyDefault &&
      (to_device != (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
       from_device != (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)))
    return told("a copy in another direction than its kind says", cudaErrorInvalidValue);
  if ((to_device && target.device != stream->device) ||
      (from_device && source.device != stream->device))
    return told("a copy on a stream of another device", cudaErrorInvalidValue);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaMemcpyAsync")) return error;
  stream = queue_of(stream);
  if (const cudaError_t error = check_copy(to, bytes, from, bytes, kind, stream)) return error;
  // Pageable memory too, for which CUDA itself waits: Device promises no such thing.
  enqueue([=] { std::memcpy(to, from, bytes); }, stream);
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t row_bytes, std::size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaMemcpy2DAsync")) return error;
  if (to_pitch < row_bytes || from_pitch < row_bytes) return failed(cudaErrorInvalidPitchValue);
  if (row_bytes == 0 || rows == 0) return cudaSuccess;
  if (const cudaError_t error = check_copy(to, (rows - 1) * to_pitch + row_bytes, from,
                                           (rows - 1) * from_pitch + row_bytes, kind, stream))
    return error;
  enqueue(
      [=] {
        for (std::size_t row = 0; row < rows; ++row)
          std::memcpy(static_cast<std::byte*>(to) + row * to_pitch,
                      static_cast<const std::byte*>(from) + row * from_pitch, row_bytes);
      },
      stream);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaMemsetAsync")) return error;
  const Owner owner = owner_of(memory);
  if (owner.kind == Kind::pageable || !reaches(owner, bytes))
    return told("cudaMemsetAsync of " + std::to_string(bytes) + " bytes beyond an allocation",
                cudaErrorInvalidValue);
  enqueue([=] { std::memset(memory, value, bytes); }, stream);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned /*flags*/,
                                         int /*priority*/) {
  if (const cudaError_t error = enter("cudaStreamCreateWithPriority")) return error;
  *stream = new Stream{runtime().device, {}, random_engine()(), false, nullptr};
  streams().push_back(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaStreamDestroy")) return error;
  const auto& all = streams();
  if (std::find(all.begin(), all.end(), stream) == all.end() || stream->destroyed)
    return failed(cudaErrorInvalidResourceHandle);
  if (stream->work.empty())
    end_stream(stream);
  else
    stream->destroyed = true;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const cudaError_t error = enter("cudaStreamSynchronize");
  stream = queue_of(stream);
  if (const cudaError_t refused = refuse_if_recorded(stream)) return refused;
  if (dropped("fence")) return cudaSuccess;
  // Before an error too: what is freed on its way must not be copied later.
  go_on_until([=] { return stream->work.empty(); });
  if (error != cudaSuccess) return error;
  return runtime().fault == cudaSuccess ? cudaSuccess : failed(runtime().fault);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  if (const cudaError_t error = enter("cudaStreamWaitEvent")) return error;
  if (const cudaError_t error = refuse_if_recorded(stream)) return error;
  if (dropped("wait")) return cudaSuccess;
  stream->work.push_back({nullptr, event->passing, event->passing->asked});
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (const cudaError_t error = enter("cudaEventCreateWithFlags")) return error;
  *event = new Event{(flags & cudaEventDisableTiming) == 0};
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaEventRecord")) return error;
  stream = queue_of(stream);
  if (const cudaError_t error = refuse_if_recorded(stream)) return error;
  enqueue(
      [passing = event->passing, count = ++event->passing->asked] {
        passing->reached = count;
        passing->at = Clock::now();
      },
      stream);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const cudaError_t error = enter("cudaEventQuery")) return error;
  const Passing& passing = *event->passing;
  if (passing.reached < passing.asked && go_on()) close_devices();  // so that asking has an end
  if (runtime().fault != cudaSuccess) return failed(runtime().fault);
  return passing.reached >= passing.asked ? cudaSuccess : failed(cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const cudaError_t error = enter("cudaEventSynchronize")) return error;
  if (dropped("fence")) return cudaSuccess;
  go_on_until([=] { return event->passing->reached >= event->passing->asked; });
  return runtime().fault == cudaSuccess ? cudaSuccess : failed(runtime().fault);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  if (const cudaError_t error = enter("cudaEventElapsedTime")) return error;
  if (!from->timed || !to->timed) return failed(cudaErrorInvalidResourceHandle);
  const Passing &first = *from->passing, &second = *to->passing;
  if (first.asked == 0 || second.asked == 0) return failed(cudaErrorInvalidResourceHandle);
  if (first.reached < first.asked || second.reached < second.asked)
    return failed(cudaErrorNotReady);
  *milliseconds = std::chrono::duration<float, std::milli>(second.at - first.at).count();
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode /*mode*/) {
  if (const cudaError_t error = enter("cudaStreamBeginCapture")) return error;
  if (stream == nullptr || stream->recorded != nullptr) return failed(cudaErrorInvalidValue);
  stream->recorded = std::make_unique<Graph>();
  stream->recorded->device = stream->device;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (const cudaError_t error = enter("cudaStreamEndCapture")) return error;
  if (stream->recorded == nullptr) return failed(cudaErrorStreamCaptureUnmatched);
  *graph = stream->recorded.release();
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long /*flags*/) {
  if (const cudaError_t error = enter("cudaGraphInstantiateWithFlags")) return error;
  *executable = new GraphExec{*graph};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaGraphLaunch")) return error;
  if (executable->graph.device != stream->device) return failed(cudaErrorInvalidResourceHandle);
  for (const std::function<void()>& work : executable->graph.work) enqueue(work, stream);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
