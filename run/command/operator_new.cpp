// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <new>

#include "kernels/launch/cpu/process_limits.hpp"

// The program's own operator new, so that whoever runs out of memory, in whichever library, is told
// how much was needed and how much there is. The forms that return null are replaced too:
// AddressSanitizer has its own, and takes memory of one that another frees for a fault.

void* operator new(std::size_t bytes) {
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  constexpr std::size_t for_the_message = 1 << 16;
  if (bytes < for_the_message) throw std::bad_alloc();
  throw bellwether::OutOfMemory(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes > 0 ? bytes : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
