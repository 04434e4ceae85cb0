// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/launch/cpu/process_limits.hpp"
#include "kernels/launch/grid.hpp"
#include "kernels/launch/indexed_values.hpp"
#include "kernels/launch/packed_boxes.hpp"

namespace bellwether {

/// An ordered queue of kernels and copies. On a host backend a launch returns when it is done.
class Stream {
 public:
  virtual ~Stream() = default;
};

/// A point in a stream's work, and where asked for the time at which the work reached it.
class Event {
 public:
  virtual ~Event() = default;
};

/// By which names a GPU goes; empty what its runtime does not tell.
struct GpuIdentity {
  std::string name;  ///< "NVIDIA H100 80GB HBM3"
  std::string uuid;  ///< "GPU-…" and 32 hexadecimal digits in groups, as NVIDIA's tools have it
  std::string pci_bus_id;  ///< "00000000:17:00.0"
  std::string runtime;     ///< "CUDA 13.0"
};

/// Memory, streams, copies and timers of one backend on one device. All sizes in bytes, all times
/// in seconds. Failures of the device's runtime are std::runtime_error, of its memory OutOfMemory;
/// what a user can ask wrongly (an unknown backend, no device) is found with backends() before a
/// Device is made.
class Device {
 public:
  virtual ~Device() = default;

  /// "kokkos" or "cuda": the name that --backend takes.
  [[nodiscard]] virtual std::string backend() const = 0;
  /// For people and records: "kokkos/Serial", "cuda/NVIDIA H200".
  [[nodiscard]] virtual std::string description() const = 0;
  /// Kernels work on host memory; staging copies then go between two host buffers.
  [[nodiscard]] virtual bool is_host() const = 0;
  /// Which GPU it is; all empty where it is none.
  [[nodiscard]] virtual GpuIdentity gpu() const { return {}; }
  /// On which GPU memory lies that another library allocated; all empty where it is on none.
  [[nodiscard]] virtual GpuIdentity gpu_of(const void* /*memory*/) const { return {}; }
  /// Of the host's threads, those that a kernel's items run on at once; 1 where a GPU runs them.
  [[nodiscard]] virtual int host_threads() const { return 1; }
  /// One thread executes a kernel's items, one after another in their order: what they add to the
  /// same place needs neither atomics nor colours.
  [[nodiscard]] virtual bool is_sequential() const { return false; }
  /// Bytes of a register that its kernels compute with; 0 where a GPU runs them.
  [[nodiscard]] virtual int register_bytes() const { return 0; }
  /// The kinds of stores that its kernels tell apart, cached ones first. Where there is one kind it
  /// is what cached stores are, whichever a kernel is asked for.
  [[nodiscard]] virtual std::vector<Stores> store_kinds() const {
    return {Stores::cached, Stores::streaming};
  }
  /// Bytes of the last cache before the device's own memory; 0 where not known, and on a host,
  /// whose caches are its node's.
  [[nodiscard]] virtual std::size_t last_level_cache_bytes() const { return 0; }
  /// What its kernels' schedules were built with: "NAME=value NAME=value ..."; empty where nothing
  /// is chosen so.
  [[nodiscard]] virtual std::string knobs() const { return {}; }
  /// What its memory is taken from, one or more that each must have it. A GPU's name is no ordinal,
  /// which may name another device in each process.
  [[nodiscard]] virtual std::vector<MemoryPool> memory_pools() const = 0;
  /// Bytes of its memory that this process can still allocate if no other does.
  [[nodiscard]] std::size_t memory_available() const {
    return least_available(memory_pools()).available;
  }

  /// Device memory, aligned to 256 bytes (as CUDA promises), to a page and with huge pages asked
  /// for on a host; contents undefined, not touched.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  /// Host memory fit for fast copies (pinned where there is such a thing), aligned to 256 bytes.
  [[nodiscard]] virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void release_host(void* memory) = 0;

