// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// Compute-bound kernels. T is float or double.
template <class T>
class DenseKernels {
 public:
  virtual ~DenseKernels() = default;
  /// Chains of multiply-adds held in registers: x = x a + b, `repeats` times in each chain, with
  /// enough independent chains to fill the device's pipelines. `out` takes `out_size()` values, so
  /// that nothing is optimized away.
  virtual void multiply_add(long repeats, T* out, Stream& stream) = 0;
  [[nodiscard]] virtual std::size_t out_size() const = 0;
  /// Flops that multiply_add(repeats) does: two for each multiply-add.
  [[nodiscard]] virtual double multiply_add_flops(long repeats) const = 0;
  /// Loads the library that gemm() calls. Throws std::runtime_error with its name if that cannot
  /// be.
  virtual void prepare_gemm() = 0;
  /// The file and version of that library where it was looked for when the program ran; empty where
  /// the program is linked with it, and before prepare_gemm().
  [[nodiscard]] virtual std::string gemm_library() const { return {}; }
  /// C = A B, column-major n x n matrices in device memory (2 n^3 flops): a library call (CBLAS,
  /// cuBLAS). Throws as prepare_gemm().
  virtual void gemm(int n, const T* a, const T* b, T* c, Stream& stream) = 0;
};

}  // namespace bellwether
