// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "miniapps/driver/options.hpp"
#include "miniapps/stencil/stencil_problem.hpp"
#include "models/stencil/stencil_curve.hpp"

namespace bellwether {

/// The variants that a run of a stencil application asks for.
class StencilRunOptions {
 public:
  /// `chooses_stores`: the application has more than one kind of store.
  void add_to(Options& options, bool chooses_stores);
  [[nodiscard]] std::vector<StencilRunVariant> variants() const;

 private:
  OverlapOption overlap_;
  StencilRunVariant variant_;
};

/// What `predict` asks beside the problem for every stencil application.
class StencilPredictionOptions {
 public:
  /// `chooses_stores`: the application has more than one kind of store.
  void add_to(Options& options, bool chooses_stores);
  [[nodiscard]] StencilStudy study(const Machine& machine, const PredictionRequest& request,
                                   const StencilProblem& problem) const;

 private:
  std::string halo_ = "auto";
  std::string stores_ = "auto";
  std::string split_ = "xyz";
  double rank_rate_ = 0;  ///< 0: not given
};

}  // namespace bellwether
