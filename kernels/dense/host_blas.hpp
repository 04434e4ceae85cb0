// SPDX-License-Identifier: MIT
#pragma once

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

/// Has a product take so many threads: OpenBLAS otherwise starts one for each core in every rank.
/// Other libraries take theirs from the environment; then this does nothing.
void use_blas_threads(int threads);
/// That a product takes now; 0: the library does not say.
int blas_threads();

}  // namespace bellwether
