// SPDX-License-Identifier: MIT
#include <cstdlib>

#include "kernels/launch/cpu/process_limits.hpp"

// The program's own operator new, so that whoever runs out of memory, in whichever library, is told
// how much was needed and how much there is.

void* operator new(std::size_t bytes) {
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  constexpr std::size_t for_the_message = 1 << 16;
  if (bytes < for_the_message) throw std::bad_alloc();
  throw bellwether::OutOfMemory(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
