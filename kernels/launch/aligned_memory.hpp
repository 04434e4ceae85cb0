// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace bellwether {

/// Memory aligned to `alignment`, which device runtimes promise for neither device nor pinned
/// memory: a little more is taken, and what was taken remembered.
class AlignedMemory {
 public:
  static constexpr std::size_t alignment = 4096;

  /// The first aligned address in `memory`, which holds `alignment` bytes more than are wanted.
  void* aligned(void* memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    auto* const start =
        static_cast<char*>(memory) + ((alignment - address % alignment) % alignment);
    taken_[start] = memory;
    return start;
  }
  /// What the runtime gave for it, which is then forgotten; null for null.
  void* original(void* start) {
    const auto found = taken_.find(start);
    if (found == taken_.end()) return nullptr;
    void* const memory = found->second;
    taken_.erase(found);
    return memory;
  }

 private:
  std::unordered_map<void*, void*> taken_;
};

}  // namespace bellwether
