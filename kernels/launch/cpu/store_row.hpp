// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernels/launch/grid.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bellwether::launch {

/// Writes one cache line past the cache. Both pointers are line-aligned.
inline void stream_line(void* to, const void* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_load_si512(from));
#elif defined(__AVX__)
  for (int half = 0; half < 2; ++half)
    _mm256_stream_si256(static_cast<__m256i*>(to) + half,
                        _mm256_load_si256(static_cast<const __m256i*>(from) + half));
#elif defined(__x86_64__)
  for (int quarter = 0; quarter < 4; ++quarter)
    _mm_stream_si128(static_cast<__m128i*>(to) + quarter,
                     _mm_load_si128(static_cast<const __m128i*>(from) + quarter));
#else
  std::memcpy(to, from, cache_line_bytes);
#endif
}

/// Makes streamed lines visible to other threads and ranks before the kernel counts as done.
inline void drain_streamed_lines() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// How far ahead of its use a line of an array read for the first time is asked for: the hardware
/// prefetchers stop at 4 KiB pages. Into L2 a copy went from 41 to 50 GB/s (2 cores of a Xeon with
/// AVX-512), on a Zen 4 from 41 to 34, and into L1 to 50. Rows of a stencil are asked for by rows
/// instead (ask_ahead).
inline constexpr int prefetch_bytes = 3072;
/// The same for a kernel that goes through more arrays at once than the hardware follows, 19 of
/// them. Near, lattice Boltzmann from memory takes 0.92 to 0.97 of the time on a Zen 4.
constexpr int prefetch_bytes_of_many(Prefetch prefetch) {
  return prefetch == Prefetch::none ? 0 : prefetch == Prefetch::near ? 256 : 640;
}

/// Of rows, how far ahead in memory: into L2, and once more into L1. On 2 cores of a Xeon with 2
/// MiB of L2 (miniapps/diffusion/README.md) 4 KiB were 2 to 5 % slower than 2, and 3 KiB up to 2 %
/// faster in f64 and 4 to 13 % slower in f32.
inline constexpr int far_bytes = 2048, near_bytes = 256;

/// Asks for the lines of cells [at, at + count) of what is read for the first time: prefetch_bytes
/// ahead, or where there are rows three, two and one rows ahead into L1, four and two rows ahead
/// into L2, or in their memory as above. The hardware loses the streams among a stencil's other
/// rows, and what is asked for while its buffers are full is dropped, which asking again mends. By
/// rows into L1, with the row ends of store_lines, a 7-point update gained 2 to 23 % over asking 3
/// KiB and one row ahead, and lost nowhere (one and two cores of a Zen 5;
/// miniapps/diffusion/README.md); two and one rows alone were up to 15 % slower in f32, planes that
/// are not cut into tiles 10 to 17 %. On a Zen 4 what is asked for into L1 holds up the loads
/// behind it: into L2 the update takes 0.72 to 0.82 of the time. On a Xeon memory ahead is best.
/// The empty statement is an effect: GCC drops calls of a function that does no more than prefetch.
template <Prefetch prefetch, int count, class T, class Row>
[[gnu::always_inline]] inline void ask_ahead(const Row& row, std::ptrdiff_t at,
                                             std::ptrdiff_t row_pitch) {
  constexpr int line = static_cast<int>(cache_line_bytes / sizeof(T));
  constexpr int ahead = prefetch_bytes / static_cast<int>(sizeof(T));
  row.first_touched([ at, row_pitch ](const T* first) __attribute__((always_inline)) {
    for (int l = 0; l < count; l += line) {
      if (row_pitch != 0 && prefetch == Prefetch::ahead) {
        __builtin_prefetch(first + at + l + far_bytes / static_cast<int>(sizeof(T)), 0, 2);
        __builtin_prefetch(first + at + l + near_bytes / static_cast<int>(sizeof(T)), 0, 3);
      } else if (row_pitch != 0 && prefetch == Prefetch::rows_to_l2) {
        __builtin_prefetch(first + at + l + 4 * row_pitch, 0, 2);
        __builtin_prefetch(first + at + l + 2 * row_pitch, 0, 2);
      } else if (row_pitch != 0) {
        __builtin_prefetch(first + at + l + 3 * row_pitch, 0, 3);
        __builtin_prefetch(first + at + l + 2 * row_pitch, 0, 3);
        __builtin_prefetch(first + at + l + row_pitch, 0, 3);
      } else {
        __builtin_prefetch(first + at + l + ahead, 0, prefetch == Prefetch::rows ? 3 : 2);
      }
      asm volatile("");
    }
  });
}

/// A cache line of values in registers (a vector of GCC's and Clang's).
template <class T>
struct LineOf {
  typedef T type __attribute__((vector_size(cache_line_bytes)));
};

