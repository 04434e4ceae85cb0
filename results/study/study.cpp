// SPDX-License-Identifier: MIT
#include "results/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "results/comparison.hpp"
#include "results/record_lines.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

using nlohmann::json;
using Kind = std::optional<StudyTime> StudyPoint::*;

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}

std::string total(const std::optional<StudyTime>& time) {
  return time ? time_text(time->total_s) : "-";
}

std::string interval(const std::optional<StudyTime>& time) {
  return time ? interval_text(time->total_s, time->low_s, time->high_s) : "-";
}

bool any_has(const StudyCurve& curve, Kind kind) {
  return std::any_of(curve.points.begin(), curve.points.end(),
                     [&](const StudyPoint& point) { return (point.*kind).has_value(); });
}

json time_json(const StudyCurve& curve, const StudyPoint& point, Kind kind) {
  const std::optional<StudyTime>& time = point.*kind;
  if (!time) return nullptr;
  const std::optional<double> share = efficiency(curve, point, kind);
  return {{"total_s", time->total_s},
          {"low_s", time->low_s},
          {"high_s", time->high_s},
          {"rate", time->rate},
          {"efficiency", share ? json(*share) : json()}};
}

}  // namespace

std::optional<double> efficiency(const StudyCurve& curve, const StudyPoint& point, Kind time) {
  const Kind base =
      any_has(curve, &StudyPoint::measured) ? &StudyPoint::measured : &StudyPoint::predicted;
  const auto first = std::find_if(curve.points.begin(), curve.points.end(),
                                  [&](const StudyPoint& one) { return (one.*base).has_value(); });
  if (first == curve.points.end() || !(*first.*time) || !(point.*time)) return {};
  return (point.*time)->rate / point.ranks / ((*first.*time)->rate / first->ranks);
}

std::optional<StudyTime> study_time(const Record& record) {
  if (!is_whole(record) || !record.verification.passed) return {};
  const Summary& total = record.measured.total_s;
  return StudyTime{total.median, total.low, total.high, record.rate.value};
}

std::optional<Record> finished_record(const std::string& file,
                                      const std::vector<std::string>& command, int ranks) {
  std::optional<Record> last;
  if (!std::filesystem::exists(file)) return last;
  for_each_record(file, [&](Record record, std::int64_t) {
    json words = value_or_null(record.provenance, "command_line");
    if (!words.is_array() || words.empty()) return;
    words.erase(words.begin());
    if (words == json(command) && record.ranks == ranks && record.not_run.empty() &&
        study_time(record))
      last = std::move(record);
  });
  return last;
}

std::string study_table(const StudyCurve& curve) {
  const bool changed = any_has(curve, &StudyPoint::what_if);
  Rows rows{{"ranks", "measured", "[95 %]", "predicted", "[interval]", "error", "efficiency",
             "(predicted)"}};
  if (changed) rows.front().insert(rows.front().end(), {"what if", "ratio"});
  std::string reasons;
  for (const StudyPoint& point : curve.points) {
    const auto& [ranks, measured, predicted, what_if, not_run] = point;
    rows.push_back(
        {std::to_string(ranks), not_run.empty() ? total(measured) : "not run", interval(measured),
         total(predicted), interval(predicted),
         measured && predicted
             ? fmt::format("{:+.1f} %", 100 * relative_error(predicted->total_s, measured->total_s))
             : "-",
         percent(efficiency(curve, point, &StudyPoint::measured)),
         percent(efficiency(curve, point, &StudyPoint::predicted))});
    if (changed)
      rows.back().insert(
          rows.back().end(),
          {total(what_if), what_if && predicted
                               ? fmt::format("{:.3f}", what_if->total_s / predicted->total_s)
                               : "-"});
    if (!not_run.empty()) reasons += fmt::format("{} ranks did not run: {}\n", ranks, not_run);
  }
  return table_text(rows) + reasons;
}

json to_json(const StudyCurve& curve) {
  json points = json::array();
  for (const StudyPoint& point : curve.points)
    points.push_back({{"ranks", point.ranks},
                      {"measured", time_json(curve, point, &StudyPoint::measured)},
                      {"predicted", time_json(curve, point, &StudyPoint::predicted)},
                      {"what_if", time_json(curve, point, &StudyPoint::what_if)},
                      {"not_run", point.not_run}});
  return {{"size", curve.size}, {"points", std::move(points)}};
}

}  // namespace bellwether
