// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>

#include "kernels/launch/cpu/host_memory.hpp"
#include "kernels/launch/kokkos/kokkos_device.hpp"
#include "kernels/launch/kokkos/kokkos_stream.hpp"

// Kokkos on the host's cores: a launch has finished when it returns.

namespace bellwether {
namespace {

using launch::Exec;

/// A moment in a stream: what was launched before it has finished, so the moment is now.
class Moment final : public Event {
 public:
  std::chrono::steady_clock::time_point at;
};

/// Calls move(cell, word, bytes) for the rows of a box of a field and of the buffer it is packed
/// in.
template <class Move>
void move_rows(void* field, void* buffer, const GridLayout& layout, const Box& box,
               std::size_t element_bytes, Stream& stream, Move move) {
  if (box.empty()) return;
  const auto element = static_cast<std::ptrdiff_t>(element_bytes);
  const auto row_bytes = box.extent(0) * element;
  auto* const first =
      static_cast<char*>(field) + layout.at(box.low[0], box.low[1], box.low[2]) * element;
  auto* const words = static_cast<char*>(buffer);
  const std::ptrdiff_t row_pitch = layout.row_pitch() * element;
  const std::ptrdiff_t plane_pitch = layout.plane_pitch() * element;
  const std::ptrdiff_t ny = box.extent(1);
  Kokkos::parallel_for(launch::Items(kokkos_exec(stream), 0, ny * box.extent(2)),
                       [=](std::int64_t row) {
                         move(first + row % ny * row_pitch + row / ny * plane_pitch,
                              words + row * row_bytes, static_cast<std::size_t>(row_bytes));
                       });
}

/// Element by element: the values of one stand side by side in the buffer, and often in the array.
template <class Move>
void launch_move(const Move& move, Stream& stream) {
  Kokkos::parallel_for(
      launch::Items(kokkos_exec(stream), 0, static_cast<std::int64_t>(move.elements.count)),
      [=](std::int64_t n) { move.element(static_cast<std::size_t>(n)); });
}

class KokkosHost final : public Device {
 public:
  [[nodiscard]] std::string backend() const override { return "kokkos"; }
  [[nodiscard]] std::string description() const override {
    return kokkos_backend_info(0).description;
  }
  [[nodiscard]] bool is_host() const override { return true; }
  [[nodiscard]] bool is_sequential() const override { return Exec().concurrency() == 1; }
  [[nodiscard]] std::size_t memory_available() const override { return host_memory_available(); }

  [[nodiscard]] void* allocate(std::size_t bytes) override { return allocate_pages(bytes); }
  void release(void* memory) override { release_pages(memory); }
  [[nodiscard]] void* allocate_host(std::size_t bytes) override { return allocate_pages(bytes); }
  void release_host(void* memory) override { release_pages(memory); }

  [[nodiscard]] std::unique_ptr<Stream> make_stream(bool) override {
    return std::make_unique<KokkosStream>(Exec());
  }
  void copy(void* to, const void* from, std::size_t bytes, Stream&) override {
    if (bytes > 0) std::memcpy(to, from, bytes);  // an empty array has no address
  }
  void pack(void* buffer, const void* field, const GridLayout& layout, const Box& box,
            std::size_t element_bytes, Stream& stream) override {
    move_rows(const_cast<void*>(field), buffer, layout, box, element_bytes, stream,
              [](char* cell, char* word, std::size_t bytes) { std::memcpy(word, cell, bytes); });
  }
  void unpack(void* field, const void* buffer, const GridLayout& layout, const Box& box,
              std::size_t element_bytes, Stream& stream) override {
    move_rows(field, const_cast<void*>(buffer), layout, box, element_bytes, stream,
              [](char* cell, char* word, std::size_t bytes) { std::memcpy(cell, word, bytes); });
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
                         [](std::int64_t) {});
  }

  [[nodiscard]] std::unique_ptr<Event> make_event() override { return std::make_unique<Moment>(); }
  void record(Event& event, Stream&) override {
    static_cast<Moment&>(event).at = std::chrono::steady_clock::now();
  }
  void wait(Stream&, Event&) override {}
  [[nodiscard]] bool reached(Event&) override { return true; }
  void fence(Stream&) override {}
  [[nodiscard]] double elapsed(Event& from, Event& to) override {
    return std::chrono::duration<double>(static_cast<Moment&>(to).at -
                                         static_cast<Moment&>(from).at)
        .count();
  }
};

}  // namespace

BackendInfo kokkos_backend_info(int) {
  return {"kokkos", std::string("kokkos/") + Exec::name(), true, {}};
}

std::optional<std::string> choose_kokkos_device(int) { return {}; }

std::unique_ptr<Device> make_kokkos_device(int local_rank) {
  start_kokkos(local_rank, 0);
  return std::make_unique<KokkosHost>();
}

}  // namespace bellwether
