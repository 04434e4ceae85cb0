// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "models/stencil/rank_kind.hpp"
#include "models/stencil/stencil.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// Messages across the edges that run along a direction: how many go to ranks of the same node and
/// of another, and what each bears.
struct EdgeMessages {
  double bytes = 0;
  int same_node = 0;
  int other_node = 0;

  [[nodiscard]] int count() const { return same_node + other_node; }
};

/// One step of a rank of a kind, in numbers. Kernels that the step lacks have no launches.
struct StencilWork {
  KernelWork boundary;
  KernelWork interior;
  KernelWork faces;                       ///< pack, and unpack just as well
  std::array<double, 6> message_bytes{};  ///< x low, x high, y low, ...; 0 where nobody is across
  std::array<EdgeMessages, 3> edges{};    ///< along x, y and z
  int messages = 0;                       ///< of faces
  double working_set_bytes = 0;
};

StencilWork stencil_work(const StencilKernel& kernel, const RankKind& kind, double element_bytes,
                         bool overlap);

}  // namespace bellwether
