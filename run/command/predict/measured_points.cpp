// SPDX-License-Identifier: MIT
#include "run/command/predict/measured_points.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "models/machine/json_text.hpp"
#include "results/record.hpp"
#include "results/record_lines.hpp"

namespace bellwether {
namespace {

/// Why a record is not to be used; empty if it is.
std::string unfit(const Record& record, const std::string& app, const nlohmann::json& asked) {
  if (!record.not_run.empty()) return "not run";
  if (!is_whole(record)) return "unreadable";
  if (record.app != app) return "another application";
  for (const auto& option : asked.items())
    for (const nlohmann::json* const part : {&record.problem, &record.variant})
      if (const nlohmann::json recorded = value_or_null(*part, option.key());
          !recorded.is_null() && !is_as_asked(recorded, option.value()))
        return fmt::format("another {}", option.key());
  return record.verification.passed ? "" : "not verified";
}

}  // namespace

bool is_as_asked(const nlohmann::json& recorded, const nlohmann::json& asked) {
  if (asked == "auto" || recorded == asked) return true;
  return recorded.is_array() && asked.is_string() &&
         json_words(recorded) == asked.get<std::string>();
}

MeasuredPoints read_measured(const std::string& file, const std::string& app,
                             const nlohmann::json& asked) {
  MeasuredPoints measured;
  for_each_record(file, [&](const Record& record, std::int64_t) {
    const std::string reason = unfit(record, app, asked);
    if (!reason.empty()) {
      ++measured.passed_over[reason];
      return;
    }
    const Summary& total = record.measured.total_s;
    measured.points.push_back({{"ranks", record.ranks},
                               {"overlap", value_or_null(record.variant, "overlap")},
                               {"total_s", total.median},
                               {"low_s", total.low},
                               {"high_s", total.high}});
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
