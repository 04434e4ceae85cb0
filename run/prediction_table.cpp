// SPDX-License-Identifier: MIT
#include "run/prediction_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace bellwether {
namespace {

constexpr const char* forms[] = {"paper", "refined"};

std::string seconds(double s) {
  if (s >= 1) return fmt::format("{:.3f} s", s);
  if (s >= 1e-3) return fmt::format("{:.3f} ms", s * 1e3);
  return fmt::format("{:.3f} us", s * 1e6);
}

std::string rate(double per_s, const std::string& unit) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  int p = 0;
  for (; per_s >= 1000 && p < 5; ++p) per_s /= 1000;
  return fmt::format("{:.2f} {}{}", per_s, prefixes[p], unit);
}

/// Rank counts and overlap modes in the points' order, with both forms of each.
struct Row {
  int ranks;
  bool overlap;
  std::map<std::string, const ScalingPoint*> form;
};
std::vector<Row> rows_of(const std::vector<ScalingPoint>& points) {
  std::vector<Row> rows;
  for (const ScalingPoint& point : points) {
    if (rows.empty() || rows.back().ranks != point.ranks || rows.back().overlap != point.overlap)
      rows.push_back({point.ranks, point.overlap, {}});
    rows.back().form[point.form] = &point;
  }
  return rows;
}

/// Units of a step on so many ranks.
double units_of(const StepWork& work, int ranks) {
  return work.per_rank ? work.units * ranks : work.units;
}

/// The layout column's: as wide as the longest needs.
std::size_t layout_width(const std::vector<ScalingPoint>& points) {
  std::size_t width = 14;
  for (const ScalingPoint& point : points) width = std::max(width, point.layout.size());
  return width;
}

}  // namespace

nlohmann::json prediction_json(const Machine& machine, const std::vector<ScalingPoint>& points,
                               const PredictionEntry& entry) {
  const StepWork work = entry.work();
  nlohmann::json list = nlohmann::json::array();
  for (const ScalingPoint& point : points) {
    nlohmann::json terms = nlohmann::json::object();
    for (const Term& term : point.prediction.terms) terms[term.name] = term.seconds;
    nlohmann::json object = point.choice;
    object.update({{"ranks", point.ranks},
                   {"overlap", point.overlap ? "on" : "off"},
                   {"model", point.form},
                   {"total_s", point.prediction.total_s},
                   {"low_s", point.prediction.low_s},
                   {"high_s", point.prediction.high_s},
                   {"terms", terms},
                   {"rate", units_of(work, point.ranks) / point.prediction.total_s},
                   {"hidden_fraction", point.prediction.hidden_fraction},
                   {"outside_range", point.prediction.outside_range}});
    list.push_back(std::move(object));
  }
  nlohmann::json bound = nlohmann::json::object();
  for (const char* form : forms) {
    const std::optional<int> ranks = communication_bound_from(points, form);
    bound[form] = ranks ? nlohmann::json(*ranks) : nlohmann::json();
  }
  return {{"app", entry.name()},
          {"machine", machine.name},
          {"unit", work.unit},
          {"points", list},
          {"communication_bound_from", bound}};
}

std::string prediction_table(const Machine& machine, const std::vector<ScalingPoint>& points,
                             const PredictionEntry& entry) {
  const StepWork work = entry.work();
  std::string text =
      fmt::format("{} on {}: predicted, per {}\n", entry.name(), machine.name, entry.step_name());
  const std::size_t width = layout_width(points);
  text += fmt::format("{:>8} {:>{}} {:>8} {:>12} {:>12} {:>24} {:>18} {:>11} {:>7}\n", "ranks",
                      "layout", width, "overlap", "paper", "refined", "[interval]", "rate",
                      "efficiency", "hidden");
  std::map<bool, double> one_rank;  // rank seconds per unit of the smallest count
  std::set<std::string> outside;
  for (const Row& row : rows_of(points)) {
    const ScalingPoint* paper = row.form.count("paper") ? row.form.at("paper") : nullptr;
    const ScalingPoint* best = row.form.count("refined") ? row.form.at("refined") : paper;
    const Prediction& p = best->prediction;
    const double units = units_of(work, row.ranks);
    const double rank_seconds = p.total_s * row.ranks / units;
    one_rank.emplace(row.overlap, rank_seconds);
    text +=
        fmt::format("{:>8} {:>{}} {:>8} {:>12} {:>12} {:>24} {:>18} {:>9.1f} % {:>5.0f} %\n",
                    row.ranks, best->layout, width, row.overlap ? "on" : "off",
                    paper == nullptr ? "-" : seconds(paper->prediction.total_s), seconds(p.total_s),
                    fmt::format("[{}, {}]", seconds(p.low_s), seconds(p.high_s)),
                    rate(units / p.total_s, work.unit),
                    100 * one_rank.at(row.overlap) / rank_seconds, 100 * p.hidden_fraction);
    for (const auto& [form, point] : row.form)
      outside.insert(point->prediction.outside_range.begin(),
                     point->prediction.outside_range.end());
  }
  const bool overlaps = std::any_of(points.begin(), points.end(),
                                    [](const ScalingPoint& point) { return point.overlap; });
  for (const char* form : forms) {
    if (!overlaps) continue;
    const std::optional<int> ranks = communication_bound_from(points, form);
    text += ranks ? fmt::format(
                        "{}: from {} ranks on communication takes longer than the interior "
                        "and can no longer be hidden\n",
                        form, *ranks)
                  : fmt::format(
                        "{}: communication takes less time than the interior at all these "
                        "rank counts\n",
                        form);
  }
  for (const std::string& line : outside)
    text += fmt::format("OUTSIDE CALIBRATED RANGE: {}\n", line);
  return text;
}

}  // namespace bellwether
