// SPDX-License-Identifier: MIT
#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels/launch/kokkos/kokkos_device.hpp"
#include "kernels/launch/kokkos/kokkos_gpu_runtime.hpp"
#include "kernels/launch/kokkos/kokkos_stream.hpp"

// Kokkos on a GPU: a launch returns at once. Destructors and releases ignore what the runtime says:
// they run while an error is on its way to the user, and one that lasts is reported again.

namespace bellwether {
namespace {

using launch::Exec;
namespace gpu = launch::gpu;

void check(gpu::Status status, const std::string& what) {
  if (status == gpu::success) return;
  (void)gpu::take_error();  // so that the next call does not report this error again
  const std::string text =
      std::string("Kokkos/") + Exec::name() + ": " + what + " failed: " + gpu::text_of(status);
  if (status == gpu::out_of_memory) throw OutOfMemory(text);
  throw std::runtime_error(text);
}

/// Devices that Kokkos sees, for a process that has one.
int visible_devices() {
#if KOKKOS_VERSION >= 40300
  return Kokkos::num_devices();
#else
  int devices = 0;
  check(gpu::count_devices(&devices), "counting devices");
  return devices;
#endif
}

/// Keeps clear of Kokkos' own queue, with which streams would wait for each other.
struct OwnQueue {
  explicit OwnQueue(bool urgent) {
    int least = 0, most = 0;
    check(gpu::priority_range(&least, &most), "reading stream priorities");
    check(gpu::create_queue(&queue, gpu::no_implicit_waits, urgent ? most : least),
          "making a stream");
  }
  explicit OwnQueue(gpu::Queue of_another) : queue(of_another), is_own_(false) {}
  ~OwnQueue() {
    if (is_own_) (void)gpu::destroy_queue(queue);
  }
  OwnQueue(const OwnQueue&) = delete;
  OwnQueue& operator=(const OwnQueue&) = delete;
  gpu::Queue queue = nullptr;

 private:
  bool is_own_ = true;
};

/// The queue is made before Kokkos' instance upon it, and destroyed after.
class GpuStream final : public OwnQueue, public KokkosStream {
 public:
  template <class Origin>  // bool: how urgent; a queue: that one
  explicit GpuStream(Origin origin) : OwnQueue(origin), KokkosStream(Exec(queue)) {}
};

gpu::Queue queue_of(Stream& stream) { return static_cast<GpuStream&>(stream).queue; }

class GpuEvent final : public Event {
 public:
  explicit GpuEvent(bool timed) {
    check(gpu::create_mark(&mark, timed ? gpu::with_time : gpu::without_time), "making an event");
  }
  ~GpuEvent() override { (void)gpu::destroy_mark(mark); }
  GpuEvent(const GpuEvent&) = delete;
  GpuEvent& operator=(const GpuEvent&) = delete;
  gpu::Mark mark = nullptr;
};

gpu::Mark mark_of(Event& event) { return static_cast<GpuEvent&>(event).mark; }

template <class Move>
void launch_packed(const Move& move, Stream& stream) {
  constexpr std::int64_t threads = launch::block_threads;
  Kokkos::parallel_for(
      launch::Items(kokkos_exec(stream), 0, static_cast<std::int64_t>(move.cut.tiles) * threads),
      KOKKOS_LAMBDA(std::int64_t item) {
        move(static_cast<unsigned>(item / threads), static_cast<int>(item % threads));
      });
}

template <class Move>
void launch_move(const Move& move, Stream& stream) {
  Kokkos::parallel_for(
      launch::Items(kokkos_exec(stream), 0, static_cast<std::int64_t>(move.values())), move);
}

class KokkosGpu final : public Device {
 public:
  [[nodiscard]] std::string backend() const override { return "kokkos"; }
  [[nodiscard]] std::string description() const override {
    return std::string("kokkos/") + Exec::name();
  }
  [[nodiscard]] bool is_host() const override { return false; }
  [[nodiscard]] GpuIdentity gpu() const override { return gpu::names(gpu::current()); }
  [[nodiscard]] GpuIdentity gpu_of(const void* memory) const override {
    return gpu::names(gpu::device_of(memory));
  }
  [[nodiscard]] std::vector<Stores> store_kinds() const override { return {Stores::cached}; }
  [[nodiscard]] std::size_t last_level_cache_bytes() const override {
    return gpu::last_level_cache_bytes();
  }
  [[nodiscard]] std::vector<MemoryPool> memory_pools() const override {
    std::size_t available = 0, all = 0;
    check(gpu::memory_info(&available, &all), "reading the free memory");
    return {{gpu::identity(), available}};
  }

