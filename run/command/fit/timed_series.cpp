// SPDX-License-Identifier: MIT
#include "run/command/fit/timed_series.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <set>

#include "models/errors.hpp"
#include "models/machine/json_text.hpp"
#include "models/text_lines.hpp"
#include "results/record.hpp"
#include "results/record_lines.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// What of a problem is its size, and what follows from size and rank count.
constexpr const char* size_keys[] = {"size", "rows", "cells"};
bool varies(const std::string& key) {
  return key == "decomposition" || key == "grid" ||
         std::find(std::begin(size_keys), std::end(size_keys), key) != std::end(size_keys);
}

/// Problem and variant as they were asked for, but for what may vary in a series.
using Fixed = std::map<std::string, json>;
constexpr json Record::*parts[] = {&Record::problem, &Record::variant};
Fixed fixed_of(const Record& record) {
  Fixed fixed;
  for (const auto part : parts) {
    const json asked = as_asked(record, part);
    for (const auto& [key, value] : asked.items())
      if (!varies(key)) fixed[key] = value;
  }
  return fixed;
}

/// Whether a record was asked for, or chose, that value.
bool has(const Record& record, const Fixed& fixed, const std::string& key,
         const std::string& value) {
  const auto found = fixed.find(key);
  if (found != fixed.end() && json_words(found->second) == value) return true;
  for (const auto part : parts)
    if (const json chosen = value_or_null(record.*part, key);
        !varies(key) && !chosen.is_null() && json_words(chosen) == value)
      return true;
  return false;
}

/// n: the size, the rows or the number of cells; 0: none of them is there.
double size_of(const json& problem, std::string& shown) {
  for (const char* key : size_keys) {
    const json value = value_or_null(problem, key);
    if (value.is_null()) continue;
    shown = json_words(value);
    if (value.is_number()) return value.get<double>();
    double product = value.empty() ? 0 : 1;
    for (const json& edge : value) product *= edge.is_number() ? edge.get<double>() : 0;
    return product;
  }
  return 0;
}

/// Why a record is not to be used; empty if it is.
std::string unfit(const Record& record, const SeriesChoice& choice) {
  if (!record.not_run.empty()) return "not run";
  if (!is_whole(record)) return "not a whole record";
  if (!choice.app.empty() && record.app != choice.app) return "another application";
  const Fixed fixed = fixed_of(record);
  for (const auto& [key, value] : choice.where)
    if (!has(record, fixed, key, value)) return fmt::format("another {}", key);
  if (!record.verification.passed) return "not verified";
  if (record.oversubscribed) return "ranks shared cores";
  // A period in a hundred does not move a median.
  if (record.throttled && 100.0 * record.throttled->throttled_periods > record.throttled->periods)
    return "held back by a CPU quota";
  return "";
}

TimedPoint point_of(const Record& record, TimedSeries& series) {
  TimedPoint point;
  ScalingSample& whole = point.whole;
  whole.size = size_of(record.problem, point.size);
  whole.ranks = record.ranks;
  whole.seconds = record.measured.total_s.median;
  if (const Rate& rate = record.rate; rate.value > 0) {
    whole.work = rate.value * whole.seconds;
    if (!rate.unit.empty()) series.work_unit = rate.unit;
    if (series.work_unit.ends_with("/s")) series.work_unit.resize(series.work_unit.size() - 2);
    if (!series.peak_per_s && rate.fraction_of_limit > 0)
      series.peak_per_s = rate.value / rate.fraction_of_limit / whole.ranks;
  }
  for (const auto& [name, term] : record.measured.terms)
    if (term.median > 0)
      point.phases.emplace_back(name,
                                ScalingSample{whole.size, whole.ranks, term.median, whole.work});
  return point;
}

/// Records that were chosen: what of them goes into the series, and in what they differ.
struct ChosenRecords {
  std::set<std::string> apps, keys;  ///< keys: of all records' problems and variants
  std::map<std::string, std::set<std::string>> values;

