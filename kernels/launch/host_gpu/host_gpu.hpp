// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "kernels/launch/host_gpu/cuda_runtime.h"

// What the parts of the GPU made of CPU know of each other.

namespace bellwether::host_gpu {

/// Ends the process (SIGABRT) with a line that says what the program did wrong: what a real device
/// would answer with wrong results, now and then.
[[noreturn]] void stop(const std::string& what);

/// What the environment asks of this process' devices; README.md lists it.
struct Settings {
  std::uint64_t seed = 0;
  int devices = 1;
  std::size_t memory = std::size_t{2} << 30;  ///< of a device, bytes
  std::string fail;                           ///< "cudaMalloc:3", "kernel:5"; empty for none
  std::string drop;                           ///< "wait:<site>", "fence:<site>", "block:<site>"
  std::string sites;                          ///< a file to which they are appended at the end
  bool host_reaches_devices = false;          ///< as an MPI does that takes device memory
};
const Settings& settings();
/// Draws the order of everything; seeded by the settings and this process' rank.
std::mt19937_64& random_engine();
/// 0 <= result < bound.
std::size_t random_below(std::size_t bound);

// -- Memory (memory.cpp) ------------------------------------------------------------------------

enum class Kind { pageable, pinned, device };
/// What an address belongs to. A device's memory and pinned memory have exact ends: `left` bytes
/// from the address on belong to the allocation.
struct Owner {
  Kind kind = Kind::pageable;
  int device = -1;
  std::size_t left = 0;
};
Owner owner_of(const void* address);
/// Filled with bits that are NaN in both precisions. Null when the device is full.
void* allocate(Kind kind, int device, std::size_t bytes);
/// False for what was never allocated, or already freed.
bool release(Kind kind, void* memory);
std::size_t allocated_on(int device);
/// Between the two the process can reach the device's memory; before and after, an access ends it.
void open_device(int device);
void close_devices();

// -- Threads (blocks.cpp) -----------------------------------------------------------------------

/// Runs the blocks of a grid but for so many last ones, each thread once, blocks and threads in
/// random order.
void run_grid(dim3 grid, dim3 block, std::size_t left_out, const std::function<void()>& thread);

// -- Mistakes on purpose (sites.cpp) ------------------------------------------------------------

/// Whether the settings ask to leave this out: what the caller of a device's method, which calls
/// the runtime, wants; or the last block of this kernel. Counts it as a site.
bool dropped(const char* what);
bool dropped(const char* what, const void* function);

}  // namespace bellwether::host_gpu
