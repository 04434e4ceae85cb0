// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "results/changes/change.hpp"
#include "results/comparison.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

constexpr std::size_t widest_name = 64;

const char* word(Judgement judgement) {
  return judgement_words.at(static_cast<std::size_t>(judgement));
}

std::string number(double value, const std::string& unit) {
  if (!(value > 0) || !std::isfinite(value)) return "-";
  if (unit != "s") return with_prefix(value, unit, 4);
  return value < 1e-6 ? fmt::format("{:.3g} ns", value * 1e9) : time_text(value);
}

std::string shortened(const std::string& name) {
  if (name.size() <= widest_name) return name;
  return name.substr(0, widest_name / 3) + "..." +
         name.substr(name.size() - (widest_name - widest_name / 3 - 3));
}

/// `said`: behind each row.
std::string table(const Rows& rows, const std::vector<std::string>& said) {
  std::string text;
  const std::vector<std::string> lines = aligned(rows);
  for (std::size_t i = 0; i < lines.size(); ++i) text += lines[i] + said[i] + "\n";
  return text;
}

std::string change_table(const std::vector<const Change*>& shown) {
  Rows rows{{"", "before", "after", "change", "[least, most]"}};
  std::vector<std::string> said{""};
  for (const Change* change : shown) {
    const std::string range = change->judgement == Judgement::unknown
                                  ? "-"
                                  : fmt::format("[{}, {}]", signed_percent(change->least()),
                                                signed_percent(change->most()));
    rows.push_back({shortened(change->what), number(change->before.value, change->unit),
                    number(change->after.value, change->unit), signed_percent(change->relative()),
                    range});
    said.push_back("  " + std::string(word(change->judgement)) +
                   (change->because.empty() ? "" : ": " + change->because));
  }
  return table(rows, said);
}

/// "airfoil.loops.f32 (43)", of the paths of 43 parameters.
std::vector<std::string> parts_of(const std::vector<std::string>& paths) {
  std::map<std::string, int> numbers;
  for (const std::string& path : paths) ++numbers[part_of(path)];
  std::vector<std::string> parts;
  for (const auto& [part, number] : numbers) parts.push_back(fmt::format("{} ({})", part, number));
  return parts;
}

/// A line for each part of a machine, the slowest first.
std::string part_table(const std::vector<Change>& changes) {
  struct Part {
    std::vector<double> speeds;
    int numbers = 0, worse = 0, better = 0;
  };
  std::map<std::string, Part> parts;
  for (const Change& change : changes) {
    if (change.better == Better::neither) continue;
    Part& part = parts[part_of(change.what)];
    part.speeds.push_back(speed_of(change));
    ++part.numbers;
    part.worse += change.judgement == Judgement::worse;
    part.better += change.judgement == Judgement::better;
  }
  std::vector<std::pair<double, std::vector<std::string>>> lines;
  for (const auto& [name, part] : parts) {
    const Summary speeds = summarize(part.speeds);
    lines.push_back({speeds.median,
                     {name, fmt::format("{}", part.numbers), fmt::format("{}", part.worse),
                      fmt::format("{}", part.better), fmt::format("{:.2f}", speeds.median),
                      fmt::format("[{:.2f}, {:.2f}]", speeds.min, speeds.max)}});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Rows rows{{"", "numbers", "worse", "better", "speed", "[min, max]"}};
  for (auto& [order, row] : lines) rows.push_back(std::move(row));
  return table(rows, std::vector<std::string>(rows.size())) +
         "speed: after, as a fraction of before, the median of the part's rates and times\n";
}

void add_list(const char* what, const std::vector<std::string>& names, bool all,
              std::string& text) {
  if (names.empty()) return;
  constexpr std::size_t few = 3;
  text += fmt::format("only {}: ", what);
  const std::size_t shown = all ? names.size() : std::min(few, names.size());
  for (std::size_t i = 0; i < shown; ++i)
    text += (i > 0 ? "; " : "") + (all ? names[i] : shortened(names[i]));
  if (shown < names.size()) text += fmt::format("; and {} more", names.size() - shown);
  text += "\n";
}

}  // namespace

std::string changes_text(const Changes& changes, bool details) {
  constexpr std::size_t most_lines = 20;
  std::vector<const Change*> shown;
  std::map<Judgement, int> numbers;
  std::size_t counting = 0;
  for (const Change& change : changes.changes) {
    ++numbers[change.judgement];
    counting += change.judgement != Judgement::noise;
    if (details || (change.judgement != Judgement::noise && shown.size() < most_lines))
      shown.push_back(&change);
  }
  std::string text =
      fmt::format("{} {} (before) and {} (after): ", changes.kind, changes.before, changes.after);
  std::string list;
  for (const Judgement one : judgements)
    if (numbers[one] > 0)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", numbers[one], word(one));
  text += (list.empty() ? "nothing that both have" : list) + "\n";
  if (changes.kind == "machine" && !details && !changes.changes.empty()) {
    text += part_table(changes.changes);
  } else if (!shown.empty()) {
    text += change_table(shown);
    if (!details && counting > shown.size())
      text += fmt::format("and {} more (--details)\n", counting - shown.size());
  }
  const bool parts = changes.kind == "machine" && !details;
  add_list("before", parts ? parts_of(changes.only_before) : changes.only_before, details, text);
  add_list("after", parts ? parts_of(changes.only_after) : changes.only_after, details, text);
  for (const std::string& remark : changes.remarks) text += remark + "\n";
  for (const auto& [key, values] : changes.provenance) {
    const auto& [before, after] = values;
    text += details ? fmt::format("{}: {} -> {}\n", key, before, after)
                    : fmt::format("{}: {} -> {}\n", key, shortened(before), shortened(after));
  }
  return text;
}

}  // namespace bellwether
