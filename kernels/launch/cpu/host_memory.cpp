// SPDX-License-Identifier: MIT
#include "kernels/launch/cpu/host_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernels/launch/cpu/process_limits.hpp"
#include "kernels/launch/cpu/store_row.hpp"

namespace bellwether {

void* allocate_pages(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const std::size_t alignment = bytes >= huge_page ? huge_page : page;
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, rounded) != 0) throw OutOfMemory(bytes);
  if (alignment == huge_page) madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

void release_pages(void* memory) { std::free(memory); }

void copy_past_caches(void* to, const void* from, std::size_t bytes) {
  auto* into = static_cast<char*>(to);
  const auto* out = static_cast<const char*>(from);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(into) % cache_line_bytes;
  const std::size_t first = std::min(bytes, (cache_line_bytes - beyond) % cache_line_bytes);
  const std::size_t last = (bytes - first) % cache_line_bytes;
  if (first > 0) std::memcpy(into, out, first);
  for (std::size_t at = first; at + last < bytes; at += cache_line_bytes) {
    alignas(cache_line_bytes) char line[cache_line_bytes];
    std::memcpy(line, out + at, cache_line_bytes);
    launch::stream_line(into + at, line);
  }
  if (last > 0) std::memcpy(into + bytes - last, out + bytes - last, last);
  launch::drain_streamed_lines();
}

}  // namespace bellwether
