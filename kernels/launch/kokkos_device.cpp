// SPDX-License-Identifier: MIT
#include "kernels/launch/kokkos_device.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "kernels/launch/host_memory.hpp"

namespace bellwether {
namespace {

using launch::Exec;
using launch::on_host;
using Memory = Exec::memory_space;

void start_kokkos(int local_rank) {
  if (Kokkos::is_initialized()) return;
#if KOKKOS_VERSION >= 30700
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  if (!on_host && Kokkos::num_devices() > 0)
    settings.set_device_id(local_rank % Kokkos::num_devices());
#else
  Kokkos::InitArguments settings;
  settings.disable_warnings = true;
  if (!on_host) settings.device_id = local_rank;
#endif
  Kokkos::initialize(settings);
  std::atexit([] {
    if (Kokkos::is_initialized()) Kokkos::finalize();
  });
}

#if defined(KOKKOS_ENABLE_CUDA) && KOKKOS_VERSION >= 40000
using PinnedMemory = Kokkos::SharedHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_CUDA)
using PinnedMemory = Kokkos::CudaHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP) && KOKKOS_VERSION >= 40000
using PinnedMemory = Kokkos::SharedHostPinnedSpace;
#else
using PinnedMemory = Kokkos::HostSpace;
#endif

/// A moment in a stream. Kokkos has no events: on the host a launch has finished when it returns,
/// so the moment is now; on a device it is taken after the stream is idle.
class KokkosEvent final : public Event {
 public:
  std::chrono::steady_clock::time_point at;
};

class KokkosDevice final : public Device {
 public:
  [[nodiscard]] std::string backend() const override { return "kokkos"; }
  [[nodiscard]] std::string description() const override {
    return kokkos_backend_info().description;
  }
  [[nodiscard]] bool is_host() const override { return on_host; }
  [[nodiscard]] std::size_t memory_available() const override {
    if constexpr (on_host) return host_memory_available();
#if defined(KOKKOS_ENABLE_CUDA)
    std::size_t free_bytes = 0, all_bytes = 0;
    if (cudaMemGetInfo(&free_bytes, &all_bytes) == cudaSuccess) return free_bytes;
#endif
    return std::numeric_limits<std::size_t>::max();
  }

  [[nodiscard]] void* allocate(std::size_t bytes) override {
    if constexpr (on_host) return allocate_pages(bytes);
    return Kokkos::kokkos_malloc<Memory>("bellwether", bytes);
  }
  void release(void* memory) override {
    if constexpr (on_host)
      release_pages(memory);
    else
      Kokkos::kokkos_free<Memory>(memory);
  }
  [[nodiscard]] void* allocate_host(std::size_t bytes) override {
    if constexpr (on_host) return allocate_pages(bytes);
    return Kokkos::kokkos_malloc<PinnedMemory>("bellwether host", bytes);
  }
  void release_host(void* memory) override {
    if constexpr (on_host)
      release_pages(memory);
    else
      Kokkos::kokkos_free<PinnedMemory>(memory);
  }

