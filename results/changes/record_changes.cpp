// SPDX-License-Identifier: MIT
#include "results/changes/change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "models/errors.hpp"
#include "models/machine/json_text.hpp"
#include "models/median.hpp"
#include "results/record.hpp"
#include "results/record_lines.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// Of a term or the total.
std::optional<Measured> measured(const Summary& summary) {
  for (const double value : {summary.median, summary.low, summary.high})
    if (summary.count == 0 || !std::isfinite(value)) return std::nullopt;
  return Measured{summary.median, summary.low, summary.high, 1};
}

/// A number of the repeats of a case.
class Repeats {
 public:
  void add(const Measured& one) {
    medians_.push_back(one.value);
    low_ = std::min(low_, one.low);
    high_ = std::max(high_, one.high);
  }
  [[nodiscard]] std::size_t count() const { return medians_.size(); }
  /// Nothing if no repeat has it.
  [[nodiscard]] std::optional<Measured> all() const {
    if (medians_.empty()) return std::nullopt;
    return Measured{median_of(medians_), low_, high_, static_cast<int>(medians_.size())};
  }

 private:
  std::vector<double> medians_;
  double low_ = HUGE_VAL, high_ = -HUGE_VAL;
};

/// One case: what is compared of its records, which are its repeats.
struct Case {
  std::string app;
  int ranks = 1;
  json problem, variant;  ///< as asked for, and as the first record chose
  json chosen;
  std::size_t records = 0;
  bool right = true;
  bool ranged = false;  ///< a single sample has no interval
  Repeats total_s, probe_rate;
  std::string probed;  ///< what the probe is of
  std::map<std::string, Repeats> terms;

  explicit Case(const Record& record)
      : app(record.app),
        ranks(record.ranks),
        problem(as_asked(record, &Record::problem)),
        variant(as_asked(record, &Record::variant)),
        chosen{record.problem, record.variant} {}

  void add(const Record& record) {
    right = right && record.verification.passed;
    ranged = ++records > 1 || record.measured.total_s.count > 1;
    add(record.measured.total_s, total_s);
    if (record.probe) {
      add(record.probe->rate, probe_rate);
      probed = record.probe->of;
    }
    for (const auto& [name, term] : record.measured.terms) add(term, terms[name]);
  }

 private:
  static void add(const Summary& summary, Repeats& to) {
    if (const auto one = measured(summary)) to.add(*one);
  }
};

using Cases = std::map<std::string, Case>;

/// What one side has.
struct Side {
  Cases cases;
  ProvenanceValues provenance;

  void add(const Record& record) {
    Case one(record);
    const json key{one.app, one.ranks, one.problem, one.variant};
    cases.try_emplace(key.dump(), std::move(one)).first->second.add(record);
    add_values(record.provenance, provenance);
  }
};

Side side_of(const std::vector<Record>& records) {
  Side side;
  for (const Record& record : records) side.add(record);
  return side;
}

/// "384x384x384", "f32", "iterations 100".
std::string value_text(const std::string& key, const json& value) {
  return (value.is_primitive() && !value.is_string() ? key + " " : "") + json_words(value);
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
  return one.probe_rate.count() == one.records ? one.probe_rate.all() : std::nullopt;
}

/// "stores cached, now streaming": of what `auto` chose otherwise.
std::string other_choices(const Case& before, const Case& after) {
  std::string text;
  for (const std::size_t part : {0, 1}) {
    const json &first = before.chosen.at(part), &second = after.chosen.at(part);
    if (!first.is_object()) continue;
    for (const auto& item : first.items())
      if (const json now = value_or_null(second, item.key()); !now.is_null() && now != item.value())
        text += fmt::format("{}{} {}, now {}", text.empty() ? "" : ", ", item.key(),
                            value_text("", item.value()), value_text("", now));
  }
  return text;
}

