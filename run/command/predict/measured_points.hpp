// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bellwether {

/// What a results file holds of one application and problem.
struct MeasuredPoints {
  /// {"ranks", "overlap", "total_s", "low_s", "high_s"}: medians with their 95 % intervals.
  std::vector<nlohmann::json> points;
  /// Records that were passed over, by the reason.
  std::map<std::string, int> passed_over;

  /// "12 of 15 records of FILE; passed over: another problem 2, not verified 1"
  [[nodiscard]] std::string text(const std::string& file) const;
  /// {"file", "used", "passed_over", "points"}
  [[nodiscard]] nlohmann::json json(const std::string& file) const;
};

/// Reads the records of `app` whose problem and variant are what `asked` says, as far as both have
/// a key of one name; "auto" asks for anything. Throws BadInput if the file cannot be read.
MeasuredPoints read_measured(const std::string& file, const std::string& app,
                             const nlohmann::json& asked);

/// Whether a record's value is what an option asked for: equal as numbers, words or lists, or a
/// list written with x between ([1, 2, 4] and "1x2x4"), or asked for as "auto".
bool is_as_asked(const nlohmann::json& recorded, const nlohmann::json& asked);

}  // namespace bellwether