  [[nodiscard]] std::unique_ptr<Stream> make_stream(bool) override {
#if KOKKOS_VERSION >= 40000
    if constexpr (!on_host)
      return std::make_unique<KokkosStream>(
          Kokkos::Experimental::partition_space(Exec(), std::vector<int>{1})[0]);
#endif
    return std::make_unique<KokkosStream>(Exec());
  }
  void copy(void* to, const void* from, std::size_t bytes,
            [[maybe_unused]] Stream& stream) override {
    if constexpr (on_host) {
      std::memcpy(to, from, bytes);
    } else {
#if defined(KOKKOS_ENABLE_CUDA)
      if (cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, kokkos_exec(stream).cuda_stream()) !=
          cudaSuccess)
        throw std::runtime_error("cudaMemcpyAsync failed");
#elif defined(KOKKOS_ENABLE_HIP)
      if (hipMemcpyAsync(to, from, bytes, hipMemcpyDefault, kokkos_exec(stream).hip_stream()) !=
          hipSuccess)
        throw std::runtime_error("hipMemcpyAsync failed");
#else
      throw std::runtime_error("this Kokkos backend has no copies between host and device");
#endif
    }
  }
  void pack(void* buffer, const void* field, const GridLayout& layout, const Box& box,
            std::size_t element_bytes, Stream& stream) override {
    if (element_bytes == 4)
      move_box<std::uint32_t, true>(buffer, const_cast<void*>(field), layout, box, stream);
    else
      move_box<std::uint64_t, true>(buffer, const_cast<void*>(field), layout, box, stream);
  }
  void unpack(void* field, const void* buffer, const GridLayout& layout, const Box& box,
              std::size_t element_bytes, Stream& stream) override {
    if (element_bytes == 4)
      move_box<std::uint32_t, false>(const_cast<void*>(buffer), field, layout, box, stream);
    else
      move_box<std::uint64_t, false>(const_cast<void*>(buffer), field, layout, box, stream);
  }
  void launch_nothing(std::size_t items, Stream& stream) override {
    Kokkos::parallel_for(launch::Items(kokkos_exec(stream), 0, static_cast<std::int64_t>(items)),
                         KOKKOS_LAMBDA(std::int64_t){});
  }

  [[nodiscard]] std::unique_ptr<Event> make_event() override {
    return std::make_unique<KokkosEvent>();
  }
  void record(Event& event, Stream& stream) override {
    fence(stream);
    static_cast<KokkosEvent&>(event).at = std::chrono::steady_clock::now();
  }
  void wait(Stream&, Event&) override {}
  [[nodiscard]] bool reached(Event&) override { return true; }
  void fence(Stream& stream) override {
    if constexpr (!on_host) kokkos_exec(stream).fence();
  }
  [[nodiscard]] double elapsed(Event& from, Event& to) override {
    return std::chrono::duration<double>(static_cast<KokkosEvent&>(to).at -
                                         static_cast<KokkosEvent&>(from).at)
        .count();
  }

 private:
  /// Rows of the box between the field and the contiguous buffer; `out` of the field if `packing`.
  template <class Word, bool packing>
  void move_box(void* packed, void* field, const GridLayout& layout, const Box& box,
                Stream& stream) {
    if (box.empty()) return;
    auto* const words = static_cast<Word*>(packed);
    auto* const cells = static_cast<Word*>(field) + layout.origin();
    const std::ptrdiff_t row_pitch = layout.row_pitch();
    const std::ptrdiff_t plane_pitch = layout.plane_pitch();
    const std::ptrdiff_t nx = box.extent(0), ny = box.extent(1);
    if constexpr (on_host) {
      Kokkos::parallel_for(
          launch::Items(kokkos_exec(stream), 0, ny * box.extent(2)), [=](std::int64_t row) {
            Word* const cell = cells + box.low[0] + (box.low[1] + row % ny) * row_pitch +
                               (box.low[2] + row / ny) * plane_pitch;
            Word* const word = words + row * nx;
            const auto bytes = static_cast<std::size_t>(nx) * sizeof(Word);
            if constexpr (packing)
              std::memcpy(word, cell, bytes);
            else
              std::memcpy(cell, word, bytes);
          });
    } else {
      launch::for_each(
          kokkos_exec(stream), box, KOKKOS_LAMBDA(int i, int j, int k) {
            Word& cell = cells[i + j * row_pitch + k * plane_pitch];
            Word& word =
                words[(i - box.low[0]) +
                      nx * ((j - box.low[1]) + ny * static_cast<std::int64_t>(k - box.low[2]))];
            if constexpr (packing)
              word = cell;
            else
              cell = word;
          });
    }
  }
};

}  // namespace

BackendInfo kokkos_backend_info() {
  return {"kokkos", std::string("kokkos/") + Exec::name(), true, {}};
}

std::unique_ptr<Device> make_kokkos_device(int local_rank) {
  start_kokkos(local_rank);
  return std::make_unique<KokkosDevice>();
}

}  // namespace bellwether
