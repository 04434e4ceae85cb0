// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/launch/cuda_check.cuh"
#include "kernels/launch/grid.hpp"

namespace bellwether::cuda {

/// The 16 bytes that a thread can move with one instruction, as registers.
template <class T>
struct Vector;
template <>
struct Vector<float> {
  using Word = float4;
  static constexpr int size = 4;
  float at[size];
};
template <>
struct Vector<double> {
  using Word = double2;
  static constexpr int size = 2;
  double at[size];
};

/// Both pointers are aligned to 16 bytes. What is loaded is not written by the same kernel: the
/// loads may then be moved before stores, and more of them are in flight.
template <class T>
__device__ Vector<T> load_vector(const T* from) {
  const auto word = __ldg(reinterpret_cast<const typename Vector<T>::Word*>(from));
  if constexpr (sizeof(T) == 4)
    return {{word.x, word.y, word.z, word.w}};
  else
    return {{word.x, word.y}};
}

/// Streaming stores mark the lines as the first to leave L2, which is then left to what is read.
template <Stores stores, class T>
__device__ void store_vector(T* to, const Vector<T>& from) {
  typename Vector<T>::Word word;
  if constexpr (sizeof(T) == 4)
    word = {from.at[0], from.at[1], from.at[2], from.at[3]};
  else
    word = {from.at[0], from.at[1]};
  auto* at = reinterpret_cast<typename Vector<T>::Word*>(to);
  if constexpr (stores == Stores::streaming)
    __stcs(at, word);
  else
    *at = word;
}

}  // namespace bellwether::cuda
