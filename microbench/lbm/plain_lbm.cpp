// SPDX-License-Identifier: MIT
#include "microbench/lbm/plain_lbm.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "kernels/lbm/lattice.hpp"

namespace bellwether {
namespace {

using Numbers = std::make_integer_sequence<int, d3q19::populations>;

/// Component d of the velocity of population i.
constexpr int velocity(int i, int d) {
  return i == 0 ? 0 : (i % 2 == 1 ? 1 : -1) * d3q19::velocity[(i - 1) / 2][d];
}
constexpr double weight(int i) { return i == 0 ? d3q19::rest_weight : d3q19::weight((i - 1) / 2); }

/// A row of cells: each population's first cell, counted from `from` and from `to`.
struct Places {
  std::array<std::ptrdiff_t, d3q19::populations> from, to;
};

/// sum + component * value, of a component that is 1, 0 or -1.
template <int component, class T>
[[gnu::always_inline]] inline T with(T sum, T value) {
  if constexpr (component == 0) return sum;
  return component > 0 ? sum + value : sum - value;
}
/// c . u of population i.
template <int i, class T>
[[gnu::always_inline]] inline T along(T u, T v, T w) {
  return with<velocity(i, 2)>(with<velocity(i, 1)>(with<velocity(i, 0)>(T(0), u), v), w);
}

template <class T, int... i>
[[gnu::always_inline]] inline void relax_row(const T* from, T* to, const Places& at, int cells,
                                             T omega, std::integer_sequence<int, i...>) {
  const T* const reach[] = {from + at.from[i]...};
  T* const leave[] = {to + at.to[i]...};
#pragma omp simd
  for (int x = 0; x < cells; ++x) {
    const T f[] = {reach[i][x]...};
    const T density = (f[i] + ...);
    T u = 0, v = 0, w = 0;
    ((u = with<velocity(i, 0)>(u, f[i])), ...);
    ((v = with<velocity(i, 1)>(v, f[i])), ...);
    ((w = with<velocity(i, 2)>(w, f[i])), ...);
    u /= density, v /= density, w /= density;
    const T still = T(1) - T(1.5) * (u * u + v * v + w * w);
    const T moving[] = {along<i>(u, v, w)...};
    ((leave[i][x] =
          f[i] - omega * (f[i] - T(weight(i)) * density *
                                     (still + T(3) * moving[i] + T(4.5) * moving[i] * moving[i]))),
     ...);
  }
}

template <class T>
void relax(const T* from, T* to, const Places& at, int cells, T omega) {
  relax_row(from, to, at, cells, omega, Numbers());
}
#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2"))) void relax_wide(const T* from, T* to, const Places& at, int cells,
                                                T omega) {
  relax_row(from, to, at, cells, omega, Numbers());
}
bool has_wide() { return __builtin_cpu_supports("avx2") != 0; }
#else
template <class T>
void relax_wide(const T* from, T* to, const Places& at, int cells, T omega) {
  relax(from, to, at, cells, omega);
}
bool has_wide() { return false; }
#endif

template <class T>
void step(const GridLayout& layout, const T* from, T* to, T tau) {
  const auto row = has_wide() ? relax_wide<T> : relax<T>;
  const auto& [columns, rows, planes] = layout.cells();
  for (int z = 0; z < planes; ++z)
    for (int y = 0; y < rows; ++y) {
      Places at;
      for (int i = 0; i < d3q19::populations; ++i) {
        const auto array = static_cast<std::ptrdiff_t>(layout.elements()) * i;
        const auto n = static_cast<std::size_t>(i);
        at.from[n] = array + layout.at(-velocity(i, 0), y - velocity(i, 1), z - velocity(i, 2));
        at.to[n] = array + layout.at(0, y, z);
      }
      row(from, to, at, columns, T(1) / tau);
    }
}

}  // namespace

void plain_lbm_step(const GridLayout& layout, const float* from, float* to, float tau) {
  step(layout, from, to, tau);
}
void plain_lbm_step(const GridLayout& layout, const double* from, double* to, double tau) {
  step(layout, from, to, tau);
}

}  // namespace bellwether