std::string reasons(const Case& before, const Case& after, const Change& change) {
  std::string text;
  const double whole = change.after.value - change.before.value;
  double most = 0;
  std::string which;
  for (const auto& [name, term] : before.terms) {
    const auto other = after.terms.find(name);
    if (other == after.terms.end()) continue;
    const auto first = term.all(), second = other->second.all();
    if (!first || !second) continue;
    const double share = (second->value - first->value) / whole;
    if (share > most) {
      most = share;
      which = name;
    }
  }
  if (!which.empty()) {
    const TimeUnit unit = time_unit(std::abs(most * whole));
    text = fmt::format("{} {:+.3g} {}", which, most * whole * unit.per_second, unit.name);
  }
  const auto slow = probed(before), now = probed(after);
  if (slow && now)
    text += fmt::format("{}{} at {:.2f} of before", text.empty() ? "" : "; ",
                        before.probed.empty() ? "the machine" : before.probed,
                        now->value / slow->value);
  if (const std::string other = other_choices(before, after); !other.empty())
    text += (text.empty() ? "" : "; ") + other;
  return text;
}

/// Calls take(record) for each; throws BadInput for a file without any.
template <class Take>
void for_each_of_some(const std::string& file, const Take& take) {
  if (!for_each_whole_record(file, [&](Record record, std::int64_t) { take(std::move(record)); }))
    throw BadInput(fmt::format("results file '{}' holds no record", file));
}

Side side_of(const std::string& file) {
  Side side;
  for_each_of_some(file, [&](const Record& record) { side.add(record); });
  return side;
}

Changes changes_between(Side before, Side after) {
  const Cases &first = before.cases, &second = after.cases;
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
    if (const auto value = one.total_s.all()) change.before = *value;
    if (const auto value = now.total_s.all()) change.after = *value;
    if (!one.right || !now.right) {
      change.judgement = Judgement::wrong;
      change.after_is_right = now.right;
      change.because = fmt::format("the result is wrong {}", one.right   ? "after"
                                                             : now.right ? "before"
                                                                         : "in both");
    } else {
      change.judgement = judge(change.before, change.after, Better::less, one.ranged && now.ranged);
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
  add_provenance(std::move(before.provenance), std::move(after.provenance), changes);
  return changes;
}

}  // namespace

bool for_each_whole_record(const std::string& file, const TakeRecord& take) {
  bool found = false;
  for_each_record(file, [&](Record record, std::int64_t line) {
    found = true;
    if (!record.not_run.empty()) return;
    const auto refuse = [&](const char* what) {
      throw BadInput(fmt::format("{}, line {}: found no {}, expected a record of schema {}", file,
                                 line, what, record_schema));
    };
    if (record.app.empty() || record.ranks == 0) refuse("app and ranks");
    const auto total = measured(record.measured.total_s);
    if (record.verification.passed && !(total && total->value > 0)) refuse("measured.total_s");
    take(std::move(record), line);
  });
  return found;
}

std::vector<Record> read_records(const std::string& file) {
  std::vector<Record> records;
  for_each_of_some(file, [&](Record record) { records.push_back(std::move(record)); });
  return records;
}

std::vector<Record> read_not_run(const std::string& file) {
  std::vector<Record> records;
  for_each_record(file, [&](Record record, std::int64_t) {
    if (!record.not_run.empty()) records.push_back(std::move(record));
  });
  return records;
}

std::vector<std::string> case_names(const std::vector<Record>& records) {
  Names names;
  names.add(side_of(records).cases);
  std::vector<std::string> all;
  for (const Record& record : records) all.push_back(names.of(Case(record)));
  return all;
}

std::string full_case_name(const Record& record) {
  const Case one(record);
  std::string text = fmt::format("{}, {} rank{}", one.app, one.ranks, one.ranks == 1 ? "" : "s");
  for (const json* part : {&one.problem, &one.variant})
    for (const auto& item : part->items()) {
      const json& value = item.value();
      const bool named = !value.is_string() && !value.is_array();
      text += fmt::format(", {}{}", named ? "" : item.key() + " ", value_text(item.key(), value));
    }
  return text;
}

Changes changes_of_records(const std::vector<Record>& before, const std::vector<Record>& after) {
  return changes_between(side_of(before), side_of(after));
}

Changes changes_of_results(const std::string& before, const std::string& after) {
  return changes_between(side_of(before), side_of(after));
}

}  // namespace bellwether
