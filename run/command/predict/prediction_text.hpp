// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "models/scaling/scaling_summary.hpp"
#include "results/statistics.hpp"

namespace bellwether {

/// Text that grows by formatted pieces.
class Text {
 public:
  template <class... Values>
  Text& add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    return *this;
  }
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

/// "-" for a form that is not there.
std::string total_text(const ScalingPoint* point);
/// "on" or "off"
const char* overlap_text(bool overlap);
/// "12.3 %"
std::string percent_text(double fraction);

/// Both forms of a rank count and overlap mode; null: the form was not asked for.
struct PredictionRow {
  const ScalingPoint* paper = nullptr;
  const ScalingPoint* refined = nullptr;
  /// The refined form where it is there.
  [[nodiscard]] const ScalingPoint& best() const { return refined != nullptr ? *refined : *paper; }
  /// Whether it leaves the calibrated range or the machine in a way in which most rank counts of a
  /// sample do not.
  [[nodiscard]] bool outside_alone(const ScalingSummary& sample) const;
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
