// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/prediction.hpp"

namespace bellwether {

/// What `predict` is asked of any application.
struct PredictionRequest {
  std::vector<int> ranks;
  std::vector<bool> overlap = {false, true};
  std::vector<std::string> forms = {"paper", "refined"};
  int ranks_per_node = 1;
};

/// One prediction of a scaling curve: a rank count, an overlap mode and a form.
struct ScalingPoint {
  int ranks;
  bool overlap;
  std::string form;
  Prediction prediction;
  /// How the ranks divide the work, given or found by searching, for people: "1x2x4", "4x8, NB
  /// 256", "16 ranks x 4 threads".
  std::string layout;
  /// The same for programs, as keys of the point in the JSON document: {"decomposition": [1, 2,
  /// 4]}.
  nlohmann::json choice = nlohmann::json::object();
  /// Units of a step where the ranks decide on the problem; 0: those that the application says.
  double units = 0;
};

/// The smallest rank count of a form at which communication takes longer than the computation it
/// could hide behind, so that no overlap can hide it any more; absent if it never does. Of the
/// points with overlap, of a form that knows it. In the paper forms this is where it is no longer
/// fully hidden.
std::optional<int> communication_bound_from(const std::vector<ScalingPoint>& points,
                                            const std::string& form);

/// Which overlap mode a form predicts faster, by more than 1 %, by rank count.
struct BestOverlap {
  int from_ranks;  ///< and until the other mode is faster by more than 1 %: the next entry
  bool overlap;
};
/// Ascending, adjacent entries differ; none below the first count at which one is faster, nor of a
/// form that knows no overlap. Only rank counts predicted in both modes.
std::vector<BestOverlap> best_overlap(const std::vector<ScalingPoint>& points,
                                      const std::string& form);

}  // namespace bellwether
