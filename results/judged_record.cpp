// SPDX-License-Identifier: MIT
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "results/comparison.hpp"
#include "results/verdict.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

double number(const json& object, const std::string& key, double otherwise = 0) {
  const json value = value_or_null(object, key);
  return value.is_number() ? value.get<double>() : otherwise;
}

/// What a key's object holds, by name; nothing where it is no object.
std::map<std::string, json> members(const json& object, const std::string& key) {
  const json value = value_or_null(object, key);
  return value.is_object() ? value.get<std::map<std::string, json>>()
                           : std::map<std::string, json>();
}

/// Ends of a list of two, in order.
std::pair<double, double> ends_of(const json& list, std::pair<double, double> otherwise) {
  if (!list.is_array() || list.size() != 2 || !list[0].is_number() || !list[1].is_number())
    return otherwise;
  return {list[0], list[1]};
}

Summary summary_of(const json& object) {
  Summary summary;
  summary.median = number(object, "median");
  summary.low = number(object, "low", summary.median);
  summary.high = number(object, "high", summary.median);
  return summary;
}

RunInterval::Ends run_ends_of(const json& object) {
  return {number(object, "total_s"), number(object, "low_s"), number(object, "high_s")};
}

Prediction prediction_of(const std::string& form, const json& object) {
  Prediction prediction;
  prediction.form = form;
  prediction.total_s = number(object, "total_s");
  std::tie(prediction.low_s, prediction.high_s) =
      ends_of(value_or_null(value_or_null(object, "interval"), "machine_s"),
              {number(object, "low_s"), number(object, "high_s")});
  for (const auto& [name, seconds] : members(object, "terms"))
    if (seconds.is_number()) prediction.terms.push_back({name, seconds});
  return prediction;
}

RunInterval interval_of(const json& refined, const json& causes) {
  RunInterval interval;
  interval.run = run_ends_of(refined);
  if (const json at_probe = value_or_null(causes, "at_probe"); at_probe.is_object())
    interval.at_probe = run_ends_of(at_probe);
  interval.calibration = ends_of(value_or_null(causes, "calibration"), {1, 1});
  interval.drift = ends_of(value_or_null(causes, "drift"), {1, 1});
  interval.model = ends_of(value_or_null(causes, "model"), {1, 1});
  // Records of before the probes' own are said to have drifted as far as the interval allows.
  const json slowest = value_or_null(causes, "slowest_probe"), of = value_or_null(slowest, "of");
  interval.slowest_probe_of = of.is_string() ? of.get<std::string>() : "speed";
  interval.slowest_probe = number(slowest, "times", interval.drift.second);
  return interval;
}

/// As far as its verdict depends on it.
Record record_of(const json& object) {
  Record record;
  const json measured = value_or_null(object, "measured");
  record.measured.total_s = summary_of(value_or_null(measured, "total_s"));
  for (const auto& [name, summary] : members(measured, "terms"))
    record.measured.terms.emplace_back(name, summary_of(summary));
  record.oversubscribed = value_or_null(object, "oversubscribed") == true;
  record.verification.passed =
      value_or_null(value_or_null(object, "verification"), "passed") == true;
  for (const auto& [form, prediction] : members(object, "predicted")) {
    record.predicted.push_back(prediction_of(form, prediction));
    if (const json causes = value_or_null(prediction, "interval");
        form == "refined" && causes.is_object())
      record.interval = interval_of(prediction, causes);
  }
  return record;
}

}  // namespace

void add_verdict(json& object) {
  if (object.contains("verdict")) return;
  const Record record = record_of(object);
  object["verdict"] = to_json(verdict_of(record));
  object["error"] = members(object, "error");
  add_comparison(record, object);
}

}  // namespace bellwether
