// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"
#include "models/prediction.hpp"
#include "models/scaling/rank_prediction.hpp"
#include "models/stencil/decomposition.hpp"
#include "models/stencil/rank_kind.hpp"
#include "models/stencil/stencil_work.hpp"

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
  /// `contention_s`: what the topology adds to messages between nodes.
  [[nodiscard]] virtual RankStep step(const RankKind& kind, Bound bound,
                                      double contention_s) const = 0;
};

/// The prediction of the slowest rank, among one of each kind (models/stencil/rank_kind.hpp; not
/// empty), of which so many cells make imbalance.
Prediction predict_slowest(const StencilModel& model, const std::vector<RankKind>& kinds,
                           double contention_s, double mean_cells);

/// What the machine's topology adds to the messages of all ranks at once
/// (models/network/routes.hpp).
double stencil_contention(const Machine& machine, const StencilKernel& kernel,
                          const Decomposition& decomposition, const RankPlacement& placement,
                          const StencilVariant& variant);

/// Of `candidates`, the first of which has the least surface, the decomposition whose slowest rank
/// `form` has fastest. Of those no more than 2 % slower, but not slower than the first, the one
/// that `other` has fastest (absent: that with the least time); among equals the earliest. Not
/// empty.
std::array<int, 3> fastest_of(const StencilModel& form, const StencilModel* other,
                              std::array<int, 3> cells, bool periodic,
                              const RankPlacement& placement,
                              const std::vector<std::array<int, 3>>& candidates);

/// The same of all factorizations of `ranks` in the refined form, which a run is laid out by, with
/// the paper form as the other. Throws BadInput if there is none.
std::array<int, 3> fastest_decomposition(const Machine& machine, const StencilKernel& kernel,
                                         std::array<int, 3> cells, int ranks, bool periodic,
                                         const StencilVariant& variant,
                                         const RankPlacement& placement);

}  // namespace bellwether
