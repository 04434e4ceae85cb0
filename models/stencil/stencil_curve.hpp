// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/scaling/scaling_point.hpp"
#include "models/stencil/stencil_work.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// A strong-scaling study of one stencil problem: what `predict` is asked.
struct StencilStudy {
  std::array<int, 3> cells{};
  bool periodic = true;
  StencilVariant variant;                           ///< its overlap is replaced
  std::optional<std::array<int, 3>> decomposition;  ///< absent: the fastest for each point
  std::array<bool, 3> split = {true, true, true};   ///< directions that the search may divide
  std::optional<double> cells_per_s;                ///< measured rate of one rank
  SolidsOf solids{};                                ///< null: all cells are fluid
  PredictionRequest request;
};

/// As scaling_curve. A rank count that is not the given decomposition's refuses the curve.
std::vector<ScalingPoint> stencil_curve(const Machine& machine, const StencilKernel& kernel,
                                        const StencilStudy& study);

/// Time steps of a stencil application; the study's request is of one rank count and overlap mode.
/// The machine must outlive it.
std::unique_ptr<Trace> stencil_trace(const Machine& machine, const StencilKernel& kernel,
                                     const StencilStudy& study);

}  // namespace bellwether
