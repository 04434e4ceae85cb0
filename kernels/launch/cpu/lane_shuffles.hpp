// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include "kernels/launch/cpu/lanes.hpp"

/// Shuffles of registers and of parts of them. Everything is inlined: what is passed on would go
/// through memory otherwise.
namespace bellwether::launch::shuffles {

/// Part of a register: `count` values.
template <class T, int count>
struct PartOf {
  typedef T type __attribute__((vector_size(count * sizeof(T))));
};
template <class T, int count>
using Part = typename PartOf<T, count>::type;
template <int count>
using Each = std::make_index_sequence<static_cast<std::size_t>(count)>;

/// Values from[0], from[1], … of a and b, counted through.
#if defined(__CUDACC__)  // loses the pack; where it compiles, loops run on a GPU and call none of
                         // this
template <class Result, int... from, class Values>
Result shuffled(const Values& a, const Values& b);
#else
template <class Result, int... from, class Values>
[[gnu::always_inline]] inline Result shuffled(const Values& a, const Values& b) {
  return __builtin_shufflevector(a, b, from...);
}
#endif

/// Lane l is lane Way::source(l) of a, or of b where that is lane_count<T> or more.
template <class Way, class T, std::size_t... lane>
[[gnu::always_inline]] inline Lanes<T> taken(const Lanes<T>& a, const Lanes<T>& b,
                                             std::index_sequence<lane...>) {
  return shuffled<Lanes<T>, Way::source(static_cast<int>(lane), lane_count<T>)...>(a, b);
}
template <class Way, class T>
[[gnu::always_inline]] inline Lanes<T> taken(const Lanes<T>& a, const Lanes<T>& b) {
  return taken<Way, T>(a, b, Each<lane_count<T>>{});
}

/// Lane l is the one `by` later in two registers, one behind the other.
template <int by>
struct Later {
  static constexpr int source(int lane, int /*lanes*/) { return lane + by; }
};
/// GCC 12 makes the shuffle a permutation, which takes an index and overwrites one of the two; and
/// the plain instructions warn.
template <int by, class T>
[[gnu::always_inline]] inline Lanes<T> later(const Lanes<T>& a, const Lanes<T>& b) {
#if defined(__AVX512F__)
  const auto bits_a = __m512i(a), bits_b = __m512i(b);
  return Lanes<T>(sizeof(T) == 8 ? _mm512_maskz_alignr_epi64(0xff, bits_b, bits_a, by % 8)
                                 : _mm512_maskz_alignr_epi32(0xffff, bits_b, bits_a, by % 16));
#else
  return taken<Later<by>, T>(a, b);
#endif
}

/// Values [first, first + 4) of a register.
template <int first, class T>
[[gnu::always_inline]] inline Part<T, 4> four_of(const Lanes<T>& lanes) {
  return shuffled<Part<T, 4>, first, first + 1, first + 2, first + 3>(lanes, lanes);
}
/// Two parts, one behind the other. Of the plain shuffle GCC 12 makes moves and permutations; the
/// plain instruction of 64 bytes warns.
template <class T, int count, std::size_t... lane>
[[gnu::always_inline]] inline Part<T, 2 * count> both(const Part<T, count>& a,
                                                      const Part<T, count>& b,
                                                      std::index_sequence<lane...>) {
#if defined(__AVX512F__)
  if constexpr (sizeof a == 32)
    return Part<T, 2 * count>(
        _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(__m256d(a)), __m256d(b), 1));
#endif
#if defined(__AVX__)
  if constexpr (sizeof a == 16) return Part<T, 2 * count>(_mm256_set_m128d(__m128d(b), __m128d(a)));
#endif
  return shuffled<Part<T, 2 * count>, static_cast<int>(lane)...>(a, b);
}

/// A part of `count` values put together from pieces of `size` values: piece n is read from
/// at(first + n * step).
template <int count, int size, class T, class At>
[[gnu::always_inline]] inline Part<T, count> gathered(const At& at, int first, int step) {
  if constexpr (count == size) {
    Part<T, count> piece;
    std::memcpy(&piece, at(first), sizeof piece);
    return piece;
  } else if constexpr (size == 1 && count == 4) {
    return Part<T, 4>{*at(first), *at(first + step), *at(first + 2 * step), *at(first + 3 * step)};
  } else if constexpr (size * sizeof(T) == 8 && count == 2 * size) {  // each loaded into its half
    typedef double Eight __attribute__((may_alias, aligned(alignof(T))));
    return Part<T, count>(Part<double, 2>{*reinterpret_cast<const Eight*>(at(first)),
                                          *reinterpret_cast<const Eight*>(at(first + step))});
  } else {
    constexpr int half = count / 2;
    return both<T, half>(gathered<half, size, T>(at, first, step),
                         gathered<half, size, T>(at, first + half / size * step, step),
                         Each<count>{});
  }
}

/// Of fours a0 … a3 and b0 … b3: (a0 a2 b0 b2), or (a1 a3 b1 b3). One instruction within 128 bits,
/// for 4 bytes a value.
template <int which>
struct EveryOtherOfFours {
  static constexpr int source(int lane, int lanes) {
    return lane / 4 * 4 + lane % 2 * 2 + which + (lane % 4 < 2 ? 0 : lanes);
  }
};

/// One lane of each four in all of the four; with two lanes, lane `from` % 2 in both.
template <int from>
struct OneOfFours {
  static constexpr int source(int lane, int lanes) {
    return lanes == 2 ? from % 2 : lane / 4 * 4 + from;
  }
};

/// Lanes 0, 2, 4, … of two registers one behind the other; or 1, 3, 5, ….
template <int first>
struct EveryOther {
  static constexpr int source(int lane, int) { return first + 2 * lane; }
};

/// Of pairs (a0 a1), (b0 b1): the pair (a0 b0), or (a1 b1).
template <int value>
struct OfPairs {
  static constexpr int source(int lane, int lanes) {
    return lane / 2 * 2 + value + (lane % 2 == 0 ? 0 : lanes);
  }
};

/// Of fours a0 … a3 and b0 … b3: (a0 b0 a2 b2), or (a1 b1 a3 b3), for 8 bytes a value; (a0 b0 a1
/// b1) or (a2 b2 a3 b3) for 4. Each is one instruction within 128 bits.
template <int which, int value_bytes>
struct InTurn {
  static constexpr int source(int lane, int lanes) {
    const int four = lane / 4 * 4, place = lane % 4;
    const int value = value_bytes == 8 ? place / 2 * 2 + which : place / 2 + 2 * which;
    return four + value + (place % 2 == 0 ? 0 : lanes);
  }
};
/// The first, or the second, halves of fours a and b.
template <int half>
struct Halves {
  static constexpr int source(int lane, int lanes) {
    const int four = lane / 4 * 4, place = lane % 4;
    return four + 2 * half + place % 2 + (place < 2 ? 0 : lanes);
  }
};

}  // namespace bellwether::launch::shuffles