  [[nodiscard]] void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    check(gpu::allocate(&memory, bytes), "allocation of " + std::to_string(bytes) + " bytes");
    return memory;
  }
  void release(void* memory) override { (void)gpu::release(memory); }
  [[nodiscard]] void* allocate_host(std::size_t bytes) override {
    void* memory = nullptr;
    check(gpu::allocate_pinned(&memory, bytes, 0),
          "allocation of " + std::to_string(bytes) + " bytes of pinned memory");
    return memory;
  }
  void release_host(void* memory) override { (void)gpu::release_pinned(memory); }

  [[nodiscard]] std::unique_ptr<Stream> make_stream(bool urgent) override {
    return std::make_unique<GpuStream>(urgent);
  }
  [[nodiscard]] std::unique_ptr<Stream> adopt_stream(void* queue) override {
    return std::make_unique<GpuStream>(static_cast<gpu::Queue>(queue));
  }
  void copy(void* to, const void* from, std::size_t bytes, Stream& stream) override {
    if (bytes == 0) return;  // an empty array has no address
    check(gpu::copy_async(to, from, bytes, gpu::copy_any, queue_of(stream)), "copying");
  }
  void pack(void* buffer, const void* storage, const GridLayout& layout,
            std::span<const PackedBox> boxes, std::size_t element_bytes, Stream& stream) override {
    with_packed_moves<true>(const_cast<void*>(storage), buffer, layout, boxes, element_bytes,
                            [&](const auto& move) { launch_packed(move, stream); });
  }
  void unpack(void* storage, const void* buffer, const GridLayout& layout,
              std::span<const PackedBox> boxes, std::size_t element_bytes,
              Stream& stream) override {
    with_packed_moves<false>(storage, const_cast<void*>(buffer), layout, boxes, element_bytes,
                             [&](const auto& move) { launch_packed(move, stream); });
  }
  void gather(void* buffer, const void* array, const IndexedElements& elements,
              std::size_t value_bytes, Stream& stream) override {
    with_indexed_move<true>(const_cast<void*>(array), buffer, elements, value_bytes,
                            [&](const auto& move) { launch_move(move, stream); });
  }
  void scatter(void* array, const void* buffer, const IndexedElements& elements,
               std::size_t value_bytes, Stream& stream) override {
    with_indexed_move<false>(array, const_cast<void*>(buffer), elements, value_bytes,
                             [&](const auto& move) { launch_move(move, stream); });
  }
  void launch_nothing(std::size_t items, Stream& stream) override {
    Kokkos::parallel_for(launch::Items(kokkos_exec(stream), 0, static_cast<std::int64_t>(items)),
                         KOKKOS_LAMBDA(std::int64_t){});
  }

  [[nodiscard]] std::unique_ptr<Event> make_event(bool timed) override {
    return std::make_unique<GpuEvent>(timed);
  }
  void record(Event& event, Stream& stream) override {
    check(gpu::record(mark_of(event), queue_of(stream)), "recording an event");
  }
  void wait(Stream& stream, Event& event) override {
    check(gpu::wait(queue_of(stream), mark_of(event), 0), "waiting for an event");
  }
  [[nodiscard]] bool reached(Event& event) override {
    const gpu::Status status = gpu::query(mark_of(event));
    if (status == gpu::not_ready) {
      (void)gpu::take_error();  // it is kept as an error, and the next launch would report it
      return false;
    }
    check(status, "a kernel or copy");
    return true;
  }
  void fence(Stream& stream) override { check(gpu::finish(queue_of(stream)), "a kernel or copy"); }
  void fence(Event& event) override { check(gpu::finish_to(mark_of(event)), "a kernel or copy"); }
  [[nodiscard]] double elapsed(Event& from, Event& to) override {
    float milliseconds = 0;
    check(gpu::elapsed_ms(&milliseconds, mark_of(from), mark_of(to)), "reading events");
    return 1e-3 * static_cast<double>(milliseconds);
  }
};

}  // namespace

BackendInfo kokkos_backend_info(int local_rank) {
  const std::string problem = gpu::problem(local_rank);
  return {"kokkos", std::string("kokkos/") + Exec::name(), problem.empty(), problem};
}

std::optional<std::string> choose_kokkos_device(int local_rank) { return gpu::choose(local_rank); }

std::unique_ptr<Device> make_kokkos_device(int local_rank) {
  start_kokkos(local_rank, visible_devices());
  return std::make_unique<KokkosGpu>();
}

}  // namespace bellwether
