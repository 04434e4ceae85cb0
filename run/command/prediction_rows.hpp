// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/scaling/scaling_point.hpp"

namespace bellwether {

/// Both forms of a rank count and overlap mode; null: the form was not asked for.
struct PredictionRow {
  const ScalingPoint* paper = nullptr;
  const ScalingPoint* refined = nullptr;
  /// The refined form where it is there.
  [[nodiscard]] const ScalingPoint& best() const { return refined != nullptr ? *refined : *paper; }
  [[nodiscard]] bool outside() const;
};

/// In the points' order; the points must outlive them.
std::vector<PredictionRow> rows_of(const std::vector<ScalingPoint>& points);

/// Which columns a table has.
struct PredictionColumns {
  bool paper = false;
  bool refined = false;
  bool interval = false;  ///< the machine has intervals
  bool hides = false;     ///< a point with overlap
  int layout_width = 6;
};
PredictionColumns columns_of(const std::vector<ScalingPoint>& sample);

}  // namespace bellwether