  /// `urgent`: work on it goes before other streams' where the device can do that.
  [[nodiscard]] virtual std::unique_ptr<Stream> make_stream(bool urgent) = 0;
  /// Another library's queue of the same runtime (a cudaStream_t, null for its default), which
  /// outlives the stream: to record events among that library's work. On a host a stream as any.
  [[nodiscard]] virtual std::unique_ptr<Stream> adopt_stream(void* /*queue*/) {
    return make_stream(false);
  }
  /// Copies between any two of: host memory, device memory. Asynchronous with the stream.
  virtual void copy(void* to, const void* from, std::size_t bytes, Stream& stream) = 0;
  /// As copy(), and blocks until the stream is idle: for host memory that is the caller's alone,
  /// which a later call that fails would free while a GPU still copies.
  void copy_and_wait(void* to, const void* from, std::size_t bytes, Stream& stream) {
    copy(to, from, bytes, stream);
    fence(stream);
  }
  /// As copy(), of what other processes of the node will read, with the stores of shared_stores().
  void copy_shared(void* to, const void* from, std::size_t bytes, Stream& stream) {
    if (shared_stores_ == Stores::streaming)
      copy_streaming(to, from, bytes, stream);
    else
      copy(to, from, bytes, stream);
  }
  /// Which stores a host's cores write that with, cached ones unless told otherwise: streaming ones
  /// need not fetch from another core's cache the lines that they overwrite. A GPU has one kind.
  void use_shared_stores(Stores stores) { shared_stores_ = stores; }
  [[nodiscard]] Stores shared_stores() const { return shared_stores_; }
  /// Copies rows of `row_bytes` bytes, as copy() does; a pitch is the bytes from one to the next.
  virtual void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t row_bytes, std::size_t rows, Stream& stream) {
    for (std::size_t row = 0; row < rows; ++row)
      copy(static_cast<char*>(to) + row * to_pitch,
           static_cast<const char*>(from) + row * from_pitch, row_bytes, stream);
  }
  /// Copies boxes of cells of a storage's fields, each laid out as `layout`, to their places in a
  /// buffer: all in one launch, or in as few as can be where there are dozens. element_bytes is 4
  /// or 8.
  virtual void pack(void* buffer, const void* storage, const GridLayout& layout,
                    std::span<const PackedBox> boxes, std::size_t element_bytes,
                    Stream& stream) = 0;
  /// The reverse of pack. No two boxes of a field may overlap.
  virtual void unpack(void* storage, const void* buffer, const GridLayout& layout,
                      std::span<const PackedBox> boxes, std::size_t element_bytes,
                      Stream& stream) = 0;
  /// Copies the values of listed elements of `array` into `buffer`; neither overlaps the other.
  /// value_bytes is 4 or 8.
  virtual void gather(void* buffer, const void* array, const IndexedElements& elements,
                      std::size_t value_bytes, Stream& stream) = 0;
  /// The reverse of gather. No element may be listed twice.
  virtual void scatter(void* array, const void* buffer, const IndexedElements& elements,
                       std::size_t value_bytes, Stream& stream) = 0;
  /// Launches a kernel that does nothing, over `items` work items.
  virtual void launch_nothing(std::size_t items, Stream& stream) = 0;

  /// `timed`: for elapsed(). One that only orders work costs a GPU less.
  [[nodiscard]] virtual std::unique_ptr<Event> make_event(bool timed) = 0;
  virtual void record(Event& event, Stream& stream) = 0;
  /// Later work of `stream` waits for the event.
  virtual void wait(Stream& stream, Event& event) = 0;
  /// True when the work before the event is done; never blocks.
  [[nodiscard]] virtual bool reached(Event& event) = 0;
  /// Blocks until the stream is idle.
  virtual void fence(Stream& stream) = 0;
  /// Blocks until the work before the event is done; not at all if it was never recorded.
  virtual void fence(Event& event) = 0;
  /// Seconds between two timed events, recorded and reached.
  [[nodiscard]] virtual double elapsed(Event& from, Event& to) = 0;

 private:
  /// As copy(), past the caches of a host's cores.
  virtual void copy_streaming(void* to, const void* from, std::size_t bytes, Stream& stream) {
    copy(to, from, bytes, stream);
  }

  Stores shared_stores_ = Stores::cached;
};

/// A backend this build knows and whether it can be used here.
struct BackendInfo {
  std::string name;         ///< "kokkos", "cuda"
  std::string description;  ///< "kokkos/Serial"
  bool usable = false;
  std::string problem;  ///< why not, in words for the user; empty if usable
};
/// As the process with this node-local rank can use them, which says which device it would take.
std::vector<BackendInfo> backends(int local_rank = 0);

/// The device that a process uses: its node-local rank modulo the devices it sees. Throws
/// std::invalid_argument for a name that backends() does not list as usable.
std::unique_ptr<Device> make_device(const std::string& backend, int local_rank);

/// Puts the process on the GPU that make_device would give it. For before MPI starts: one that
/// moves a GPU's memory starts on the GPU that it finds. Absent where the backend computes on none;
/// empty if done, else why it could not be.
std::optional<std::string> choose_device(const std::string& backend, int local_rank);

/// Device memory for `count` values of T; freed with the object.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Device& device, std::size_t count, bool on_host = false)
      : device_(&device), count_(count), on_host_(on_host) {
    const std::size_t bytes = count * sizeof(T);
    data_ = static_cast<T*>(on_host ? device.allocate_host(bytes) : device.allocate(bytes));
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (data_ == nullptr) return;
    if (on_host_)
      device_->release_host(data_);
    else
      device_->release(data_);
  }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(on_host_, other.on_host_);
  }

 private:
  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t count_ = 0;
  bool on_host_ = false;
};

/// Device memory with those values, which are there when this returns; none for no values.
template <class T>
Buffer<T> uploaded(Device& device, const std::vector<T>& values, Stream& stream) {
  if (values.empty()) return {};
  Buffer<T> buffer(device, values.size());
  device.copy_and_wait(buffer.data(), values.data(), buffer.bytes(), stream);
  return buffer;
}

/// Each family specializes these for its abstract class, in <family>_kokkos.cpp and
/// <family>_cuda.cu.
template <class Kernels>
std::unique_ptr<Kernels> make_kokkos_kernels(Device& device);
template <class Kernels>
std::unique_ptr<Kernels> make_cuda_kernels(Device& device);

/// The family's kernels on the device's backend; the device must outlive them.
template <class Kernels>
std::unique_ptr<Kernels> make_kernels(Device& device) {
#if BELLWETHER_WITH_CUDA
  if (device.backend() == "cuda") return make_cuda_kernels<Kernels>(device);
#endif
  return make_kokkos_kernels<Kernels>(device);
}

}  // namespace bellwether
