// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "models/machine/bound.hpp"
#include "models/scaling/rank_prediction.hpp"
#include "models/stencil/rank_kind.hpp"
#include "models/stencil/stencil.hpp"

namespace bellwether {

/// One form of the stencil model for one machine, application and variant, with everything looked
/// up that does not depend on the decomposition: searches and sweeps ask it millions of times.
class StencilModel {
 public:
  virtual ~StencilModel() = default;
  [[nodiscard]] virtual const char* form() const = 0;
  /// Seconds of a step of such a rank. Throws BadInput where the machine lacks a link or rate.
  [[nodiscard]] virtual double seconds(const RankKind& kind) const = 0;
  /// The same at a bound, term by term; with its notes at Bound::value.
  [[nodiscard]] virtual RankStep step(const RankKind& kind, Bound bound) const = 0;
};

/// The machine and the kernel must outlive the model. `ranks_on_node` share a node's links and
/// memory; `cells_per_s` as in predict_stencil_paper.
std::unique_ptr<StencilModel> paper_stencil_model(const Machine& machine,
                                                  const StencilKernel& kernel,
                                                  const StencilVariant& variant, int ranks_on_node,
                                                  std::optional<double> cells_per_s = {});
std::unique_ptr<StencilModel> refined_stencil_model(const Machine& machine,
                                                    const StencilKernel& kernel,
                                                    const StencilVariant& variant,
                                                    int ranks_on_node,
                                                    std::optional<double> cells_per_s = {});

/// The form that a decomposition is chosen by: refined where the machine has measured memory
/// curves, else paper.
std::unique_ptr<StencilModel> searching_stencil_model(const Machine& machine,
                                                      const StencilKernel& kernel,
                                                      const StencilVariant& variant,
                                                      int ranks_on_node);

/// The prediction of the slowest rank, among one of each kind (models/stencil/rank_kind.hpp). Not
/// empty.
Prediction predict_slowest(const StencilModel& model, const std::vector<RankKind>& kinds);

/// Of `candidates` (the first leads among equals) the decomposition whose slowest rank is fastest.
/// Not empty.
std::array<int, 3> fastest_of(const StencilModel& model, std::array<int, 3> cells, bool periodic,
                              const RankPlacement& placement,
                              const std::vector<std::array<int, 3>>& candidates);

}  // namespace bellwether
