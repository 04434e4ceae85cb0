// SPDX-License-Identifier: MIT
#include "results/history/trend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "models/errors.hpp"
#include "models/median.hpp"
#include "models/text_lines.hpp"
#include "results/history/change_points.hpp"
#include "results/statistics.hpp"
#include "results/verdict.hpp"

namespace bellwether {
namespace {

std::optional<double> median_if_any(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(median_of(values));
}

/// Those of one series by their occasions.
class Occasions {
 public:
  void add(const StoredRun& run) {
    // "2026-11-30T21" is the hour.
    const std::string key = run.key.job.empty() ? run.key.date.substr(0, 13) : run.key.job;
    const auto [place, is_new] = places_.try_emplace(key, all.size());
    if (is_new) {
      all.push_back({run.key.date, run.key.job, run.id, run.verdict, run.time_s, {}});
      times_.emplace_back();
      joules_.emplace_back();
    }
    Occasion& occasion = all[place->second];
    std::vector<double>& times = times_[place->second];
    times.push_back(run.time_s.value);
    occasion.run = run.id;
    occasion.verdict = run.verdict;
    occasion.time_s = {summarize(times).median, std::min(occasion.time_s.low, run.time_s.low),
                       std::max(occasion.time_s.high, run.time_s.high),
                       static_cast<int>(times.size())};
    if (run.joules) joules_[place->second].push_back(*run.joules);
    occasion.joules_per_step = median_if_any(joules_[place->second]);
  }

  std::vector<Occasion> all;

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::vector<double>> times_, joules_;
};

Level level_of(std::span<const Occasion> occasions) {
  std::vector<double> times, joules;
  for (const Occasion& one : occasions) {
    times.push_back(one.time_s.value);
    if (one.joules_per_step) joules.push_back(*one.joules_per_step);
  }
  const Summary summary = summarize(times);
  Level level;
  level.since = occasions.front().date;
  level.until = occasions.back().date;
  level.time_s = {summary.median, summary.low, summary.high, summary.count};
  level.joules_per_step = median_if_any(joules);
  return level;
}

/// What most of these agree in.
std::map<std::string, std::string> common_facts(const HistoryStore& store,
                                                std::span<const Occasion> occasions) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (const Occasion& one : occasions) {
    ProvenanceValues values;
    add_values(store.record(one.run).provenance, values);
    for (const auto& [key, value] : values) ++counts[key][*value.begin()];
  }
  std::map<std::string, std::string> facts;
  for (const auto& [key, values] : counts)
    for (const auto& [value, count] : values)
      if (count + 1 >= std::ssize(occasions)) facts[key] = value;
  return facts;
}

/// Between its first half and its second.
std::vector<Difference> differences(const HistoryStore& store, std::span<const Occasion> all) {
  std::vector<Difference> found;
  const auto before = common_facts(store, all.first(all.size() / 2));
  for (const auto& [key, after] : common_facts(store, all.last(all.size() / 2)))
    if (const auto was = before.find(key); was != before.end() && was->second != after)
      found.push_back({key, was->second, after});
  return found;
}

void find_levels(const HistoryStore& store, TrendsOf what, Trend& trend) {
  const std::span<const Occasion> all(trend.occasions);
  std::vector<double> times;
  for (const Occasion& one : all) times.push_back(one.time_s.value);
  std::vector<ChangePoint> changes = change_points(times);
  changes.insert(changes.begin(), ChangePoint{});
  for (std::size_t i = 0; i < changes.size() && !all.empty(); ++i) {
    const std::size_t first = changes[i].first;
    const std::size_t end = i + 1 < changes.size() ? changes[i + 1].first : all.size();
    Level level = level_of(all.subspan(first, end - first));
    if (i > 0) {
      const Change change{.what = {},
                          .unit = {},
                          .before = trend.levels.back().time_s,
                          .after = level.time_s,
                          .because = {}};
      level.change = LevelChange{
          changes[i].chance,
          {change.relative(), change.least(), change.most(), level.time_s.runs},
          what == TrendsOf::cases
              ? differences(store, all.subspan(first - shortest_level, 2 * shortest_level))
              : std::vector<Difference>{}};
    }
    trend.levels.push_back(std::move(level));
  }
  if (trend.levels.size() > 1)
    trend.answer = trend.levels.back().change->relative.value > 0 ? "slower" : "faster";
  else
    trend.answer = all.size() < fewest_for_change ? "too few" : "steady";
}

}  // namespace

std::vector<Trend> trends_of(const HistoryStore& store, const std::string& text,
                             const std::string& host, TrendsOf what) {
  std::vector<Trend> trends;
  std::vector<Record> latest;
  Occasions occasions;
  std::int64_t last_id = 0;
  const auto finish = [&] {
    if (trends.empty()) return;
    trends.back().occasions = std::exchange(occasions, {}).all;
    find_levels(store, what, trends.back());
    if (what == TrendsOf::cases) latest.push_back(store.record(last_id));
  };
  const auto take = [&](const StoredRun& run) {
    const RunKey& key = run.key;
    if (trends.empty() || trends.back().case_name != key.case_name ||
        trends.back().host != key.host || trends.back().layout != key.layout) {
      finish();
      Trend& trend = trends.emplace_back();
      trend.host = key.host;
      trend.layout = key.layout;
      trend.case_name = trend.name = key.case_name;
    }
    last_id = run.id;
    if (run.verdict == name_of(Answer::wrong_result) || !(run.time_s.value > 0))
      ++trends.back().wrong;
    else
      occasions.add(run);
  };
  if (what == TrendsOf::cases)
    store.for_each_run(text, host, take);
  else
    store.for_each_calibration(text, host, take);
  finish();
  if (trends.empty())
    throw BadInput(
        fmt::format("history: found no {} with '{}' on a host '{}', expected what "
                    "`history show{}` lists{}",
                    what == TrendsOf::cases ? "case" : "calibrated time", shown(text), shown(host),
                    what == TrendsOf::cases ? "" : " --parameter ''",
                    what == TrendsOf::cases ? " without --case and --host" : ""));
  const std::vector<std::string> names = case_names(latest);
  for (std::size_t i = 0; i < names.size(); ++i) trends[i].name = names[i];
  const auto changed_on = [](const Trend& trend) {
    return trend.levels.size() > 1 ? trend.levels.back().since : std::string();
  };
  std::stable_sort(trends.begin(), trends.end(),
                   [&](const Trend& a, const Trend& b) { return changed_on(a) > changed_on(b); });
  return trends;
}

}  // namespace bellwether
