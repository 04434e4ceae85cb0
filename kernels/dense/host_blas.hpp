// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace bellwether {

/// What the CPU's BLAS says of itself; empty what it does not, as others than OpenBLAS.
struct HostBlas {
  std::string core;    ///< whose kernels it runs: "SkylakeX"
  std::string config;  ///< "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=128"
  /// "OpenBLAS 0.3.21, SkylakeX kernels"; "CBLAS" where it does not say.
  [[nodiscard]] std::string name() const;
  /// Its integers have 64 bits where ours, and CBLAS' by default, have 32.
  [[nodiscard]] bool has_long_integers() const;
};
HostBlas host_blas();
/// Its name. Throws std::runtime_error where it cannot be called: with matrices in a device's
/// memory (`on_host` false), or where its integers have 64 bits.
std::string usable_blas(bool on_host);

/// The vector registers that kernels use, or that a processor has, narrowest first.
enum class VectorWidth { sse, avx, avx2, avx512 };
/// Of the processor that this runs on; absent where it is no x86.
std::optional<VectorWidth> processor_width();
/// What OpenBLAS' kernels leave unused of a processor, with the remedy, as where it does not know a
/// newer model and takes those of a Prescott; empty where they use all, or nobody can tell. `core`:
/// HostBlas's.
std::string blas_remark(const std::string& core, std::optional<VectorWidth> processor);
/// Of this process; empty too where OPENBLAS_CORETYPE asks for the kernels.
std::string blas_remark();

/// Has a product take so many threads: OpenBLAS otherwise starts one for each core in every rank.
/// Other libraries take theirs from the environment; then this does nothing.
void use_blas_threads(int threads);
/// That a product takes now; 0: the library does not say.
int blas_threads();

// In host memory, column-major, `ld` values from column to column.

/// c -= l w^T: c rows x columns, l rows x inner, w columns x inner.
void subtract_product(double* c, long ldc, const double* l, long ldl, const double* w, long ldw,
                      long rows, long columns, long inner);
void subtract_product(float* c, long ldc, const float* l, long ldl, const float* w, long ldw,
                      long rows, long columns, long inner);

enum class Diagonal { stored, ones };
/// b = b L^-T: b rows x width, L the lower triangle at `l`, its diagonal stored there or all ones.
/// By halves of L's columns down to a cache line of them: BLAS libraries multiply faster than they
/// solve.
template <class T>
void solve_triangle(T* b, long ldb, const T* l, long ldl, long rows, long width, Diagonal diagonal);

}  // namespace bellwether
