// SPDX-License-Identifier: MIT
#include "run/command/predict/machine_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "run/command/predict/prediction_table.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

constexpr double deviations_of_90 = 1.644854;  // a side of the normal distribution

Place place_of(const Contestant& machine, const ScalingPoint& point) {
  const Prediction& prediction = point.prediction;
  Place place{&machine, point, machine.sweep.units(point) / prediction.total_s, prediction.low_s,
              prediction.high_s};
  if (const auto runs = machine.sweep.interval(point)) {
    place.low_s = runs->run.low_s;
    place.high_s = runs->run.high_s;
  }
  return place;
}

std::string chance_text(const Place& one, const Place& other) {
  const std::optional<double> chance = chance_of_beating(one, other);
  if (!chance) return "-";
  return *chance > 0.995 ? "> 99 %" : fmt::format("{:.0f} %", 100 * *chance);
}

}  // namespace

std::optional<double> chance_of_beating(const Place& one, const Place& other) {
  if (other.rate > one.rate) {
    const std::optional<double> chance = chance_of_beating(other, one);
    return chance ? std::optional(1 - *chance) : chance;
  }
  const double slower = std::log(one.high_s / one.point.prediction.total_s);
  const double faster = std::log(other.point.prediction.total_s / other.low_s);
  const double deviation = std::hypot(slower, faster) / deviations_of_90;
  if (!(deviation > 0)) return {};
  return std::erfc(-std::log(one.rate / other.rate) / deviation / std::numbers::sqrt2) / 2;
}

MachineRanking::MachineRanking(std::vector<Contestant> machines, bool by_nodes)
    : machines_(std::move(machines)), by_nodes_(by_nodes) {
  std::map<int, std::vector<Place>> places;
  for (const Contestant& machine : machines_) {
    std::map<int, Place> best;
    for (const PredictionRow& row : rows_of(machine.sweep.points())) {
      const int count = row.best().ranks / (by_nodes_ ? machine.ranks_per_node : 1);
      const Place place = place_of(machine, row.best());
      const auto [found, is_new] = best.try_emplace(count, place);
      if (!is_new && place.rate > found->second.rate) found->second = place;
    }
    for (auto& [count, place] : best) places[count].push_back(std::move(place));
  }
  for (auto& [count, all] : places) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Place& a, const Place& b) { return a.rate > b.rate; });
    counts_.push_back({count, std::move(all)});
  }
}

json MachineRanking::json(const nlohmann::json& asked) const {
  const App& app = machines_.front().sweep.app();
  nlohmann::json ranking = nlohmann::json::array(), left_out = nlohmann::json::array();
  for (const Count& of : counts_) {
    nlohmann::json places = nlohmann::json::array();
    for (const Place& place : of.places) {
      const ScalingPoint& point = place.point;
      nlohmann::json beats = nlohmann::json::object();
      for (const Place& other : of.places)
        if (const auto chance = chance_of_beating(place, other); &other != &place && chance)
          beats[other.machine->name] = *chance;
      places.push_back({{"machine", place.machine->name},
                        {"ranks", point.ranks},
                        {"overlap", overlap_text(point.overlap)},
                        {"model", point.form},
                        {"layout", point.layout},
                        {"total_s", point.prediction.total_s},
                        {"low_s", place.low_s},
                        {"high_s", place.high_s},
                        {"rate", place.rate},
                        {"beats", std::move(beats)},
                        {"outside_range", point.prediction.outside_range},
                        {"outside_machine", point.prediction.outside_machine}});
    }
    ranking.push_back({{by_nodes_ ? "nodes" : "ranks", of.count}, {"places", std::move(places)}});
  }
  for (const Contestant& machine : machines_)
    if (const LeftOut& left = machine.sweep.left_out(); left.count > 0)
      left_out.push_back({{"machine", machine.name},
                          {"count", left.count},
                          {"first", left.first},
                          {"reason", left.reason}});
  return {{"app", app.name()}, {"unit", app.work().unit},       {"step", app.step_name()},
          {"asked", asked},    {"ranking", std::move(ranking)}, {"left_out", std::move(left_out)}};
}

std::string MachineRanking::table(bool details) const {
  const App& app = machines_.front().sweep.app();
  Text text;
  text.add(
      "{}: machines by their predicted rate; time per {} of the faster overlap mode\n"
      "beats next: the chance that it is faster than the one below it\n",
      app.name(), app.step_name());
  std::size_t name_width = 7, layout_width = 6;
  for (const Contestant& machine : machines_)
    name_width = std::max(name_width, machine.name.size());
  for (const Count& of : counts_)
    for (const Place& place : of.places)
      layout_width = std::max(layout_width, place.point.layout.size());
  if (by_nodes_) text.add("{:>7} ", "nodes");
  text.add("{:>7} {:{}} {:>{}} {:>7} {:>9} {:>15} {:>15} {:>8} {:>10}\n", "ranks", "machine",
           name_width, "layout", layout_width, "overlap", "time", "[interval]", "rate", "of first",
           "beats next");
  for (const Count& of : counts_) {
    for (const Place& place : of.places) {
      const ScalingPoint& point = place.point;
      const double total_s = point.prediction.total_s;
      if (by_nodes_) text.add("{:>7} ", of.count);
      text.add("{:>7} {:{}} {:>{}} {:>7} {:>9} {:>15} {:>15} {:>8} {:>10}", point.ranks,
               place.machine->name, name_width, point.layout, layout_width,
               overlap_text(point.overlap), time_text(total_s),
               interval_text(total_s, place.low_s, place.high_s),
               with_prefix(place.rate, app.work().unit),
               percent_text(place.rate / of.places.front().rate),
               &place == &of.places.back() ? "" : chance_text(place, (&place)[1]));
      text.add("{}\n", point.prediction.outside_machine.empty() ? "" : " !");
    }
  }
  text.add("\n");
  for (const Contestant& machine : machines_)
    add_ways_out(machine.sweep.summary(), machine.name + ": ", details, text);
  for (const Contestant& machine : machines_)
    if (const LeftOut& left = machine.sweep.left_out(); left.count > 0)
      text.add("{}: left out: {} of {} counts, the first of them {} ranks: {}\n", machine.name,
               left.count, machine.sweep.counts(), left.first, left.reason);
  return std::move(text).take();
}

}  // namespace bellwether
