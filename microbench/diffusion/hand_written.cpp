// SPDX-License-Identifier: MIT
#include "microbench/diffusion/hand_written.hpp"

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bellwether {
namespace {

/// One row of the update: f at the row's first cell, results to `to`.
template <class T>
struct Row {
  const T* f;
  T* to;
  std::ptrdiff_t row, plane;
  int cells;
  DiffusionCoefficients<T> c;

  void plain(int from) const {
    for (int i = from; i < cells; ++i)
      to[i] = c.centre * f[i] + c.x * (f[i - 1] + f[i + 1]) + c.y * (f[i - row] + f[i + row]) +
              c.z * (f[i - plane] + f[i + plane]);
  }
};

#if defined(__x86_64__)
__attribute__((target("avx512f"))) int wide(const Row<double>& r) {
  const __m512d centre = _mm512_set1_pd(r.c.centre), x = _mm512_set1_pd(r.c.x),
                y = _mm512_set1_pd(r.c.y), z = _mm512_set1_pd(r.c.z);
  int i = 0;
  for (; i + 8 <= r.cells; i += 8) {
    const double* const f = r.f + i;
    __m512d sum = centre * _mm512_loadu_pd(f);
    sum += x * (_mm512_loadu_pd(f - 1) + _mm512_loadu_pd(f + 1));
    sum += y * (_mm512_loadu_pd(f - r.row) + _mm512_loadu_pd(f + r.row));
    sum += z * (_mm512_loadu_pd(f - r.plane) + _mm512_loadu_pd(f + r.plane));
    _mm512_stream_pd(r.to + i, sum);
  }
  return i;
}

__attribute__((target("avx512f"))) int wide(const Row<float>& r) {
  const __m512 centre = _mm512_set1_ps(r.c.centre), x = _mm512_set1_ps(r.c.x),
               y = _mm512_set1_ps(r.c.y), z = _mm512_set1_ps(r.c.z);
  int i = 0;
  for (; i + 16 <= r.cells; i += 16) {
    const float* const f = r.f + i;
    __m512 sum = centre * _mm512_loadu_ps(f);
    sum += x * (_mm512_loadu_ps(f - 1) + _mm512_loadu_ps(f + 1));
    sum += y * (_mm512_loadu_ps(f - r.row) + _mm512_loadu_ps(f + r.row));
    sum += z * (_mm512_loadu_ps(f - r.plane) + _mm512_loadu_ps(f + r.plane));
    _mm512_stream_ps(r.to + i, sum);
  }
  return i;
}

int narrow(const Row<double>& r) {
  const __m128d centre = _mm_set1_pd(r.c.centre), x = _mm_set1_pd(r.c.x), y = _mm_set1_pd(r.c.y),
                z = _mm_set1_pd(r.c.z);
  int i = 0;
  for (; i + 2 <= r.cells; i += 2) {
    const double* const f = r.f + i;
    __m128d sum = centre * _mm_loadu_pd(f);
    sum += x * (_mm_loadu_pd(f - 1) + _mm_loadu_pd(f + 1));
    sum += y * (_mm_loadu_pd(f - r.row) + _mm_loadu_pd(f + r.row));
    sum += z * (_mm_loadu_pd(f - r.plane) + _mm_loadu_pd(f + r.plane));
    _mm_stream_pd(r.to + i, sum);
  }
  return i;
}

int narrow(const Row<float>& r) {
  const __m128 centre = _mm_set1_ps(r.c.centre), x = _mm_set1_ps(r.c.x), y = _mm_set1_ps(r.c.y),
               z = _mm_set1_ps(r.c.z);
  int i = 0;
  for (; i + 4 <= r.cells; i += 4) {
    const float* const f = r.f + i;
    __m128 sum = centre * _mm_loadu_ps(f);
    sum += x * (_mm_loadu_ps(f - 1) + _mm_loadu_ps(f + 1));
    sum += y * (_mm_loadu_ps(f - r.row) + _mm_loadu_ps(f + r.row));
    sum += z * (_mm_loadu_ps(f - r.plane) + _mm_loadu_ps(f + r.plane));
    _mm_stream_ps(r.to + i, sum);
  }
  return i;
}

template <class T>
void update_row(const Row<T>& row) {
  static const bool has_wide = __builtin_cpu_supports("avx512f");
  row.plain(has_wide ? wide(row) : narrow(row));
}
void drain() { _mm_sfence(); }
#else
template <class T>
void update_row(const Row<T>& row) {
  row.plain(0);
}
void drain() {}
#endif

template <class T>
void update(const GridLayout& layout, const Box& box, const T* from, T* to,
            const DiffusionCoefficients<T>& c) {
  for (int k = box.low[2]; k < box.high[2]; ++k)
    for (int j = box.low[1]; j < box.high[1]; ++j) {
      const std::ptrdiff_t start = layout.at(0, j, k);
      update_row(Row<T>{from + start, to + start, layout.row_pitch(), layout.plane_pitch(),
                        box.high[0], c});
    }
  drain();
}

}  // namespace

void hand_written_update(const GridLayout& layout, const Box& box, const float* from, float* to,
                         const DiffusionCoefficients<float>& coefficients) {
  update(layout, box, from, to, coefficients);
}
void hand_written_update(const GridLayout& layout, const Box& box, const double* from, double* to,
                         const DiffusionCoefficients<double>& coefficients) {
  update(layout, box, from, to, coefficients);
}

}  // namespace bellwether
