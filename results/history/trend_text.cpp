// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "results/comparison.hpp"
#include "results/history/change_points.hpp"
#include "results/history/trend.hpp"
#include "results/record_json_types.hpp"

namespace bellwether {
namespace {

/// "2026-11-30" of a date with its time.
std::string day(const std::string& date) { return date.substr(0, 10); }

std::vector<std::string> row_of(const Trend& trend, const Level& level, bool with_energy) {
  const TimeUnit unit = time_unit(level.time_s.value);
  const auto in_unit = [&](double seconds) {
    return fmt::format("{:.4g}", seconds * unit.per_second);
  };
  const std::optional<LevelChange>& change = level.change;
  std::vector<std::string> row{
      change ? "" : trend.name,
      change ? "" : trend.host,
      day(level.since),
      day(level.until),
      std::to_string(level.time_s.runs),
      in_unit(level.time_s.value) + " " + unit.name,
      fmt::format("[{}, {}]", in_unit(level.time_s.low), in_unit(level.time_s.high)),
      !change ? (trend.answer == "too few" ? trend.answer : "")
              : fmt::format("{} [{}, {}]", signed_percent(change->relative.value),
                            signed_percent(change->relative.low),
                            signed_percent(change->relative.high))};
  if (with_energy)
    row.insert(row.end() - 1,
               level.joules_per_step ? fmt::format("{:.3g} J", *level.joules_per_step) : "-");
  return row;
}

JsonType<LevelChange> change_type() {
  const auto difference =
      open_object<Difference>({always("what", &Difference::what, json_text()),
                               always("before", &Difference::before, json_text()),
                               always("after", &Difference::after, json_text())});
  return named("change",
               "From the level before. chance: that a series without a change looks as changed; "
               "relative: (after - before) / before; provenance: what most occasions on either "
               "side agree in, and the sides do not.",
               open_object<LevelChange>(
                   {always("chance", &LevelChange::chance, real()),
                    always("relative", &LevelChange::relative, measured_type()),
                    always("provenance", &LevelChange::provenance, json_list(difference))}));
}

JsonType<Level> level_type() {
  return named("level",
               "Occasions without a change between them. time_s: median of theirs and its 95 % "
               "interval, seconds per step; joules_per_step: median of those that counted it.",
               open_object<Level>({always("since", &Level::since, json_text()),
                                   always("until", &Level::until, json_text()),
                                   always("time_s", &Level::time_s, measured_type()),
                                   optional("joules_per_step", &Level::joules_per_step, real()),
                                   optional("change", &Level::change, change_type())}));
}

JsonType<Occasion> occasion_type() {
  return named(
      "occasion",
      "Right runs of one job, or without a job number of one hour: seconds per step, the median "
      "within all their intervals.",
      open_object<Occasion>({always("date", &Occasion::date, json_text()),
                             always("job", &Occasion::job, json_text()),
                             always("verdict", &Occasion::verdict, json_text()),
                             always("time_s", &Occasion::time_s, measured_type()),
                             optional("joules_per_step", &Occasion::joules_per_step, real())}));
}

struct History {
  std::vector<Trend> trends;
};

const JsonType<History>& history_type() {
  static const JsonType<History> type = open_object<History>(
      {constant<History>("schema", "bellwether.history/1"),
       always(
           "cases", &History::trends,
           json_list(named("case",
                           "A case on a host in a layout, over time; with --parameter a "
                           "machine file's key in place of a case.",
                           open_object<Trend>(
                               {always("host", &Trend::host, json_text()),
                                always("layout", &Trend::layout, json_text()),
                                always("case", &Trend::case_name, json_text()),
                                always("name", &Trend::name, json_text()),
                                always("answer", &Trend::answer,
                                       json_word({"steady", "slower", "faster", "too few"})),
                                always("wrong", &Trend::wrong, json_count()),
                                always("occasions", &Trend::occasions, json_list(occasion_type())),
                                always("levels", &Trend::levels, json_list(level_type()))}))))});
  return type;
}

}  // namespace

std::string trends_text(const std::vector<Trend>& trends, TrendsOf what) {
  std::set<std::string> hosts;
  std::map<std::string, int> counts;
  int wrong = 0;
  for (const Trend& trend : trends) {
    hosts.insert(trend.host);
    ++counts[trend.answer];
    wrong += trend.wrong;
  }
  std::string text = fmt::format(
      "{} {}{} on {} host{}: {} SLOWER than before, {} faster, {} steady, {} with fewer than {} "
      "occasions\n",
      trends.size(), what == TrendsOf::cases ? "case" : "calibrated time",
      trends.size() == 1 ? "" : "s", hosts.size(), hosts.size() == 1 ? "" : "s", counts["slower"],
      counts["faster"], counts["steady"], counts["too few"], fewest_for_change);
  if (wrong > 0) text += fmt::format("WRONG RESULTS: {}, left out\n", wrong);
  text += "\n";
  const bool with_energy = std::any_of(trends.begin(), trends.end(), [](const Trend& trend) {
    return std::any_of(trend.levels.begin(), trend.levels.end(),
                       [](const Level& level) { return level.joules_per_step.has_value(); });
  });
  std::vector<std::vector<std::string>> rows{
      {what == TrendsOf::cases ? "seconds per step" : "seconds", "host", "from", "to", "occasions",
       "median", "[95 %]", "change"}};
  if (with_energy) rows[0].insert(rows[0].end() - 1, "energy");
  std::vector<const Level*> levels{nullptr};
  for (const Trend& trend : trends)
    for (const Level& level : trend.levels) {
      rows.push_back(row_of(trend, level, with_energy));
      levels.push_back(&level);
    }
  const std::vector<std::string> lines = aligned(rows);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i].substr(0, lines[i].find_last_not_of(' ') + 1) + "\n";
    if (levels[i] == nullptr || !levels[i]->change) continue;
    for (const auto& [fact, before, after] : levels[i]->change->provenance)
      text += fmt::format("    {}: {} -> {}\n", fact, before, after);
  }
  return text;
}

nlohmann::json to_json(const std::vector<Trend>& trends) { return history_type().write({trends}); }

nlohmann::json history_json_schema() {
  return published_schema(history_type(), "bellwether.history/1",
                          "What `bellwether history show --json` prints.");
}

}  // namespace bellwether
