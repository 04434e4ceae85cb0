// SPDX-License-Identifier: MIT
#include "run/command/predict/measured_points.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "results/record.hpp"
#include "results/record_lines.hpp"

namespace bellwether {
namespace {

/// Why a record is not to be used; empty if it is.
std::string unfit(const nlohmann::json& record, const std::string& app,
                  const nlohmann::json& asked) {
  if (value_or_null(record, "app").is_null() || !value_or_null(record, "ranks").is_number_integer())
    return "unreadable";
  if (value_or_null(record, "app") != app) return "another application";
  for (const auto& option : asked.items())
    for (const char* part : {"problem", "variant"})
      if (const nlohmann::json recorded = value_or_null(value_or_null(record, part), option.key());
          !recorded.is_null() && !is_as_asked(recorded, option.value()))
        return fmt::format("another {}", option.key());
  if (value_or_null(value_or_null(record, "verification"), "passed") != true) return "not verified";
  const nlohmann::json total = value_or_null(value_or_null(record, "measured"), "total_s");
  for (const char* key : {"median", "low", "high"})
    if (!value_or_null(total, key).is_number()) return "unreadable";
  return "";
}

}  // namespace

bool is_as_asked(const nlohmann::json& recorded, const nlohmann::json& asked) {
  if (asked == "auto" || recorded == asked) return true;
  if (!recorded.is_array() || !asked.is_string()) return false;
  std::string joined;
  for (const nlohmann::json& part : recorded) {
    if (!joined.empty()) joined += 'x';
    joined += part.dump();
  }
  return joined == asked;
}

MeasuredPoints read_measured(const std::string& file, const std::string& app,
                             const nlohmann::json& asked) {
  MeasuredPoints measured;
  for_each_record(file, [&](const nlohmann::json& record, std::int64_t) {
    const std::string reason = unfit(record, app, asked);
    if (!reason.empty()) {
      ++measured.passed_over[reason];
      return;
    }
    const nlohmann::json& total = record.at("measured").at("total_s");
    measured.points.push_back(
        {{"ranks", record.at("ranks")},
         {"overlap", value_or_null(value_or_null(record, "variant"), "overlap")},
         {"total_s", total.at("median")},
         {"low_s", total.at("low")},
         {"high_s", total.at("high")}});
  });
  return measured;
}

std::string MeasuredPoints::text(const std::string& file) const {
  std::size_t all = points.size();
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : passed_over) {
    all += static_cast<std::size_t>(count);
    reasons.push_back(fmt::format("{} {}", reason, count));
  }
  return fmt::format("{} of {} records of {}{}{}", points.size(), all, file,
                     reasons.empty() ? "" : "; passed over: ", fmt::join(reasons, ", "));
}

nlohmann::json MeasuredPoints::json(const std::string& file) const {
  return {
      {"file", file}, {"used", points.size()}, {"passed_over", passed_over}, {"points", points}};
}

}  // namespace bellwether
