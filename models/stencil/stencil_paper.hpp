// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "models/stencil/stencil_model.hpp"

namespace bellwether {

/// The machine and the kernel must outlive the model. `ranks_on_node` share a node's links and
/// memory; `cells_per_s` a measured rate of one rank.
std::unique_ptr<StencilModel> paper_stencil_model(const Machine& machine,
                                                  const StencilKernel& kernel,
                                                  const StencilVariant& variant, int ranks_on_node,
                                                  std::optional<double> cells_per_s = {});

/// Shimokawabe, Eq. 1-5 on the real decomposition: T = V/P + C, or max(V/P, C) with overlap, where
/// C = sum_j s_j (2 g / B_net(s_j) + 2 / B_pcie(s_j)). P comes from the Improved Roofline (Eq. 1,
/// alpha = 0, every access counted) unless `cells_per_s` gives a measured rate of one rank.
/// Terms: compute.interior, network, copy (both directions). Of the slowest rank
/// (models/stencil/rank_kind.hpp).
Prediction predict_stencil_paper(const Machine& machine, const StencilKernel& kernel,
                                 const Decomposition& decomposition, const StencilVariant& variant,
                                 const RankPlacement& placement,
                                 std::optional<double> cells_per_s = {});

}  // namespace bellwether
