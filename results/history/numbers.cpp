// SPDX-License-Identifier: MIT
#include "results/history/numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "models/errors.hpp"
#include "models/text_lines.hpp"
#include "results/history/store.hpp"
#include "results/provenance.hpp"
#include "results/verdict.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// Of what a record says by its JSON pointer; empty containers are null.
json leaves_of(const Record& record) { return to_json(record).flatten(); }

std::string csv_field(const json& value) {
  std::string text = value.is_null()     ? ""
                     : value.is_string() ? value.get<std::string>()
                                         : value.dump();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + '"';
}

/// The unit of a number of a record: that of the first part which its pointer has.
std::string unit_of(std::string_view pointer) {
  static constexpr std::pair<std::string_view, const char*> units[] = {
      {"/count", ""},
      {"/model_runs", ""},
      {"fraction", "ratio"},
      {"/error/", "ratio"},
      {"/calibration/", "ratio"},
      {"/drift/", "ratio"},
      {"/model/", "ratio"},
      {"/times", "ratio"},
      {"bytes_per_s", "bytes_per_second"},
      {"flops_per_s", "flops_per_second"},
      {"_bytes", "bytes"},
      {"/joules_per_step", "joules"},
      {"watts", "watts"},
      {"/measured/", "seconds"},
      {"/predicted/", "seconds"},
      {"/setup/", "seconds"},
      {"/per_rank/", "seconds"},
      {"/total_s", "seconds"},
      {"/throttled/seconds", "seconds"},
  };
  for (const auto& [part, unit] : units)
    if (pointer.find(part) != std::string_view::npos) return unit;
  return "";
}

/// {name="value",...}, escaped.
std::string labels_text(const std::vector<std::pair<std::string, std::string>>& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format("{}{}=\"", text.empty() ? "{" : ",", name);
    for (const char letter : value) {
      if (letter == '\\' || letter == '"') text += '\\';
      text += letter == '\n' ? "\\n" : std::string(1, letter);
    }
    text += '"';
  }
  return text + "}";
}

/// Families by their name: metrics by their labels, with values by their time.
using Points = std::map<std::int64_t, std::string>;
using Families = std::map<std::string, std::map<std::string, Points>>;

}  // namespace

std::string csv_of(const std::vector<Record>& records) {
  std::vector<json> all;
  std::set<std::string> pointers;
  for (const Record& record : records) {
    all.push_back(leaves_of(record));
    for (const auto& item : all.back().items()) pointers.insert(item.key());
  }
  std::vector<std::string> row{"host", "date", "job", "layout", "case"};
  row.insert(row.end(), pointers.begin(), pointers.end());
  std::string text = fmt::format("{}\n", fmt::join(row, ","));
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RunKey key = run_key(records[i]);
    row = {key.host, key.date, key.job, key.layout, key.case_name};
    for (std::string& word : row) word = csv_field(word);
    for (const std::string& pointer : pointers)
      row.push_back(csv_field(all[i].value(pointer, json())));
    text += fmt::format("{}\n", fmt::join(row, ","));
  }
  return text;
}

std::string open_metrics_of(const std::vector<Record>& records) {
  Families families;
  std::map<std::vector<std::string>, int> repeats;
  for (const Record& record : records) {
    const RunKey key = run_key(record);
    const std::optional<std::int64_t> time = unix_time(key.date);
    if (!time)
      throw BadInput(
          fmt::format("found time '{}' in a record's provenance, expected one as `run` "
                      "writes it",
                      shown(key.date)));
    const int repeat = ++repeats[{key.host, key.layout, key.case_name, key.date}];
    const auto add = [&](const std::string& family, const char* label, const std::string& word,
                         const std::string& value) {
      std::vector<std::pair<std::string, std::string>> labels{{"host", key.host},
                                                              {"layout", key.layout},
                                                              {"app", record.app},
                                                              {"case", key.case_name},
                                                              {label, word}};
      if (repeat > 1) labels.emplace_back("repeat", std::to_string(repeat));
      families[family][labels_text(labels)][*time] = value;
    };
    const json leaves = leaves_of(record);
    for (const auto& item : leaves.items()) {
      const json& value = item.value();
      if (!value.is_number() && !value.is_boolean()) continue;
      const std::string unit = unit_of(item.key());
      add("bellwether_" + (unit.empty() ? "number" : unit), "number", item.key(),
          value.is_boolean() ? std::to_string(int{value.get<bool>()}) : value.dump());
    }
    const std::string given = name_of(verdict_of(record).answer);
    for (const char* const answer : answer_names)
      add("bellwether_verdict", "answer", answer, std::to_string(int{answer == given}));
  }
  std::string text;
  for (const auto& [family, metrics] : families) {
    const std::string unit = family.substr(family.find('_') + 1);
    text += fmt::format("# TYPE {} gauge\n", family);
    if (unit != "number" && unit != "verdict") text += fmt::format("# UNIT {} {}\n", family, unit);
    for (const auto& [labels, points] : metrics)
      for (const auto& [time, value] : points)
        text += fmt::format("{}{} {} {}\n", family, labels, value, time);
  }
  return text + "# EOF\n";
}

}  // namespace bellwether
