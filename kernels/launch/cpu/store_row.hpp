// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "kernels/launch/cpu/lanes.hpp"
#include "kernels/launch/grid.hpp"

namespace bellwether::launch {

/// Writes a register past the cache. `to` is aligned to one.
template <class T>
[[gnu::always_inline]] inline void stream_lanes(T* to, const Lanes<T>& lanes) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), __m512i(lanes));
#elif defined(__AVX__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), __m256i(lanes));
#elif defined(__x86_64__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), __m128i(lanes));
#else
  store_all_lanes(to, lanes);
#endif
}
/// Writes one cache line past the cache. Both pointers are line-aligned.
inline void stream_line(void* to, const void* from) {
  constexpr int size = lane_count<float>;
  for (int l = 0; l < static_cast<int>(cache_line_bytes / sizeof(float)); l += size)
    stream_lanes(static_cast<float*>(to) + l, load_all_lanes(static_cast<const float*>(from) + l));
}

/// Makes streamed lines visible to other threads and ranks before the kernel counts as done.
inline void drain_streamed_lines() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// How far ahead of its use a line of an array read for the first time is asked for: the hardware
/// prefetchers stop at 4 KiB pages. Into which cache depends on the processor
/// (kernels/measurements.csv). Rows of a stencil are asked for by rows instead (ask_ahead).
inline constexpr int prefetch_bytes = 3072;
/// The same for a kernel that goes through more arrays at once than the hardware follows, 19 of
/// them. Which distance is best depends on the processor (kernels/measurements.csv).
constexpr int prefetch_bytes_of_many(Prefetch prefetch) {
  return prefetch == Prefetch::none ? 0 : prefetch == Prefetch::near ? 256 : 640;
}

/// Of rows, how far ahead in memory: into L2, and once more into L1 (kernels/measurements.csv).
inline constexpr int far_bytes = 2048, near_bytes = 256;

/// How far ahead rows are asked for into L2, as many as this many bytes take and three at least,
/// and once more half as many ahead: short rows pass in less time than memory takes to answer
/// (kernels/measurements.csv).
inline constexpr std::ptrdiff_t rows_to_l2_bytes = 6144;

/// Values from a cell to what is asked for with it.
struct AskedAhead {
  std::ptrdiff_t first = 0, second = 0, third = 0;
};
/// Where the next row is row_pitch values ahead.
template <Prefetch prefetch, class T>
constexpr AskedAhead asked_ahead(std::ptrdiff_t row_pitch) {
  constexpr std::ptrdiff_t size = sizeof(T);
  if (prefetch == Prefetch::rows) return {3 * row_pitch, 2 * row_pitch, row_pitch};
  if (prefetch == Prefetch::ahead) return {far_bytes / size, near_bytes / size, 0};
  const std::ptrdiff_t row_bytes = row_pitch * size;
  const std::ptrdiff_t rows =
      std::max<std::ptrdiff_t>(3, (rows_to_l2_bytes + row_bytes - 1) / row_bytes);
  return {rows * row_pitch, (rows + 1) / 2 * row_pitch, 0};
}

/// Asks for the line of cell `at` of what is read for the first time: where there are rows three,
/// two and one of them ahead into L1, some KiB of them and half as many into L2, or in their memory
/// as above; in an array prefetch_bytes ahead. The hardware loses the streams among a stencil's
/// other rows, and what is asked for while its buffers are full is dropped, which asking again
/// mends. Which way is fastest depends on the processor: on some, what is asked for into L1 holds
/// up the loads behind it (kernels/measurements.csv). The empty statement is an effect: GCC drops
/// calls of a function that does no more than prefetch.
template <Prefetch prefetch, class Rows, class T = typename Rows::value_type>
[[gnu::always_inline]] inline void ask_ahead(const Rows& rows, std::ptrdiff_t at,
                                             const AskedAhead& asked) {
  rows.first_touched([&](const T* first) __attribute__((always_inline)) {
    if constexpr (!Rows::has_more_rows) {
      constexpr int ahead = prefetch_bytes / static_cast<int>(sizeof(T));
      __builtin_prefetch(first + at + ahead, 0, prefetch == Prefetch::rows ? 3 : 2);
    } else if constexpr (prefetch == Prefetch::rows) {
      __builtin_prefetch(first + at + asked.first, 0, 3);
      __builtin_prefetch(first + at + asked.second, 0, 3);
      __builtin_prefetch(first + at + asked.third, 0, 3);
    } else {
      __builtin_prefetch(first + at + asked.first, 0, 2);
      __builtin_prefetch(first + at + asked.second, 0, prefetch == Prefetch::ahead ? 3 : 2);
    }
    asm volatile("");
  });
}

