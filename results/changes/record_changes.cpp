// SPDX-License-Identifier: MIT
#include "results/changes/change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "models/errors.hpp"
#include "results/record.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// Of a term or the total.
std::optional<Measured> measured(const json& summary) {
  for (const char* key : {"median", "low", "high"})
    if (!value_or_null(summary, key).is_number()) return std::nullopt;
  return Measured{summary.at("median"), summary.at("low"), summary.at("high"), 1};
}

/// One case's records, which are its repeats.
struct Case {
  std::string app;
  int ranks = 1;
  json problem, variant;
  std::vector<json> records;

  [[nodiscard]] bool right() const {
    return std::all_of(records.begin(), records.end(), is_verified);
  }
  /// False where a single sample has no interval.
  [[nodiscard]] bool ranged() const {
    return records.size() > 1 ||
           value_or_null(value_or_null(value_or_null(records.front(), "measured"), "total_s"),
                         "count")
                   .get<int>() > 1;
  }
  /// Of the repeats that have this member of "measured".
  [[nodiscard]] std::optional<Measured> all(const json::json_pointer& where) const {
    std::vector<double> medians;
    Measured joined{0, HUGE_VAL, -HUGE_VAL, 0};
    for (const json& record : records) {
      const auto one = record.contains(where) ? measured(record.at(where)) : std::nullopt;
      if (!one) continue;
      medians.push_back(one->value);
      joined.low = std::min(joined.low, one->low);
      joined.high = std::max(joined.high, one->high);
      ++joined.runs;
    }
    if (medians.empty()) return std::nullopt;
    joined.value = summarize(medians).median;
    return joined;
  }
};

using Cases = std::map<std::string, Case>;

Cases cases_of(const std::vector<json>& records) {
  Cases cases;
  for (const json& record : records) {
    const json key{record.at("app"), record.at("ranks"), value_or_null(record, "problem"),
                   value_or_null(record, "variant")};
    Case& one = cases[key.dump()];
    one.app = record.at("app");
    one.ranks = record.at("ranks");
    one.problem = value_or_null(record, "problem");
    one.variant = value_or_null(record, "variant");
    one.records.push_back(record);
  }
  return cases;
}

/// "384x384x384", "f32", "iterations 100".
std::string value_text(const std::string& key, const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return key + " " + value.dump();
  std::string text;
  for (const json& part : value) text += fmt::format("{}{}", text.empty() ? "" : "x", part.dump());
  return text;
}

/// Keys of problem or variant in which cases of an app differ, so that a case is named by them.
class Names {
 public:
  void add(const Cases& cases) {
    for (const auto& [key, one] : cases)
      for (const json* part : {&one.problem, &one.variant})
        for (const auto& item : part->items())
          values_[one.app + " " + item.key()].insert(item.value().dump());
  }
  /// The problem in short, ranks, and what of the rest differs between the app's cases.
  [[nodiscard]] std::string of(const Case& one) const {
    std::string text = one.app;
    for (const char* main : {"cells", "size", "matrix", "mesh", "precision"})
      if (const json value = value_or_null(one.problem, main); !value.is_null())
        text += fmt::format(" {}", value_text(main, value));
    text += fmt::format(", {} rank{}", one.ranks, one.ranks == 1 ? "" : "s");
    const std::set<std::string> said{"cells", "size", "matrix", "mesh", "precision"};
    for (const json* part : {&one.problem, &one.variant})
      for (const auto& item : part->items()) {
        if (part == &one.problem && said.contains(item.key())) continue;
        if (values_.at(one.app + " " + item.key()).size() < 2) continue;
        const std::string value = value_text(item.key(), item.value());
        text += item.value().is_string() ? fmt::format(", {} {}", item.key(), value)
                                         : fmt::format(", {}", value);
      }
    return text;
  }

 private:
  std::map<std::string, std::set<std::string>> values_;
};

/// The probed speed of a case, per rank; none where a repeat was not probed.
std::optional<Measured> probed(const Case& one) {
  const auto rate = one.all(json::json_pointer("/probe/rate"));
  if (!rate || rate->runs != static_cast<int>(one.records.size())) return std::nullopt;
  return rate;
}

