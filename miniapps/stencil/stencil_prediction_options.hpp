// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "miniapps/stencil/stencil_problem.hpp"
#include "models/stencil/stencil_curve.hpp"

namespace CLI {
class App;
}

namespace bellwether {

/// What `predict` asks beside the problem for every stencil application.
class StencilPredictionOptions {
 public:
  /// `chooses_stores`: the application has more than one kind of store.
  void add_to(CLI::App& command, bool chooses_stores);
  [[nodiscard]] StencilStudy study(const PredictionRequest& request,
                                   const StencilProblem& problem) const;

 private:
  std::string halo_ = "staged";
  std::string stores_ = "auto";
  std::string split_ = "xyz";
  double rank_rate_ = 0;  ///< 0: not given
};

}  // namespace bellwether
