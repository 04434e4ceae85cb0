// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

// What kernel bodies are written with, on the host and on the device.

/// Marks a function that a kernel body calls on the host and on the device.
/// Kokkos' own macro marks nothing where Kokkos was built without a device, although the native
/// CUDA backend compiles the same bodies; and bodies include neither Kokkos nor CUDA headers.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define BELLWETHER_HOST_DEVICE __host__ __device__ inline
#else
#define BELLWETHER_HOST_DEVICE inline
#endif

namespace bellwether {

/// |x|. A body calls it unqualified, for numbers and for lanes of them.
BELLWETHER_HOST_DEVICE float absolute(float x) { return fabsf(x); }
BELLWETHER_HOST_DEVICE double absolute(double x) { return fabs(x); }

/// Correctly rounded on every backend (IEEE 754). A body calls it unqualified, for numbers and for
/// lanes of them.
BELLWETHER_HOST_DEVICE float square_root(float x) { return sqrtf(x); }
BELLWETHER_HOST_DEVICE double square_root(double x) { return sqrt(x); }

/// 1 / x, correctly rounded on every backend (IEEE 754), so that both ways give the same bits; a
/// GPU has it in fewer instructions than a division. A body calls it unqualified, for numbers and
/// for lanes of them.
#if defined(__CUDA_ARCH__)
BELLWETHER_HOST_DEVICE float reciprocal(float x) { return __frcp_rn(x); }
BELLWETHER_HOST_DEVICE double reciprocal(double x) { return __drcp_rn(x); }
#else
BELLWETHER_HOST_DEVICE float reciprocal(float x) { return 1 / x; }
BELLWETHER_HOST_DEVICE double reciprocal(double x) { return 1 / x; }
#endif

/// x, of which a GPU's compiler forgets how it came about: what is computed from it again is not
/// kept in registers meanwhile.
template <class Integer>
BELLWETHER_HOST_DEVICE Integer computed_anew(Integer x) {
#if defined(__CUDA_ARCH__) && defined(__CUDACC__)
  if constexpr (sizeof x == 4)
    asm volatile("" : "+r"(x));
  else
    asm volatile("" : "+l"(x));
#endif
  return x;
}

/// splitmix64's finalizer (Steele, Lea, Flood 2014): spreads every bit of x over the result.
BELLWETHER_HOST_DEVICE std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// A number's bits, in the low ones of 64.
template <class T>
BELLWETHER_HOST_DEVICE std::uint64_t bits_of(const T& value) {
  const auto* from = reinterpret_cast<const unsigned char*>(&value);
  std::uint64_t bits = 0;
  for (std::size_t byte = 0; byte < sizeof(T); ++byte)
    bits |= static_cast<std::uint64_t>(from[byte]) << (8 * byte);
  return bits;
}

}  // namespace bellwether
