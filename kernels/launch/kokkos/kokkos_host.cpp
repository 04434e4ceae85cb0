// SPDX-License-Identifier: MIT
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/launch/cpu/host_memory.hpp"
#include "kernels/launch/cpu/lanes.hpp"
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

/// A box whose rows are copied, some by each work item.
struct BoxRows {
  char* cells;  ///< of its first row
  char* words;
  std::size_t row_bytes;
  std::int64_t ny, rows, rows_of_item;
  std::int64_t first_item;
};

/// Calls move(cell, word, bytes) for the rows of boxes of fields and of the buffer they are packed
/// in. A launch goes through all boxes; its items take about as long as one another.
template <class Move>
void move_rows(void* storage, void* buffer, const GridLayout& layout,
               std::span<const PackedBox> boxes, std::size_t element_bytes, Stream& stream,
               Move move) {
  constexpr std::size_t item_bytes = 16 << 10;
  const auto element = static_cast<std::ptrdiff_t>(element_bytes);
  std::vector<BoxRows> all;
  std::int64_t items = 0;
  for (const auto& [box, field, at] : boxes) {
    if (box.empty()) continue;
    const std::size_t row_bytes = static_cast<std::size_t>(box.extent(0)) * element_bytes;
    // A row costs a line at least.
    const auto rows_of_item =
        static_cast<std::int64_t>(1 + item_bytes / std::max(row_bytes, cache_line_bytes));
    const std::int64_t ny = box.extent(1), rows = ny * box.extent(2);
    const std::ptrdiff_t first = layout.at(box.low[0], box.low[1], box.low[2]);
    all.push_back(
        {static_cast<char*>(storage) + (static_cast<std::ptrdiff_t>(field) + first) * element,
         static_cast<char*>(buffer) + at * element_bytes, row_bytes, ny, rows, rows_of_item,
         items});
    items += (rows + rows_of_item - 1) / rows_of_item;
  }
  const std::ptrdiff_t row_pitch = layout.row_pitch() * element;
  const std::ptrdiff_t plane_pitch = layout.plane_pitch() * element;
  const auto item_before = [](std::int64_t item, const BoxRows& of) {
    return item < of.first_item;
  };
  const auto begin = all.cbegin(), end = all.cend();
  Kokkos::parallel_for(launch::Items(kokkos_exec(stream), 0, items), [=](std::int64_t item) {
    const BoxRows& of = *(std::upper_bound(begin, end, item, item_before) - 1);
    std::int64_t row = (item - of.first_item) * of.rows_of_item;
    std::int64_t j = row % of.ny, k = row / of.ny;
    for (const auto last = std::min(row + of.rows_of_item, of.rows); row < last; ++row) {
      move(of.cells + j * row_pitch + k * plane_pitch,
           of.words + row * static_cast<std::int64_t>(of.row_bytes), of.row_bytes);
      if (++j < of.ny) continue;
      j = 0;
      ++k;
    }
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
  [[nodiscard]] bool is_sequential() const override { return host_threads() == 1; }
  [[nodiscard]] int register_bytes() const override { return launch::lanes_bytes; }
  [[nodiscard]] int host_threads() const override { return Exec().concurrency(); }
  [[nodiscard]] std::vector<MemoryPool> memory_pools() const override {
    malloc_trim(0);  // Open MPI has malloc keep what was released
    return host_memory_pools();
  }

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
  void copy_streaming(void* to, const void* from, std::size_t bytes, Stream&) override {
    copy_past_caches(to, from, bytes);
  }
  void pack(void* buffer, const void* storage, const GridLayout& layout,
            std::span<const PackedBox> boxes, std::size_t element_bytes, Stream& stream) override {
    move_rows(const_cast<void*>(storage), buffer, layout, boxes, element_bytes, stream,
              [](char* cell, char* word, std::size_t bytes) { std::memcpy(word, cell, bytes); });
  }
  void unpack(void* storage, const void* buffer, const GridLayout& layout,
              std::span<const PackedBox> boxes, std::size_t element_bytes,
              Stream& stream) override {
    move_rows(storage, const_cast<void*>(buffer), layout, boxes, element_bytes, stream,
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

  [[nodiscard]] std::unique_ptr<Event> make_event(bool) override {
    return std::make_unique<Moment>();
  }
  void record(Event& event, Stream&) override {
    static_cast<Moment&>(event).at = std::chrono::steady_clock::now();
  }
  void wait(Stream&, Event&) override {}
  [[nodiscard]] bool reached(Event&) override { return true; }
  void fence(Stream&) override {}
  void fence(Event&) override {}
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
