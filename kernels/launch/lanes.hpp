// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bellwether::launch {

/// Bytes of a CPU's vector register, as far as the compiler may use it.
#if defined(__AVX512F__)
inline constexpr int lanes_bytes = 64;
#elif defined(__AVX__)
inline constexpr int lanes_bytes = 32;
#else
inline constexpr int lanes_bytes = 16;
#endif

template <class T>
inline constexpr int lane_count = lanes_bytes / static_cast<int>(sizeof(T));

/// A register of neighbouring cells' values (a vector of GCC's and Clang's): a body written for a
/// number computes with it, each lane rounded as the number would be.
template <class T>
struct LanesOf {
  typedef T type __attribute__((vector_size(lanes_bytes)));
};
template <class T>
using Lanes = typename LanesOf<T>::type;
/// All bits set in the lanes that are meant, none in the others.
template <class T>
using LaneMask = Lanes<std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;

template <class T>
Lanes<T> load_lanes(const T* from) {
  Lanes<T> lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
template <class T>
void store_lanes(T* to, const Lanes<T>& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

/// The lanes [begin, end) alone touch memory, at from[begin] and so on; the others are 0.
template <class T>
Lanes<T> load_lanes(const T* from, int begin, int end) {
  Lanes<T> lanes{};
  for (int l = begin; l < end; ++l) lanes[l] = from[l];
  return lanes;
}
template <class T>
void store_lanes(T* to, const Lanes<T>& lanes, int begin, int end) {
  for (int l = begin; l < end; ++l) to[l] = lanes[l];
}

/// The lanes whose byte of a mask is not 0.
template <class T>
LaneMask<T> lanes_where(const unsigned char* bytes) {
  LaneMask<T> mask;
  for (int l = 0; l < lane_count<T>; ++l) mask[l] = bytes[l] != 0 ? -1 : 0;
  return mask;
}

}  // namespace bellwether::launch

namespace bellwether {

/// Of each lane (square_root.hpp).
inline auto square_root(const launch::Lanes<float>& x) {
#if defined(__AVX512F__)
  return launch::Lanes<float>(_mm512_maskz_sqrt_ps(0xffff, x));  // the plain one warns (GCC 12)
#elif defined(__AVX__)
  return launch::Lanes<float>(_mm256_sqrt_ps(x));
#elif defined(__x86_64__)
  return launch::Lanes<float>(_mm_sqrt_ps(x));
#else
  launch::Lanes<float> root{};
  for (int l = 0; l < launch::lane_count<float>; ++l) root[l] = std::sqrt(x[l]);
  return root;
#endif
}
inline auto square_root(const launch::Lanes<double>& x) {
#if defined(__AVX512F__)
  return launch::Lanes<double>(_mm512_maskz_sqrt_pd(0xff, x));
#elif defined(__AVX__)
  return launch::Lanes<double>(_mm256_sqrt_pd(x));
#elif defined(__x86_64__)
  return launch::Lanes<double>(_mm_sqrt_pd(x));
#else
  launch::Lanes<double> root{};
  for (int l = 0; l < launch::lane_count<double>; ++l) root[l] = std::sqrt(x[l]);
  return root;
#endif
}

}  // namespace bellwether
