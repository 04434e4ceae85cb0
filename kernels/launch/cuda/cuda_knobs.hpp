// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

// What of the kernels' schedules a build chooses. Each is given to the compiler with -D
// (run/lab/cuda-library does), and none changes a result. The defaults are what was fastest on an
// NVIDIA H200 (kernels/measurements.csv). All are constants of the whole library, the same in its
// host and device code, so a value per architecture is an expression in __CUDA_ARCH_LIST__, or -D
// with a library for one architecture.

// -- lbm's update, 16 bytes of neighbouring cells a thread --

/// Threads of a block: 32 to 1024, a power of two. They take what lies side by side.
#ifndef BELLWETHER_LBM_THREADS
#define BELLWETHER_LBM_THREADS 128
#endif
/// Threads that a multiprocessor holds at once, at least: 256 leave 255 registers to each, 512
/// leave 128. More threads have more loads in flight; with fewer registers than the populations of
/// two or four cells and their offsets need, they are spilled.
#ifndef BELLWETHER_LBM_RESIDENT_F32
#define BELLWETHER_LBM_RESIDENT_F32 256
#endif
#ifndef BELLWETHER_LBM_RESIDENT_F64
#define BELLWETHER_LBM_RESIDENT_F64 256
#endif

// -- 7-point stars (diffusion's update, and the copy that is its limit), 16 bytes a thread and
// plane

/// Threads of a block: 32 to 1024, a power of two.
#ifndef BELLWETHER_STAR_THREADS
#define BELLWETHER_STAR_THREADS 128
#endif
/// The most of them along a row, a power of two; the others take rows and planes beside.
#ifndef BELLWETHER_STAR_ROW_THREADS
#define BELLWETHER_STAR_ROW_THREADS 32
#endif
/// The most planes that a thread goes up through, a power of two: it loads two more than it stores.
#ifndef BELLWETHER_STAR_PLANES
#define BELLWETHER_STAR_PLANES 8
#endif
/// Fewer planes are taken until there are so many blocks for each multiprocessor: some rounds of
/// those that it holds at once, so that the last, incomplete one counts little.
#ifndef BELLWETHER_STAR_TILES
#define BELLWETHER_STAR_TILES 32
#endif
/// Threads that a multiprocessor holds at once.
#ifndef BELLWETHER_STAR_RESIDENT
#define BELLWETHER_STAR_RESIDENT 1024
#endif
/// 1 asks for the row after next while a plane is computed, 0 for the next row: fewer registers.
#ifndef BELLWETHER_STAR_AHEAD
#define BELLWETHER_STAR_AHEAD 1
#endif
/// What streaming stores (--stores streaming) are: 1 marks the lines as the first to leave L2
/// (__stcs), 0 writes past L1 and marks nothing (__stcg).
#ifndef BELLWETHER_STAR_EVICT_FIRST
#define BELLWETHER_STAR_EVICT_FIRST 1
#endif

namespace bellwether::cuda {

/// What this library was built with: "LBM_THREADS=128 LBM_RESIDENT_F32=256 ...".
inline std::string knobs() {
  constexpr std::pair<const char*, int> all[] = {{"LBM_THREADS", BELLWETHER_LBM_THREADS},
                                                 {"LBM_RESIDENT_F32", BELLWETHER_LBM_RESIDENT_F32},
                                                 {"LBM_RESIDENT_F64", BELLWETHER_LBM_RESIDENT_F64},
                                                 {"STAR_THREADS", BELLWETHER_STAR_THREADS},
                                                 {"STAR_ROW_THREADS", BELLWETHER_STAR_ROW_THREADS},
                                                 {"STAR_PLANES", BELLWETHER_STAR_PLANES},
                                                 {"STAR_TILES", BELLWETHER_STAR_TILES},
                                                 {"STAR_RESIDENT", BELLWETHER_STAR_RESIDENT},
                                                 {"STAR_AHEAD", BELLWETHER_STAR_AHEAD},
                                                 {"STAR_EVICT_FIRST", BELLWETHER_STAR_EVICT_FIRST}};
  std::string text;
  for (const auto& [name, value] : all) {
    if (!text.empty()) text += ' ';
    text += name;
    text += '=';
    text += std::to_string(value);
  }
  return text;
}

}  // namespace bellwether::cuda
