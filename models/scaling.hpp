// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/scaling_point.hpp"
#include "models/stencil.hpp"

namespace bellwether {

/// A strong-scaling study of one stencil problem: what `predict` is asked.
struct ScalingStudy {
  std::array<int, 3> cells{};
  bool periodic = true;
  std::vector<int> ranks;
  std::vector<bool> overlap = {false, true};
  std::vector<std::string> forms = {"paper", "refined"};
  StencilVariant variant;                           ///< its overlap is replaced
  std::optional<std::array<int, 3>> decomposition;  ///< absent: the fastest for each point
  RankPlacement placement;
  std::optional<double> cells_per_s;  ///< measured rate of one rank
};

/// Every rank count, overlap mode and form, in this nesting. Throws BadInput if a rank count cannot
/// divide the cells, is not the given decomposition's, or a form is unknown.
std::vector<ScalingPoint> scaling_curve(const Machine& machine, const StencilKernel& kernel,
                                        const ScalingStudy& study);

}  // namespace bellwether
