// SPDX-License-Identifier: MIT
#include "run/command/predict/prediction_table.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "models/scaling/scaling_summary.hpp"
#include "results/record.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

json point_json(const PredictionSweep& sweep, const ScalingPoint& point) {
  const Prediction& prediction = point.prediction;
  const std::optional<RunInterval> runs = sweep.interval(point);
  json terms = json::object(), intervals = json::object();
  for (const Term& term : prediction.terms) terms[term.name] = term.seconds;
  for (const Term& term : runs ? runs->terms : prediction.terms)
    intervals[term.name] = {term.low, term.high};
  json object{{"ranks", point.ranks},
              {"overlap", overlap_text(point.overlap)},
              {"model", point.form},
              {"layout", point.layout},
              {"total_s", prediction.total_s},
              {"low_s", runs ? runs->run.low_s : prediction.low_s},
              {"high_s", runs ? runs->run.high_s : prediction.high_s},
              {"terms", std::move(terms)},
              {"intervals", std::move(intervals)},
              {"rate", sweep.units(point) / prediction.total_s},
              {"efficiency", sweep.efficiency(point)},
              {"hidden_fraction", prediction.hidden_fraction},
              {"communication_s", prediction.communication_s},
              {"hiding_s", prediction.hiding_s},
              {"imbalance_s", prediction.imbalance_s},
              {"outside_range", prediction.outside_range},
              {"outside_machine", prediction.outside_machine}};
  if (const auto joules = sweep.joules(point)) {
    object["joules_per_step"] = *joules;
    object["units_per_joule"] = sweep.units(point) / *joules;
  }
  object.update(point.choice);
  if (runs) object["interval"] = causes_json(*runs);
  return object;
}

void add_points(const PredictionSweep& sweep, Text& text) {
  const char* before = "[\n    ";
  for (const ScalingPoint& point : sweep.points()) {
    text.add("{}{}", before, point_json(sweep, point).dump());
    before = ",\n    ";
  }
  text.add("\n  ]");
}

/// Members of the document that follow its points.
json findings(const PredictionSweep& sweep) {
  json best = json::object();
  json bound = json::object();
  json fastest = json::object();
  for (const auto& [name, form] : sweep.summary().forms()) {
    best[name] = json::array();
    for (const BestOverlap& stretch : form.best_overlap)
      best[name].push_back(
          {{"from_ranks", stretch.from_ranks}, {"overlap", overlap_text(stretch.overlap)}});
    bound[name] = form.communication_bound_from ? json(*form.communication_bound_from) : json();
    fastest[name] = {{"ranks", form.ranks},
                     {"overlap", overlap_text(form.overlap)},
                     {"layout", form.layout},
                     {"total_s", form.total_s}};
  }
  const LeftOut& left_out = sweep.left_out();
  return {{"best_overlap", best},
          {"communication_bound_from", bound},
          {"fastest", fastest},
          {"left_out",
           {{"count", left_out.count},
            {"first", left_out.count > 0 ? json(left_out.first) : json()},
            {"reason", left_out.reason}}}};
}

void add_members(const json& members, Text& text) {
  for (const auto& item : members.items())
    text.add(",\n  {}: {}", json(item.key()).dump(), item.value().dump());
}

}  // namespace

std::string prediction_json(const PredictionSweep& sweep, const ChangedSweep* changed,
                            const json& asked, const json& more) {
  const auto quoted = [](const std::string& words) { return json(words).dump(); };
  Text text;
  text.add(
      "{{\n  \"app\": {},\n  \"machine\": {},\n  \"unit\": {},\n  \"step\": {},\n"
      "  \"asked\": {},\n  \"points\": ",
      quoted(sweep.app().name()), quoted(sweep.machine().name), quoted(sweep.app().work().unit),
      quoted(sweep.app().step_name()), asked.dump());
  add_points(sweep, text);
  add_members(findings(sweep), text);
  add_members(more, text);
  if (changed != nullptr) {
    json changes = json::array();
    for (const WhatIfChange& change : changed->changes) changes.push_back(to_json(change));
    text.add(",\n  \"what_if\": {{\n  \"changes\": {},\n  \"points\": ", changes.dump());
    add_points(changed->sweep, text);
    add_members(findings(changed->sweep), text);
    text.add("\n  }}");
  }
  return std::move(text.add("\n}}\n")).take();
}

}  // namespace bellwether
