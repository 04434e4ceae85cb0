// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/launch/device.hpp"
#include "kernels/lbm/lbm.hpp"
#include "miniapps/lbm/lbm_problem.hpp"
#include "miniapps/lbm/taylor_green.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {

/// The flow that a problem starts as, as tables for a rank's cells in device memory: vortices, a
/// parabola between plates, or the same velocity everywhere; with the drift.
class LbmStart {
 public:
  LbmStart(Device& device, const LbmProblem& problem, const Decomposition& decomposition, int rank);

  /// With the pattern where the drift has carried it after so many steps. What a step sends out is
  /// a step older than what the next finds: the initial state is that of -1 steps.
  [[nodiscard]] LbmFlow after(long steps, Stream& stream);
  /// Bytes of a rank's tables.
  static std::size_t table_bytes(std::array<int, 3> cells);

 private:
  [[nodiscard]] double factor(int component, int direction, int cell, double moved) const;
  [[nodiscard]] double excess_density(int direction, int cell) const;

  Device& device_;
  LbmProblem problem_;
  TaylorGreen vortices_;
  std::array<int, 3> first_, cells_;
  Buffer<double> table_;
};

}  // namespace bellwether
