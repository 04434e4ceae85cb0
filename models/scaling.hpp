// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

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

struct ScalingPoint {
  int ranks;
  bool overlap;
  std::string form;
  Prediction prediction;
  Decomposition decomposition;
};

/// Every rank count, overlap mode and form, in this nesting. Throws BadInput if a rank count cannot
/// divide the cells, is not the given decomposition's, or a form is unknown.
std::vector<ScalingPoint> scaling_curve(const Machine& machine, const StencilKernel& kernel,
                                        const ScalingStudy& study);

/// The smallest rank count of a form at which communication takes longer than the interior update,
/// so that no overlap can hide it any more; absent if it never does. Of the points with overlap. In
/// the paper form this is where it is no longer fully hidden.
std::optional<int> communication_bound_from(const std::vector<ScalingPoint>& points,
                                            const std::string& form);

}  // namespace bellwether