std::string reasons(const Case& before, const Case& after, const Change& change) {
  std::string text;
  const double whole = change.after.value - change.before.value;
  double most = 0;
  std::string which;
  const json terms = value_or_null(value_or_null(before.records.front(), "measured"), "terms");
  if (terms.is_object())
    for (const auto& item : terms.items()) {
      json::json_pointer where("/measured/terms");
      where /= item.key();
      const auto first = before.all(where), second = after.all(where);
      if (!first || !second) continue;
      const double share = (second->value - first->value) / whole;
      if (share > most) {
        most = share;
        which = item.key();
      }
    }
  if (!which.empty()) {
    const TimeUnit unit = time_unit(std::abs(most * whole));
    text = fmt::format("{} {:+.3g} {}", which, most * whole * unit.per_second, unit.name);
  }
  const auto slow = probed(before), now = probed(after);
  if (slow && now) {
    const json of = value_or_null(value_or_null(before.records.front(), "probe"), "of");
    text += fmt::format("{}{} at {:.2f} of before", text.empty() ? "" : "; ",
                        of.is_string() ? of.get<std::string>() : "the machine",
                        now->value / slow->value);
  }
  return text;
}

}  // namespace

bool is_verified(const nlohmann::json& record) {
  return value_or_null(value_or_null(record, "verification"), "passed") == true;
}

std::vector<json> read_records(const std::string& file) {
  std::ifstream stream(file);
  if (!stream || (stream.peek(), stream.bad()))
    throw BadInput(fmt::format("results file '{}' cannot be read", file));
  std::vector<json> records;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    json record = json::parse(line, nullptr, false);
    const bool ended = !stream.eof();
    const auto refuse = [&](const std::string& what) {
      throw BadInput(fmt::format("{}, line {}: {}, expected a record of schema {}", file, number,
                                 what, record_schema));
    };
    if (record.is_discarded()) {
      if (!ended && !records.empty()) break;  // cut short by a kill
      refuse("no JSON");
    }
    const json schema = value_or_null(record, "schema");
    if (schema != record_schema)
      refuse(schema.is_string() ? fmt::format("found schema '{}'", schema.get<std::string>())
                                : "found no schema");
    if (!value_or_null(record, "app").is_string() ||
        !value_or_null(record, "ranks").is_number_integer())
      refuse("found no app and ranks");
    const json total = value_or_null(value_or_null(record, "measured"), "total_s");
    if (is_verified(record) && (!measured(total) || !(measured(total)->value > 0) ||
                                !value_or_null(total, "count").is_number_integer()))
      refuse("found no measured.total_s");
    records.push_back(std::move(record));
  }
  if (records.empty()) throw BadInput(fmt::format("results file '{}' holds no record", file));
  return records;
}

std::vector<std::string> case_names(const std::vector<json>& records) {
  Names names;
  names.add(cases_of(records));
  std::vector<std::string> all;
  for (const json& record : records)
    all.push_back(names.of({record.at("app"),
                            record.at("ranks"),
                            value_or_null(record, "problem"),
                            value_or_null(record, "variant"),
                            {}}));
  return all;
}

Changes changes_of_records(const std::vector<json>& before, const std::vector<json>& after) {
  const Cases first = cases_of(before), second = cases_of(after);
  Names names;
  names.add(first);
  names.add(second);
  Changes changes;
  changes.kind = "results";
  int single = 0, at_once = 0;
  for (const auto& [key, one] : first) {
    const auto other = second.find(key);
    if (other == second.end()) {
      changes.only_before.push_back(names.of(one));
      continue;
    }
    const Case& now = other->second;
    Change change;
    change.what = names.of(one);
    change.unit = "s";
    const json::json_pointer total("/measured/total_s");
    if (const auto value = one.all(total)) change.before = *value;
    if (const auto value = now.all(total)) change.after = *value;
    if (!one.right() || !now.right()) {
      change.judgement = Judgement::wrong;
      change.because = fmt::format("the result is wrong {}", one.right()   ? "after"
                                                             : now.right() ? "before"
                                                                           : "in both");
    } else {
      change.judgement =
          judge(change.before, change.after, Better::less, one.ranged() && now.ranged());
      if (change.judgement != Judgement::noise) change.because = reasons(one, now, change);
      if (std::min(change.before.runs, change.after.runs) == 1) ++single;
      ++at_once;
    }
    changes.changes.push_back(std::move(change));
  }
  for (const auto& [key, one] : second)
    if (!first.contains(key)) changes.only_after.push_back(names.of(one));
  if (single > 0)
    changes.remarks.push_back(fmt::format(
        "{} of {} cases ran once on a side: its interval is of one run's samples and does not know "
        "how runs differ (run --repeats 5)",
        single, at_once));
  sort_changes(changes.changes);
  std::vector<json> from, to;
  for (const json& record : before) from.push_back(value_or_null(record, "provenance"));
  for (const json& record : after) to.push_back(value_or_null(record, "provenance"));
  add_provenance(from, to, changes);
  return changes;
}

}  // namespace bellwether