  void add(const Record& record, const SeriesChoice& choice, TimedSeries& series) {
    const Fixed fixed = fixed_of(record);
    for (const auto& [key, value] : fixed) keys.insert(key);
    if (const std::string reason = unfit(record, choice); !reason.empty()) {
      ++series.passed_over[reason];
      return;
    }
    if (series.points.empty()) {
      series.app = record.app;
      series.fixed = fixed;
    }
    apps.insert(record.app);
    for (const auto& [key, value] : fixed) values[key].insert(json_words(value));
    series.points.push_back(point_of(record, series));
  }
  /// Throws BadInput where they differ in more than size and rank count.
  void require_one_series() const {
    if (apps.size() > 1)
      throw BadInput(
          fmt::format("found records of {}, expected one application's; choose with "
                      "--app",
                      fmt::join(apps, ", ")));
    std::vector<std::string> differences;
    for (const auto& [key, all] : values)
      if (all.size() > 1) differences.push_back(fmt::format("{} {}", key, fmt::join(all, " and ")));
    if (!differences.empty())
      throw BadInput(
          fmt::format("found records that differ in more than size and ranks: {}; "
                      "choose one of each with --where KEY=VALUE",
                      fmt::join(differences, "; ")));
  }
};

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    std::string_view cell = line.substr(0, comma);
    while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
    while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
    cells.push_back(cell);
    if (comma == line.npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

/// The columns' names in the table's order, "size" for n.
std::vector<std::string> read_header(const TextLine& line) {
  std::vector<std::string> columns;
  for (const std::string_view cell : cells_of(line.text)) {
    const std::string name(cell == "n" ? "size" : cell);
    if (!std::set<std::string>{"size", "ranks", "seconds", "phase", "work"}.contains(name))
      line.refuse(fmt::format(
          "columns ranks, seconds and perhaps n (or size), phase, work, not '{}'", shown(cell)));
    if (std::count(columns.begin(), columns.end(), name) > 0) line.refuse("each column once");
    columns.push_back(name);
  }
  for (const char* needed : {"ranks", "seconds"})
    if (std::find(columns.begin(), columns.end(), needed) == columns.end())
      line.refuse("columns ranks, seconds and perhaps n (or size), phase, work");
  return columns;
}

struct TableRow {
  ScalingSample sample;
  std::string phase;
};

TableRow read_row(const TextLine& line, const std::vector<std::string>& columns) {
  const std::vector<std::string_view> cells = cells_of(line.text);
  if (cells.size() != columns.size())
    line.refuse(fmt::format("{} values as the header has columns", columns.size()));
  std::map<std::string, std::string_view> named;
  for (std::size_t k = 0; k < cells.size(); ++k) named[columns[k]] = cells[k];
  const auto number = [&](const std::string& column, const char* what) {
    const auto value = parse_number<double>(named.at(column));
    if (!value || !std::isfinite(*value) || !(*value > 0))
      line.refuse(fmt::format("a finite number above 0 for {}", what));
    return *value;
  };
  const double size = named.contains("size") ? number("size", "the size") : 1;
  const double ranks = number("ranks", "ranks");
  if (ranks != std::floor(ranks) || ranks > 1e9)
    line.refuse("a whole number from 1 to 1000000000 for ranks");
  TableRow row{{size, static_cast<int>(ranks), number("seconds", "seconds"), 0}, {}};
  if (named.contains("work")) row.sample.work = number("work", "work");
  if (named.contains("phase")) row.phase = named.at("phase");
  if (named.contains("phase") && row.phase.empty()) line.refuse("a name for the phase");
  return row;
}

/// Rows of the phases of one size and rank count add up; a phase that was there already begins the
/// next time of both.
void read_table(LinesOfFile& lines, TimedSeries& series) {
  std::vector<std::string> columns;
  bool has_size = false;  // else all times are of one
  std::map<std::pair<double, int>, std::size_t> open;
  while (lines.next()) {
    const TextLine at = lines.line();
    if (is_blank(at.text)) continue;
    if (!lines.has_end())
      std::cerr << fmt::format(
          "bellwether: {}, line {}: has no end; was the file cut off within it?\n", at.file,
          at.number);
    if (columns.empty()) {
      columns = read_header(at);
      has_size = std::find(columns.begin(), columns.end(), "size") != columns.end();
      continue;
    }
    const TableRow row = read_row(at, columns);
    const std::pair key(row.sample.size, row.sample.ranks);
    const auto known = open.find(key);
    TimedPoint* point = known == open.end() ? nullptr : &series.points[known->second];
    const bool again = point == nullptr || row.phase.empty() ||
                       std::any_of(point->phases.begin(), point->phases.end(),
                                   [&](const auto& phase) { return phase.first == row.phase; });
    if (again) {
      open[key] = series.points.size();
      point = &series.points.emplace_back();
      point->size = has_size ? fmt::format("{:g}", row.sample.size) : "-";
      point->whole = {row.sample.size, row.sample.ranks, 0, 0};
    }
    point->whole.seconds += row.sample.seconds;
    point->whole.work += row.sample.work;
    if (!row.phase.empty()) point->phases.emplace_back(row.phase, row.sample);
  }
}

/// "KEY=VALUE" as a pair.
std::pair<std::string, std::string> parse_where(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    throw BadInput(
        fmt::format("--where: found '{}', expected KEY=VALUE as overlap=off", shown(text)));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

TimedSeries read_series(const std::vector<std::string>& files, const SeriesChoice& choice) {
  TimedSeries series;
  ChosenRecords chosen;
  std::size_t of_records = 0;
  for (const std::string& file : files) {
    LinesOfFile lines(file);
    bool filled = false;
    while (!filled && lines.next()) filled = !is_blank(lines.line().text);
    if (!filled)
      throw BadInput(fmt::format("'{}' is empty, expected results or a table", shown(file)));
    const std::string_view text = lines.line().text;
    const bool is_records = text[text.find_first_not_of(" \t\r")] == '{';
    lines.step_back();
    of_records += is_records ? 1 : 0;
    if (is_records)
      for_each_record(
          lines, [&](const Record& record, std::int64_t) { chosen.add(record, choice, series); });
    else
      read_table(lines, series);
  }
  if (of_records > 0 && of_records < files.size())
    throw BadInput("found both results and tables, expected files of one kind");
  if (of_records == 0) {
    if (!choice.app.empty() || !choice.where.empty())
      throw BadInput("--app and --where: found with a table, expected with results of `run -o`");
    if (series.points.empty())
      throw BadInput(fmt::format("found a header alone in {}, expected times below it",
                                 fmt::join(files, ", ")));
    return series;
  }
  for (const auto& [key, value] : choice.where)
    if (!chosen.keys.empty() && chosen.keys.count(key) == 0)
      throw BadInput(fmt::format("--where: no record has '{}', expected one of {}", shown(key),
                                 fmt::join(chosen.keys, ", ")));
  if (series.points.empty()) {
    std::vector<std::string> reasons;
    for (const auto& [reason, count] : series.passed_over)
      reasons.push_back(fmt::format("{} {}", reason, count));
    throw BadInput(fmt::format("no record of {} can be used: {}", fmt::join(files, ", "),
                               fmt::join(reasons, ", ")));
  }
  chosen.require_one_series();
  return series;
}

void SeriesOptions::add_to(Options& options) {
  options.add("files", &files_,
              "Results of `run -o`, or tables of comma-separated values with a header: "
              "ranks, seconds and, where known, n (or size), phase and work (f(n), in "
              "any unit)",
              {.type = "FILE...", .required = true});
  options.add("--app", &app_, "Of which application's records, where the files hold several",
              {.type = "NAME", .check = not_empty("an application")});
  options.add("--where", &where_,
              "Of the records that have this in their problem or variant, as "
              "overlap=off; may be repeated",
              {.type = "KEY=VALUE", .one_word_each = true});
}

TimedSeries SeriesOptions::read(const char* verb) const {
  SeriesChoice choice{app_, {}};
  for (const std::string& text : where_) choice.where.push_back(parse_where(text));
  try {
    return read_series(files_, choice);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: {}", verb, error.what()));
  }
}

}  // namespace bellwether