/// A register of each of so many rows.
template <class T, int count>
struct LanesOfRows {
  Lanes<T> of[count];
};
/// Calls function(n) for n = 0, 1, … count - 1, std::integral_constants: GCC 12 leaves an array of
/// registers in memory where a loop counts through it.
template <int count, class Function>
[[gnu::always_inline]] inline void for_each_index(Function&& function) {
  [&]<int... n>(std::integer_sequence<int, n...>) __attribute__((always_inline)) {
    (function(std::integral_constant<int, n>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

/// What is stored along rows of cells, a register of each at a time (Rows): `planes` successive
/// planes' rows of the same j, so that what two of them read is loaded once.
///     using value_type; static constexpr int planes
///     static constexpr bool has_more_rows    false: what is read is an array
///     void start(at)          what comes next are the cells from `at` on, a register's first
///     LanesOfRows<value_type, planes> lanes<at_end>(at, bits)
///                             of cells [at, at + lane_count), each register in turn. With at_end
///                             only lanes whose bit is set are wanted; without, all, and all are
///                             before inner_end
///     inner_end(end)          `end`, or before it, where cells are others than the rest
///     void first_touched(visit)    calls it with each row that is read for the first time
///
/// out[i + p plane_pitch] = cell i of row p for begin <= i < end; where out is streamed, out + 0
/// and each plane's start a cache line. Whole lines are written from registers, past the cache with
/// Stores::streaming; of what is left at the ends the lanes that are cells are stored plainly. All
/// lanes of a step are evaluated before any is stored. What is asked for begins with the line
/// before the row, its ghost cell's, and ends with its last one, though that be no whole one: loads
/// would wait for either.
template <Stores stores, Prefetch prefetch, class Rows, class T = typename Rows::value_type>
[[gnu::always_inline]] inline void store_row(T* out, std::ptrdiff_t plane_pitch, Rows rows,
                                             std::ptrdiff_t begin, std::ptrdiff_t end,
                                             const AskedAhead& asked = {}) {
  constexpr int size = lane_count<T>, line = static_cast<int>(cache_line_bytes / sizeof(T));
  const std::ptrdiff_t first_line = (begin + line - 1) & -line, last_line = end & -line;
  const auto ask = [&](std::ptrdiff_t at) __attribute__((always_inline)) {
    if constexpr (prefetch != Prefetch::none) ask_ahead<prefetch>(rows, at, asked);
  };
  std::ptrdiff_t i = begin & -size;
  const auto store_to = [&](std::ptrdiff_t stop) __attribute__((always_inline)) {
    for (; i < stop; i += size) {
      LaneBits bits = all_lanes<T>;
      if (i < begin) bits &= all_lanes<T> << (begin - i);
      if (i + size > end) bits &= all_lanes<T> >> (i + size - end);
      const auto values = rows.template lanes<true>(i, bits);
      for_each_index<Rows::planes>([&](auto p) __attribute__((always_inline)) {
        T* const to = out + p * plane_pitch + i;
        if (stores == Stores::streaming && i >= first_line && i < last_line)
          stream_lanes(to, values.of[p]);
        else if (bits == all_lanes<T>)
          store_all_lanes(to, values.of[p]);
        else
          store_lanes(to, values.of[p], bits);
      });
    }
  };
  if constexpr (Rows::has_more_rows) ask(begin - 1);
  const std::ptrdiff_t inner_end = rows.inner_end(end);
  rows.start(i);
  store_to(std::min(first_line, end));
  for (; i + line <= inner_end; i += line) {
    ask(i);
    for (int l = 0; l < line; l += size) {
      const auto values = rows.template lanes<false>(i + l, all_lanes<T>);
      for_each_index<Rows::planes>([&](auto p) __attribute__((always_inline)) {
        T* const to = out + p * plane_pitch + i + l;
        if constexpr (stores == Stores::streaming)
          stream_lanes(to, values.of[p]);
        else
          store_all_lanes(to, values.of[p]);
      });
    }
  }
  if (i < end) ask(i);
  store_to(end);
}

}  // namespace bellwether::launch
