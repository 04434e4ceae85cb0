// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "models/rank_kind.hpp"
#include "models/stencil.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// One step of a rank of a kind, in numbers; stencil_workload is the same with its terms' names.
/// Kernels that the step lacks have no launches.
struct StencilWork {
  KernelWork boundary;
  KernelWork interior;
  KernelWork faces;                       ///< pack, and unpack just as well
  std::array<double, 6> message_bytes{};  ///< x low, x high, y low, ...; 0 where nobody is across
  int messages = 0;
  double working_set_bytes = 0;
};

StencilWork stencil_work(const StencilKernel& kernel, const RankKind& kind, double element_bytes,
                         bool overlap);

}  // namespace bellwether
