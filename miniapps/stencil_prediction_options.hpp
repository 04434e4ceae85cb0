// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "models/scaling.hpp"

namespace bellwether {

/// What `predict` asks beside the problem for every stencil application.
class StencilPredictionOptions {
 public:
  /// `chooses_stores`: the application has more than one kind of store.
  void add_to(CLI::App& command, bool chooses_stores);
  /// The study but for cells and boundary; `decomposition` is "auto" or "PXxPYxPZ".
  [[nodiscard]] ScalingStudy study(const PredictionRequest& request, const std::string& precision,
                                   const std::string& decomposition) const;

 private:
  std::string halo_ = "staged";
  std::string stores_ = "auto";
  std::string split_ = "xyz";
  double rank_rate_ = 0;  ///< 0: not given
};

}  // namespace bellwether