/// Cells [at, at + count) of a row, count a multiple of a line known when compiling. A row's ends
/// are mended in registers: a number stored into a line that is read again as a whole right away
/// waits until it is in the cache. Inlined by force: GCC 12 calls it for six lines of a stencil, 0
/// to 9 % slower. `ends` is the row again: what is called for its ends has an address, and what has
/// none stays in registers, 4 to 8 % faster (Zen 4).
template <Stores stores, Prefetch prefetch, int count, class T, class Row>
[[gnu::always_inline]] inline void store_lines(T* __restrict out, const Row& row, const Row& ends,
                                               std::ptrdiff_t at, std::ptrdiff_t inner_begin,
                                               std::ptrdiff_t inner_end, std::ptrdiff_t row_pitch) {
  constexpr int line = static_cast<int>(cache_line_bytes / sizeof(T));
  alignas(cache_line_bytes) T values[count];
  if constexpr (prefetch != Prefetch::none) ask_ahead<prefetch, count, T>(row, at, row_pitch);
#pragma omp simd
  for (int l = 0; l < count; ++l) values[l] = row.inner(at + l);
  for (int l = 0; l < count; l += line) {
    typename LineOf<T>::type cells;
    std::memcpy(&cells, values + l, sizeof cells);
    if (l == 0 && at < inner_begin) cells[0] = ends(at);
    if (l + line == count && at + count > inner_end) cells[line - 1] = ends(at + count - 1);
    if constexpr (stores == Stores::streaming)
      stream_line(out + at + l, &cells);
    else
      std::memcpy(out + at + l, &cells, sizeof cells);
  }
}

/// The first `count` of a line's values, by the powers of two that it is the sum of.
template <int part, class T>
[[gnu::always_inline]] inline void store_first(T* out, const T* values, std::ptrdiff_t count) {
  if ((count & part) != 0) {
    std::memcpy(out, values, part * sizeof(T));
    out += part;
    values += part;
  }
  if constexpr (part > 1) store_first<part / 2>(out, values, count);
}

/// Cells [at, end) of a row, fewer than a line, of which all that are in the line are evaluated.
template <class T, class Row>
void store_part_of_line(T* __restrict out, const Row& row, std::ptrdiff_t at, std::ptrdiff_t end,
                        std::ptrdiff_t inner_begin, std::ptrdiff_t inner_end) {
  constexpr int line = static_cast<int>(cache_line_bytes / sizeof(T));
  alignas(cache_line_bytes) T values[line];
#pragma omp simd
  for (int l = 0; l < line; ++l) values[l] = row.inner(at + l);
  if (at < inner_begin) values[0] = row(at);
  if (end > inner_end) values[end - 1 - at] = row(end - 1);
  store_first<line / 2>(out + at, values, end - at);
}

/// out[i] = row(i) for begin <= i < end, where out + 0 starts a cache line. Whole lines are
/// evaluated into registers with the branch-free row.inner, a row's first and last cell mended with
/// row(), and written at once: past the cache with Stores::streaming. What is left at the ends is
/// stored plainly, cell by cell. A row's end is evaluated as a line where a Row says with
/// `ends_in_padding` that inner may be called to the end of its last line: always between streamed
/// lines, for which cells are too slow, among cached ones from half a line on (with 11 to 13 of 16
/// values an update in the caches is 20 to 26 % faster, with 3 of 8 6 % slower; a Zen 4), but not
/// in a sweep from memory, where it waits 30 ns for what it stored (there). The next row is
/// row_pitch values ahead; 0 where what is read has no rows. What is asked for begins with the line
/// before the row, its ghost cell's, and ends with its last one, though that be no whole one: each
/// was waited for (a row of 223 cells in shifted storage took 1.5 times as long; there).
template <Stores stores, Prefetch prefetch, class T, class Row>
void store_row(T* __restrict out, const Row& row, std::ptrdiff_t begin, std::ptrdiff_t end,
               std::ptrdiff_t inner_begin, std::ptrdiff_t inner_end, std::ptrdiff_t row_pitch = 0) {
  constexpr int line = static_cast<int>(cache_line_bytes / sizeof(T));
  constexpr int block = 4 * line;
  constexpr bool asks = prefetch != Prefetch::none;
  const Row own = row;
  if (asks && row_pitch != 0) ask_ahead<prefetch, line, T>(own, begin - 1, row_pitch);
  std::ptrdiff_t i = begin;
  for (const auto first_line = std::min(end, (begin + line - 1) / line * line); i < first_line; ++i)
    out[i] = row(i);
  for (; i + block <= end; i += block)
    store_lines<stores, prefetch, block>(out, own, row, i, inner_begin, inner_end, row_pitch);
  for (; i + line <= end; i += line)
    store_lines<stores, prefetch, line>(out, own, row, i, inner_begin, inner_end, row_pitch);
  if (asks && i < end) ask_ahead<prefetch, line, T>(own, i, row_pitch);
  if constexpr (Row::ends_in_padding) {
    if (i < end && (stores == Stores::streaming || (!asks && 2 * (end - i) >= line))) {
      store_part_of_line(out, row, i, end, inner_begin, inner_end);
      return;
    }
  }
  for (; i < end; ++i) out[i] = row(i);
}

}  // namespace bellwether::launch
