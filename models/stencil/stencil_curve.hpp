// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/scaling/scaling_point.hpp"
#include "models/stencil/stencil.hpp"

namespace bellwether {

/// A strong-scaling study of one stencil problem: what `predict` is asked.
struct StencilStudy {
  std::array<int, 3> cells{};
  bool periodic = true;
  std::vector<int> ranks;
  std::vector<bool> overlap = {false, true};
  std::vector<std::string> forms = {"paper", "refined"};
  StencilVariant variant;                           ///< its overlap is replaced
  std::optional<std::array<int, 3>> decomposition;  ///< absent: the fastest for each point
  std::array<bool, 3> split = {true, true, true};   ///< directions that the search may divide
  RankPlacement placement;
  std::optional<double> cells_per_s;  ///< measured rate of one rank
  bool leave_out_unfit = false;       ///< as in PredictionRequest
};

/// Most points of a curve: some 1 KB each in memory.
inline constexpr std::size_t most_scaling_points = 4'000'000;

/// Every rank count, overlap mode and form, in this nesting; computed on several threads. Throws
/// BadInput if a rank count cannot divide the cells (with leave_out_unfit: if none can) or is not
/// the given decomposition's, if a form is unknown, or for more than most_scaling_points.
std::vector<ScalingPoint> stencil_curve(const Machine& machine, const StencilKernel& kernel,
                                        const StencilStudy& study);

}  // namespace bellwether
