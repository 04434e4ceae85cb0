// SPDX-License-Identifier: MIT
#include "run/command/predict/measured_points.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// The member, or null where there is none.
nlohmann::json at(const nlohmann::json& object, const std::string& key) {
  return object.is_object() && object.contains(key) ? object.at(key) : nlohmann::json();
}

/// Why a record is not to be used; empty if it is.
std::string unfit(const nlohmann::json& record, const std::string& app,
                  const nlohmann::json& asked) {
  if (at(record, "app").is_null() || !at(record, "ranks").is_number_integer()) return "unreadable";
  if (at(record, "app") != app) return "another application";
  for (const auto& option : asked.items())
    for (const char* part : {"problem", "variant"})
      if (const nlohmann::json recorded = at(at(record, part), option.key());
          !recorded.is_null() && !is_as_asked(recorded, option.value()))
        return fmt::format("another {}", option.key());
  if (at(at(record, "verification"), "passed") != true) return "not verified";
  const nlohmann::json total = at(at(record, "measured"), "total_s");
  for (const char* key : {"median", "low", "high"})
    if (!at(total, key).is_number()) return "unreadable";
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
  std::ifstream stream(file);
  std::string line;
  if (!stream || (stream.peek(), stream.bad()))
    throw BadInput(fmt::format("--measured: results file '{}' cannot be read", file));
  MeasuredPoints measured;
  while (std::getline(stream, line)) {
    if (line.empty()) continue;
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
    const std::string reason = unfit(record, app, asked);
    if (!reason.empty()) {
      ++measured.passed_over[reason];
      continue;
    }
    const nlohmann::json& total = record.at("measured").at("total_s");
    measured.points.push_back({{"ranks", record.at("ranks")},
                               {"overlap", at(at(record, "variant"), "overlap")},
                               {"total_s", total.at("median")},
                               {"low_s", total.at("low")},
                               {"high_s", total.at("high")}});
  }
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
