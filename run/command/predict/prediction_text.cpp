// SPDX-License-Identifier: MIT
#include "run/command/predict/prediction_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bellwether {

std::string total_text(const ScalingPoint* point) {
  return point == nullptr ? "-" : time_text(point->prediction.total_s);
}

const char* overlap_text(bool overlap) { return overlap ? "on" : "off"; }

std::string percent_text(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

bool PredictionRow::outside_alone(const ScalingSummary& sample) const {
  for (const ScalingPoint* point : {paper, refined}) {
    if (point == nullptr) continue;
    for (const auto* ways : {&point->prediction.outside_range, &point->prediction.outside_machine})
      for (const std::string& way : *ways)
        if (!sample.is_common(way)) return true;
  }
  return false;
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
