// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

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
/// One bit for each lane, the first the lowest.
using LaneBits = unsigned;
template <class T>
inline constexpr LaneBits all_lanes = (1u << lane_count<T>)-1;

/// All bits of a lane set, or none: `mask ? a : b` takes those lanes from a, the others from b.
template <class T>
using LaneMask = decltype(Lanes<T>{} == Lanes<T>{});
/// Set where a lane's byte is 0.
template <class T>
LaneMask<T> mask_of_zeros(const unsigned char* bytes) {
  typedef unsigned char Bytes __attribute__((vector_size(lane_count<T>)));
  Bytes all;
  std::memcpy(&all, bytes, sizeof all);
  return __builtin_convertvector(all, LaneMask<T>) == 0;
}

template <class T>
Lanes<T> load_all_lanes(const T* from) {
  Lanes<T> lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
template <class T>
void store_all_lanes(T* to, const Lanes<T>& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

/// Lanes from the start of the register's worth of memory in which `at` stands to it.
template <class T>
std::ptrdiff_t lanes_before(const T* at) {
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(at) % lanes_bytes /
                                     sizeof(T));
}

/// Asks for a line that will be read and written soon. The empty statement is an effect: GCC drops
/// calls of a function that does no more than prefetch.
inline void fetch_line(const void* at) {
  __builtin_prefetch(at, 1, 3);
  asm volatile("");
}

/// Only lanes whose bit is set touch memory; others are loaded as 0.
#if defined(__AVX512F__)
inline Lanes<float> load_lanes(const float* from, LaneBits bits) {
  return Lanes<float>(_mm512_maskz_loadu_ps(static_cast<__mmask16>(bits), from));
}
inline Lanes<double> load_lanes(const double* from, LaneBits bits) {
  return Lanes<double>(_mm512_maskz_loadu_pd(static_cast<__mmask8>(bits), from));
}
/// The lanes given, those whose bit is set loaded anew.
inline Lanes<float> load_lanes_into(const Lanes<float>& lanes, const float* from, LaneBits bits) {
  return Lanes<float>(_mm512_mask_loadu_ps(lanes, static_cast<__mmask16>(bits), from));
}
inline Lanes<double> load_lanes_into(const Lanes<double>& lanes, const double* from,
                                     LaneBits bits) {
  return Lanes<double>(_mm512_mask_loadu_pd(lanes, static_cast<__mmask8>(bits), from));
}
inline void store_lanes(float* to, const Lanes<float>& lanes, LaneBits bits) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>(bits), lanes);
}
inline void store_lanes(double* to, const Lanes<double>& lanes, LaneBits bits) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>(bits), lanes);
}
#else
template <class T>
Lanes<T> load_lanes_into(Lanes<T> lanes, const T* from, LaneBits bits) {
  for (int l = 0; l < lane_count<T>; ++l)
    if ((bits >> l & 1) != 0) lanes[l] = from[l];
  return lanes;
}
template <class T>
Lanes<T> load_lanes(const T* from, LaneBits bits) {
  return load_lanes_into(Lanes<T>{}, from, bits);
}
template <class T>
void store_lanes(T* to, const Lanes<T>& lanes, LaneBits bits) {
  for (int l = 0; l < lane_count<T>; ++l)
    if ((bits >> l & 1) != 0) to[l] = lanes[l];
}
#endif

}  // namespace bellwether::launch

namespace bellwether {

/// Of each lane (host_device.hpp).
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

inline auto reciprocal(const launch::Lanes<float>& x) { return launch::Lanes<float>(1 / x); }
inline auto reciprocal(const launch::Lanes<double>& x) { return launch::Lanes<double>(1 / x); }

/// Of each lane (host_device.hpp): its sign bit cleared.
inline auto absolute(const launch::Lanes<float>& x) {
  typedef std::int32_t Bits __attribute__((vector_size(launch::lanes_bytes)));
  return launch::Lanes<float>(Bits(x) & 0x7fffffff);
}
inline auto absolute(const launch::Lanes<double>& x) {
  typedef std::int64_t Bits __attribute__((vector_size(launch::lanes_bytes)));
  return launch::Lanes<double>(Bits(x) & 0x7fffffffffffffff);
}

}  // namespace bellwether
