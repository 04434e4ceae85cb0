// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "models/errors.hpp"
#include "results/acceptance/judge.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

struct SpecifiedLimit {
  std::string what, source;
  std::string machine;  ///< JSON pointer of a parameter of the machine file, or …
  std::string app;      ///< … whose best rate counts
  bool at_least = true;
  double value = 0;
};

SpecifiedLimit read_limit(const JsonNode& node) {
  JsonObject object(node);
  SpecifiedLimit limit;
  limit.what = object.required("what").text();
  limit.source = object.required("source").text();
  if (const auto pointer = object.optional("machine")) limit.machine = pointer->text();
  if (const auto app = object.optional("app")) limit.app = app->text();
  if (limit.machine.empty() == limit.app.empty())
    node.refuse("one of machine (a JSON pointer) and app");
  const auto least = object.optional("at_least"), most = object.optional("at_most");
  if (least.has_value() == most.has_value()) node.refuse("one of at_least and at_most");
  limit.at_least = least.has_value();
  limit.value = (least ? *least : *most).positive_number();
  object.finish();
  return limit;
}

/// What the limit is of, with its interval; false where no record tells.
bool find(const SpecifiedLimit& limit, const std::string& file, const json& machine,
          const std::vector<json>& records, Finding& finding) {
  if (!limit.app.empty()) {
    for (const json& record : records) {
      if (record.at("app") != limit.app || !record.contains("rate")) continue;
      const json& total = record.at("measured").at("total_s");
      const double value = record.at("rate").at("value"), median = total.at("median");
      if (finding.value && *finding.value >= value) continue;
      finding.value = value;
      finding.low = value * median / total.at("high").get<double>();
      finding.high = value * median / total.at("low").get<double>();
      finding.unit = record.at("rate").at("unit");
    }
    return finding.value.has_value();
  }
  json::json_pointer pointer;
  try {
    pointer = json::json_pointer(limit.machine);
  } catch (const json::exception&) {
    throw BadInput(fmt::format("{}: machine: found '{}', expected a JSON pointer as /device/…",
                               file, limit.machine));
  }
  const json found = machine.contains(pointer) ? machine.at(pointer) : json();
  const json& value = found.is_object() && found.contains("value") ? found.at("value") : found;
  if (!value.is_number())
    throw BadInput(
        fmt::format("{}: machine: found '{}', expected a parameter that the calibration "
                    "has (bellwether machines FILE --json)",
                    file, limit.machine));
  finding.value = value.get<double>();
  finding.low = found.is_object() ? found.value("low", *finding.value) : *finding.value;
  finding.high = found.is_object() ? found.value("high", *finding.value) : *finding.value;
  return true;
}

/// Those that are to be judged so.
std::vector<json> judged_by(const char* kind, const std::vector<json>& records) {
  std::vector<json> kept;
  for (const json& record : records) {
    const json::json_pointer where("/provenance/judge");
    if (record.contains(where)) {
      const json& kinds = record.at(where);
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
    }
    kept.push_back(record);
  }
  return kept;
}

}  // namespace

std::vector<Finding> judge_specified(const json& spec, const std::string& file, const json& machine,
                                     const std::vector<json>& records) {
  JsonObject object(JsonNode(spec, file));
  (void)object.required("schema").one_of({"bellwether.spec/1"});
  (void)object.optional("name");
  std::vector<SpecifiedLimit> limits;
  for (const JsonNode& node : object.required("limits").items(1))
    limits.push_back(read_limit(node));
  object.finish();
  std::vector<Finding> found;
  for (const SpecifiedLimit& limit : limits) {
    Finding finding;
    finding.kind = "specified";
    finding.subject = limit.what;
    finding.quantity = limit.app.empty() ? limit.machine : "rate of " + limit.app;
    finding.expected = limit.value;
    finding.sources = {fmt::format("{}: {}", file, limit.source)};
    if (!find(limit, file, machine, records, finding)) {
      finding.verdict = Verdict::not_judged;
      finding.sentence = fmt::format("{}: no case of {} has a rate", limit.what, limit.app);
      found.push_back(std::move(finding));
      continue;
    }
    const bool meets =
        limit.at_least ? *finding.value >= limit.value : *finding.value <= limit.value;
    const bool may = limit.at_least ? *finding.high >= limit.value : *finding.low <= limit.value;
    if (!meets) finding.verdict = may ? Verdict::warning : Verdict::fail;
    finding.warning_bound = finding.failure_bound = 1;
    finding.sentence = fmt::format(
        "{}: {:.4g} ({:.4g} to {:.4g}), {:.3f} of the specified {:.4g} ({})", limit.what,
        *finding.value, *finding.low, *finding.high, *finding.value / limit.value, limit.value,
        limit.at_least ? "at least" : "at most");
    found.push_back(std::move(finding));
  }
  return found;
}

Acceptance judge_acceptance(const Baseline& now, const json& layout, const Rules& rules,
                            const std::vector<Baseline>& baselines, const json& spec,
                            const std::string& file) {
  Acceptance acceptance{rules.suite, layout, rules.false_alarm_rate, {}, {}};
  const auto add = [&](std::vector<Finding> more) {
    acceptance.findings.insert(acceptance.findings.end(), std::make_move_iterator(more.begin()),
                               std::make_move_iterator(more.end()));
  };
  const double share = rules.false_alarm_rate / 3;
  Baseline kept = now;
  kept.records = judged_by("before", now.records);
  add(judge_right(judged_by("right", now.records)));
  add(judge_waiting(now.records, rules.material));
  add(judge_promised(judged_by("promised", now.records), share, rules.material.warning,
                     unsteadiness(now.siblings)));
  add(judge_before(kept, baselines, rules.material, share / 2));
  add(judge_steady(kept.records, rules.material, share / 2));
  std::vector<json> before;
  for (const Baseline& one : baselines)
    before.insert(before.end(), one.siblings.begin(), one.siblings.end());
  add(judge_siblings(now.siblings, judged_by("siblings", now.records), rules.material, share,
                     before));
  if (!spec.is_null()) add(judge_specified(spec, file, now.machine, now.records));
  acceptance.sort();
  return acceptance;
}

}  // namespace bellwether
