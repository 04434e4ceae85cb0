// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// For tests: a device that passes everything on to a real one, knows what was allocated on it, and
/// can have less memory, one kind of stores or a clock of its own, or lose the halo messages of the
/// steps to come.
class WatchedDevice final : public Device {
 public:
  explicit WatchedDevice(Device& inner) : inner_(inner) {}

  struct Allocation {
    void* memory;
    std::size_t bytes;
    bool released = false;
  };
  std::vector<Allocation> allocations;  ///< device memory, in the order of allocation
  std::optional<std::size_t> memory;    ///< how much is available, if not the truth
  std::vector<MemoryPool> pools;        ///< what it is taken from, if not empty
  std::optional<std::string> pool;      ///< if given, a device beside the host, with this memory
  bool loses_messages = false;          ///< unpack and scatter then do nothing
  std::optional<std::vector<Stores>> stores;  ///< its kinds, if not the real one's
  std::optional<double> clock_s;              ///< if given, what events are stamped with
  int fences = 0;                             ///< so far
  struct Done {
    int packs = 0, unpacks = 0;  ///< calls; gather and scatter among them
    int copies = 0;
    friend bool operator==(const Done&, const Done&) = default;
  } done;

  [[nodiscard]] std::string backend() const override { return inner_.backend(); }
  [[nodiscard]] std::string description() const override { return inner_.description(); }
  [[nodiscard]] bool is_host() const override { return !pool && inner_.is_host(); }
  [[nodiscard]] GpuIdentity gpu() const override { return inner_.gpu(); }
  [[nodiscard]] int host_threads() const override { return inner_.host_threads(); }
  [[nodiscard]] bool is_sequential() const override { return !pool && inner_.is_sequential(); }
  [[nodiscard]] int register_bytes() const override { return inner_.register_bytes(); }
  [[nodiscard]] std::vector<Stores> store_kinds() const override {
    return stores ? *stores : inner_.store_kinds();
  }
  [[nodiscard]] std::vector<MemoryPool> memory_pools() const override {
    if (!pools.empty()) return pools;
    std::vector<MemoryPool> all = inner_.memory_pools();
    if (memory || pool) all.resize(1);
    if (memory) all.front().available = *memory;
    if (pool) all.front().name = *pool;
    return all;
  }
  [[nodiscard]] void* allocate(std::size_t bytes) override {
    void* const start = inner_.allocate(bytes);
    allocations.push_back({start, bytes});
    return start;
  }
  void release(void* start) override {
    for (Allocation& one : allocations) one.released = one.released || one.memory == start;
    inner_.release(start);
  }
  [[nodiscard]] void* allocate_host(std::size_t bytes) override {
    return inner_.allocate_host(bytes);
  }
  void release_host(void* start) override { inner_.release_host(start); }
  [[nodiscard]] std::unique_ptr<Stream> make_stream(bool urgent) override {
    return inner_.make_stream(urgent);
  }
  void copy(void* to, const void* from, std::size_t bytes, Stream& stream) override {
    ++done.copies;
    inner_.copy(to, from, bytes, stream);
  }
  void pack(void* buffer, const void* storage, const GridLayout& layout,
            std::span<const PackedBox> boxes, std::size_t element_bytes, Stream& stream) override {
    ++done.packs;
    inner_.pack(buffer, storage, layout, boxes, element_bytes, stream);
  }
  void unpack(void* storage, const void* buffer, const GridLayout& layout,
              std::span<const PackedBox> boxes, std::size_t element_bytes,
              Stream& stream) override {
    ++done.unpacks;
    if (!loses_messages) inner_.unpack(storage, buffer, layout, boxes, element_bytes, stream);
  }
  void gather(void* buffer, const void* array, const IndexedElements& elements,
              std::size_t value_bytes, Stream& stream) override {
    ++done.packs;
    inner_.gather(buffer, array, elements, value_bytes, stream);
  }
  void scatter(void* array, const void* buffer, const IndexedElements& elements,
               std::size_t value_bytes, Stream& stream) override {
    ++done.unpacks;
    if (!loses_messages) inner_.scatter(array, buffer, elements, value_bytes, stream);
  }
  void launch_nothing(std::size_t items, Stream& stream) override {
    inner_.launch_nothing(items, stream);
  }
  [[nodiscard]] std::unique_ptr<Event> make_event(bool timed) override {
    return std::make_unique<Mark>(inner_.make_event(timed));
  }
  void record(Event& event, Stream& stream) override {
    mark(event).at_s = clock_s;
    inner_.record(*mark(event).inner, stream);
  }
  void wait(Stream& stream, Event& event) override { inner_.wait(stream, *mark(event).inner); }
  [[nodiscard]] bool reached(Event& event) override { return inner_.reached(*mark(event).inner); }
  void fence(Stream& stream) override {
    ++fences;
    inner_.fence(stream);
  }
  void fence(Event& event) override { inner_.fence(*mark(event).inner); }
  [[nodiscard]] double elapsed(Event& from, Event& to) override {
    if (clock_s) return mark(to).at_s.value() - mark(from).at_s.value();
    return inner_.elapsed(*mark(from).inner, *mark(to).inner);
  }

 private:
  struct Mark final : Event {
    explicit Mark(std::unique_ptr<Event> real) : inner(std::move(real)) {}
    std::unique_ptr<Event> inner;
    std::optional<double> at_s;
  };
  static Mark& mark(Event& event) { return static_cast<Mark&>(event); }

  Device& inner_;
};

/// For tests: as a fault of the memory would, or back; nothing of what is released.
inline void flip_first_bit(Device& device, const WatchedDevice::Allocation& array, Stream& stream) {
  if (array.released) return;
  unsigned char byte = 0;
  device.copy(&byte, array.memory, 1, stream);
  device.fence(stream);
  byte ^= 1;
  device.copy(array.memory, &byte, 1, stream);
  device.fence(stream);
}

}  // namespace bellwether
