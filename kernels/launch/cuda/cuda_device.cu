// SPDX-License-Identifier: MIT
#include "kernels/launch/cuda/cuda_device.hpp"

#include <string>

#include "kernels/launch/cuda/cuda_knobs.hpp"
#include "kernels/launch/cuda/cuda_launcher.cuh"
#include "kernels/launch/cuda/cuda_problem.hpp"

namespace bellwether {
namespace {

using cuda::check;
using cuda::queue_of;

// Destructors and releases do not throw: they run while an error of CUDA is on its way to the user.
// What CUDA says to them the next call that is checked reports.

class CudaStream final : public Stream {
 public:
  explicit CudaStream(int priority) {
    check(cudaStreamCreateWithPriority(&queue, cudaStreamNonBlocking, priority),
          "cudaStreamCreateWithPriority");
  }
  explicit CudaStream(cudaStream_t of_another) : queue(of_another), is_own_(false) {}
  ~CudaStream() override {
    if (is_own_) cuda::note(cudaStreamDestroy(queue), "cudaStreamDestroy");
  }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  cudaStream_t queue = nullptr;

 private:
  bool is_own_ = true;
};

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(bool timed) {
    check(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming),
          "cudaEventCreateWithFlags");
  }
  ~CudaEvent() override { cuda::note(cudaEventDestroy(event), "cudaEventDestroy"); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  cudaEvent_t event = nullptr;
};

cudaEvent_t handle_of(Event& event) { return static_cast<CudaEvent&>(event).event; }

struct Nothing {
  __device__ void operator()(std::size_t) const {}
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int device) {
    check(cudaSetDevice(device), "cudaSetDevice");
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    description_ = std::string("cuda/") + properties.name;
    memory_pool_.assign(properties.uuid.bytes, sizeof properties.uuid.bytes);
    gpu_ = cuda::identity_of(properties);
    last_level_cache_bytes_ = static_cast<std::size_t>(properties.l2CacheSize);
    check(cudaDeviceGetStreamPriorityRange(&least_urgent_, &most_urgent_),
          "cudaDeviceGetStreamPriorityRange");
  }

