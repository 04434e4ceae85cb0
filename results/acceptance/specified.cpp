// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "models/errors.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine_sections.hpp"
#include "results/acceptance/judge.hpp"
#include "results/record_json_types.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// No JSON pointer, or one into no part of a machine, whatever is calibrated.
bool is_no_parameter(const std::string& text) {
  try {
    const json::json_pointer pointer(text);
    const std::string part = text.substr(1, text.find('/', 1) - 1);
    return !to_json(Machine{}).contains(part) && !machine_sections().contains(part);
  } catch (const std::exception&) {
    return true;
  }
}

JsonType<Specification> specification_type(const std::vector<std::string>& apps) {
  using Limit = SpecifiedLimit;
  const auto parameter = restricted(
      json_text(), {{"format", "json-pointer"}},
      [](const std::string& text) { return !is_no_parameter(text); },
      "a parameter of a machine file, as /device/… (bellwether machines FILE --json)");
  const auto limit = json_object<Limit>(
      {required("what", &Limit::what, json_text()), required("source", &Limit::source, json_text()),
       optional("machine", &Limit::machine, parameter),
       optional("app", &Limit::app, json_word(apps)),
       optional("at_least", &Limit::at_least, json_positive()),
       optional("at_most", &Limit::at_most, json_positive())},
      [](const JsonNode& node, const Limit& one) {
        if (one.machine.empty() == one.app.empty())
          node.refuse("one of machine (a JSON pointer) and app");
        if (one.at_least.has_value() == one.at_most.has_value())
          node.refuse("one of at_least and at_most");
      });
  return json_object<Specification>(
      {constant<Specification>("schema", "bellwether.spec/1"), retired<Specification>("name"),
       required("limits", &Specification::limits, json_list(limit, 1))});
}

/// What the limit is of, with its interval; false where no record or machine tells.
bool find(const SpecifiedLimit& limit, const std::string& file, const json& machine,
          const std::vector<Record>& records, Finding& finding) {
  if (!limit.app.empty()) {
    for (const Record& record : records) {
      const double value = record.rate.value;
      if (record.app != limit.app || !(value > 0)) continue;
      const Summary& total = record.measured.total_s;
      if (finding.value && *finding.value >= value) continue;
      finding.value = value;
      finding.low = value * total.median / total.high;
      finding.high = value * total.median / total.low;
      finding.unit = record.rate.unit;
    }
    return finding.value.has_value();
  }
  if (machine.is_null()) return false;
  const json::json_pointer pointer(limit.machine);
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

/// Those that ran and are to be judged so.
std::vector<Record> judged_by(const char* kind, const std::vector<Record>& records) {
  std::vector<Record> kept;
  for (const Record& record : records)
    if (const json asked = value_or_null(record.provenance, "judge");
        record.not_run.empty() &&
        (asked.is_null() || std::find(asked.begin(), asked.end(), kind) != asked.end()))
      kept.push_back(record);
  return kept;
}

}  // namespace

Specification read_specification(const json& document, const std::string& file,
                                 const std::vector<std::string>& apps) {
  Specification spec = specification_type(apps).read(JsonNode(document, file));
  spec.file = file;
  return spec;
}

std::vector<Finding> judge_specified(const Specification& spec, const json& machine,
                                     const std::vector<Record>& records) {
  std::vector<Finding> found;
  for (const SpecifiedLimit& limit : spec.limits) {
    const double bound = limit.at_least ? *limit.at_least : *limit.at_most;
    Finding finding{.kind = "specified",
                    .subject = limit.what,
                    .quantity = limit.app.empty() ? limit.machine : "rate of " + limit.app,
                    .expected = bound,
                    .sources = {fmt::format("{}: {}", spec.file, limit.source)}};
    if (!find(limit, spec.file, machine, records, finding)) {
      finding.verdict = Verdict::missing;
      finding.sentence = limit.app.empty()
                             ? fmt::format("{}: there is no calibration", limit.what)
                             : fmt::format("{}: no case of {} has a rate", limit.what, limit.app);
      found.push_back(std::move(finding));
      continue;
    }
    const bool meets = limit.at_least ? *finding.value >= bound : *finding.value <= bound;
    const bool may = limit.at_least ? *finding.high >= bound : *finding.low <= bound;
    if (!meets) finding.verdict = may ? Verdict::warning : Verdict::fail;
    finding.warning_bound = finding.failure_bound = 1;
    finding.sentence =
        fmt::format("{}: {:.4g} ({:.4g} to {:.4g}), {:.3f} of the specified {:.4g} ({})",
                    limit.what, *finding.value, *finding.low, *finding.high, *finding.value / bound,
                    bound, limit.at_least ? "at least" : "at most");
    found.push_back(std::move(finding));
  }
  return found;
}

Acceptance judge_acceptance(const Baseline& now, const RankLayout& layout, const Rules& rules,
                            const std::vector<Baseline>& baselines,
                            const std::optional<Specification>& spec) {
  Acceptance acceptance{rules.suite, layout, rules.false_alarm_rate, {}, {}};
  const auto add = [&](std::vector<Finding> more) {
    acceptance.findings.insert(acceptance.findings.end(), std::make_move_iterator(more.begin()),
                               std::make_move_iterator(more.end()));
  };
  const double share = rules.false_alarm_rate / 3;
  Baseline kept = now;
  kept.records = judged_by("before", now.records);
  if (rules.asked) add(judge_complete(now, *rules.asked));
  add(judge_right(judged_by("right", now.records)));
  add(judge_waiting(now.records, rules.material));
  add(judge_promised(judged_by("promised", now.records), share, rules.material.warning,
                     unsteadiness(now.siblings)));
  add(judge_before(kept, baselines, rules.material, share / 2));
  add(judge_steady(kept.records, rules.material, share / 2));
  std::vector<SiblingOccasion> before;
  for (const Baseline& one : baselines)
    before.insert(before.end(), one.siblings.begin(), one.siblings.end());
  add(judge_siblings(now.siblings, judged_by("siblings", now.records), rules.material, share,
                     before));
  if (spec) add(judge_specified(*spec, now.machine, now.records));
  acceptance.sort();
  return acceptance;
}

}  // namespace bellwether
