// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace bellwether {

/// Untouched memory on a page boundary, or on a 2 MiB one with huge pages asked for when it is
/// large: a stencil's rows otherwise miss the TLB at each plane. Throws OutOfMemory.
void* allocate_pages(std::size_t bytes);
void release_pages(void* memory);
/// Copies whole cache lines past the caches, and what is left at either end through them. The two
/// do not overlap.
void copy_past_caches(void* to, const void* from, std::size_t bytes);

}  // namespace bellwether