  [[nodiscard]] std::string backend() const override { return "cuda"; }
  [[nodiscard]] std::string description() const override { return description_; }
  [[nodiscard]] bool is_host() const override { return false; }
  [[nodiscard]] GpuIdentity gpu() const override { return gpu_; }
  [[nodiscard]] GpuIdentity gpu_of(const void* memory) const override {
    cudaPointerAttributes found{};
    check(cudaPointerGetAttributes(&found, memory), "cudaPointerGetAttributes");
    if (found.type != cudaMemoryTypeDevice && found.type != cudaMemoryTypeManaged) return {};
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, found.device), "cudaGetDeviceProperties");
    return cuda::identity_of(properties);
  }
  [[nodiscard]] std::size_t last_level_cache_bytes() const override {
    return last_level_cache_bytes_;
  }
  [[nodiscard]] std::string knobs() const override { return cuda::knobs(); }
  [[nodiscard]] std::vector<MemoryPool> memory_pools() const override {
    std::size_t available = 0, all = 0;
    check(cudaMemGetInfo(&available, &all), "cudaMemGetInfo");
    return {{memory_pool_, available}};
  }

  [[nodiscard]] void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    std::string what = "cudaMalloc of " + std::to_string(bytes) + " bytes";
    if (status == cudaErrorMemoryAllocation)
      what += ", where " + available_text(memory_pools().front()) + ",";
    check(status, what.c_str());
    return memory;
  }
  void release(void* memory) override { cuda::note(cudaFree(memory), "cudaFree"); }
  [[nodiscard]] void* allocate_host(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes),
          ("cudaMallocHost of " + std::to_string(bytes) + " bytes").c_str());
    return memory;
  }
  void release_host(void* memory) override { cuda::note(cudaFreeHost(memory), "cudaFreeHost"); }

  [[nodiscard]] std::unique_ptr<Stream> make_stream(bool urgent) override {
    return std::make_unique<CudaStream>(urgent ? most_urgent_ : least_urgent_);
  }
  [[nodiscard]] std::unique_ptr<Stream> adopt_stream(void* queue) override {
    return std::make_unique<CudaStream>(static_cast<cudaStream_t>(queue));
  }
  void copy(void* to, const void* from, std::size_t bytes, Stream& stream) override {
    if (bytes == 0) return;  // an empty array has no address
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue_of(stream)), "cudaMemcpyAsync");
  }
  void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                 std::size_t row_bytes, std::size_t rows, Stream& stream) override {
    if (row_bytes == 0 || rows == 0) return;
    check(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, row_bytes, rows, cudaMemcpyDefault,
                            queue_of(stream)),
          "cudaMemcpy2DAsync");
  }
  void pack(void* buffer, const void* storage, const GridLayout& layout,
            std::span<const PackedBox> boxes, std::size_t element_bytes, Stream& stream) override {
    with_packed_moves<true>(
        const_cast<void*>(storage), buffer, layout, boxes, element_bytes,
        [&](const auto& move) { cuda::for_each_thread("pack", move.cut.tiles, move, stream); });
  }
  void unpack(void* storage, const void* buffer, const GridLayout& layout,
              std::span<const PackedBox> boxes, std::size_t element_bytes,
              Stream& stream) override {
    with_packed_moves<false>(
        storage, const_cast<void*>(buffer), layout, boxes, element_bytes,
        [&](const auto& move) { cuda::for_each_thread("unpack", move.cut.tiles, move, stream); });
  }
  void gather(void* buffer, const void* array, const IndexedElements& elements,
              std::size_t value_bytes, Stream& stream) override {
    with_indexed_move<true>(
        const_cast<void*>(array), buffer, elements, value_bytes,
        [&](const auto& move) { cuda::for_each_item("gather", move.values(), move, stream); });
  }
  void scatter(void* array, const void* buffer, const IndexedElements& elements,
               std::size_t value_bytes, Stream& stream) override {
    with_indexed_move<false>(
        array, const_cast<void*>(buffer), elements, value_bytes,
        [&](const auto& move) { cuda::for_each_item("scatter", move.values(), move, stream); });
  }
  void launch_nothing(std::size_t items, Stream& stream) override {
    cuda::for_each_item("empty kernel", items > 0 ? items : 1, Nothing{}, stream);
  }

  [[nodiscard]] std::unique_ptr<Event> make_event(bool timed) override {
    return std::make_unique<CudaEvent>(timed);
  }
  void record(Event& event, Stream& stream) override {
    check(cudaEventRecord(handle_of(event), queue_of(stream)), "cudaEventRecord");
  }
  void wait(Stream& stream, Event& event) override {
    check(cudaStreamWaitEvent(queue_of(stream), handle_of(event), 0), "cudaStreamWaitEvent");
  }
  [[nodiscard]] bool reached(Event& event) override {
    const cudaError_t status = cudaEventQuery(handle_of(event));
    if (status == cudaErrorNotReady) {
      (void)cudaGetLastError();  // it is kept as an error, and the next launch would report it
      return false;
    }
    check(status, "cudaEventQuery");
    return true;
  }
  void fence(Stream& stream) override {
    check(cudaStreamSynchronize(queue_of(stream)), "cudaStreamSynchronize");
  }
  void fence(Event& event) override {
    check(cudaEventSynchronize(handle_of(event)), "cudaEventSynchronize");
  }
  [[nodiscard]] double elapsed(Event& from, Event& to) override {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, handle_of(from), handle_of(to)),
          "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  std::string description_, memory_pool_;
  GpuIdentity gpu_;
  std::size_t last_level_cache_bytes_ = 0;
  int least_urgent_ = 0, most_urgent_ = 0;
};

}  // namespace

cudaStream_t cuda::queue_of(Stream& stream) { return static_cast<CudaStream&>(stream).queue; }

std::unique_ptr<Device> make_cuda_device(int local_rank) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  return std::make_unique<CudaDevice>(local_rank % devices);
}

std::string choose_cuda_device(int local_rank) { return cuda::choose(local_rank); }

BackendInfo cuda_backend_info(int local_rank) {
  BackendInfo info{"cuda", "cuda", false, {}};
  std::string device;
  info.problem = cuda::problem({__CUDA_ARCH_LIST__}, local_rank, device);
  info.usable = info.problem.empty();
  if (!device.empty()) info.description += "/" + device;
  return info;
}

}  // namespace bellwether
