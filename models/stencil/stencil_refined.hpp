// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "models/noise/noise_wait.hpp"
#include "models/stencil/stencil_model.hpp"
#include "models/step/rank_program.hpp"

namespace bellwether {

/// The refined form: a step of each kind of rank as a program.
class RefinedStencilModel : public StencilModel {
 public:
  [[nodiscard]] virtual RankProgram program(const RankKind& kind, Bound bound,
                                            double contention_s) const = 0;
  /// Adds what such a step needs beyond the calibrated range.
  virtual void note(const RankKind& kind, std::vector<std::string>& notes) const = 0;

  [[nodiscard]] const char* form() const final { return "refined"; }
  [[nodiscard]] double seconds(const RankKind& kind) const final;
  [[nodiscard]] RankStep step(const RankKind& kind, Bound bound, double contention_s) const final;
};

/// The machine must outlive the model. `ranks_on_node` share a node's links and
/// memory; `cells_per_s` a measured rate of one rank.
std::unique_ptr<RefinedStencilModel> refined_stencil_model(const Machine& machine,
                                                           const StencilKernel& kernel,
                                                           const StencilVariant& variant,
                                                           int ranks_on_node,
                                                           std::optional<double> cells_per_s = {});

/// The refined form: T = T_boundary + T_pack + T_to_host + (T_interior + T_net - hidden) +
/// T_to_device + T_unpack with hidden = min(T_interior, h T_net), h the link's hideable share;
/// on a GPU with overlap both copies run beside the interior, T_net is T_to_host + T_net +
/// T_to_device, and its exposed part is the term network;
/// compute as in kernel_time, from the measured bandwidth at the kernel's working set and the
/// arithmetic; links in segments, sharing as measured; and what the machine's noise has ranks wait
/// for their neighbours. Terms as in the design. Of the slowest rank
/// (models/stencil/rank_kind.hpp); `solids`: of each rank, empty where all cells are fluid.
Prediction predict_stencil_refined(const Machine& machine, const StencilKernel& kernel,
                                   const Decomposition& decomposition,
                                   const StencilVariant& variant, const RankPlacement& placement,
                                   std::optional<double> cells_per_s = {},
                                   const std::vector<SolidWork>& solids = {});

/// The same of a model from refined_stencil_model() for the machine's ranks per node, whose `noise`
/// several predictions may share.
Prediction predict_stencil_refined(const StencilModel& model, const Machine& machine,
                                   const StencilKernel& kernel, const Decomposition& decomposition,
                                   const StencilVariant& variant, const RankPlacement& placement,
                                   const std::vector<RankKind>& kinds, const NoiseWait& noise);

}  // namespace bellwether
