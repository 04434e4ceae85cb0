// SPDX-License-Identifier: MIT
#include "run/command/prediction_rows.hpp"

#include <algorithm>

namespace bellwether {

bool PredictionRow::outside() const {
  const auto is_outside = [](const ScalingPoint* point) {
    return point != nullptr &&
           !(point->prediction.outside_range.empty() && point->prediction.outside_machine.empty());
  };
  return is_outside(paper) || is_outside(refined);
}

std::vector<PredictionRow> rows_of(const std::vector<ScalingPoint>& points) {
  std::vector<PredictionRow> rows;
  for (const ScalingPoint& point : points) {
    const bool same = !rows.empty() && rows.back().best().ranks == point.ranks &&
                      rows.back().best().overlap == point.overlap;
    if (!same) rows.emplace_back();
    (point.form == "paper" ? rows.back().paper : rows.back().refined) = &point;
  }
  return rows;
}

PredictionColumns columns_of(const std::vector<ScalingPoint>& sample) {
  PredictionColumns columns;
  for (const ScalingPoint& point : sample) {
    (point.form == "paper" ? columns.paper : columns.refined) = true;
    const Prediction& prediction = point.prediction;
    columns.interval |= prediction.low_s != prediction.high_s;
    columns.hides |= point.overlap;
    columns.layout_width = std::max(columns.layout_width, static_cast<int>(point.layout.size()));
  }
  return columns;
}

}  // namespace bellwether
