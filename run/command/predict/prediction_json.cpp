// SPDX-License-Identifier: MIT
#include "run/command/predict/prediction_table.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/scaling/scaling_summary.hpp"
#include "results/record.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

void append_string(Text& text, const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](char letter) {
    return letter >= ' ' && letter < 127 && letter != '"' && letter != '\\';
  });
  if (plain)
    text.put("\"").put(word).put("\"");
  else
    text.put(json(word).dump());
}

void append_number(Text& text, double number) {
  if (std::isfinite(number))
    text.add("{}", number);
  else
    text.put("null");
}

void append_member(Text& text, const char* key, double number) {
  text.put(key);
  append_number(text, number);
}

/// `intervals`: the same terms with the intervals that they have.
void append_terms(Text& text, const std::vector<Term>& terms, const std::vector<Term>& intervals) {
  text.put(",\"terms\":{");
  const char* comma = "";
  for (const Term& term : terms) {
    text.put(comma);
    append_string(text, term.name);
    append_member(text, ":", term.seconds);
    comma = ",";
  }
  text.put("},\"intervals\":{");
  comma = "";
  for (const Term& term : intervals) {
    text.put(comma);
    append_string(text, term.name);
    append_member(text, ":[", term.low);
    append_member(text, ",", term.high);
    text.put("]");
    comma = ",";
  }
  text.put("}");
}

/// As text and not by way of an object: a sweep may have millions of points.
void append_point(Text& text, const PredictionSweep& sweep, const ScalingPoint& point) {
  const Prediction& prediction = point.prediction;
  text.add("{{\"ranks\":{},\"overlap\":\"{}\",\"model\":", point.ranks,
           point.overlap ? "on" : "off");
  append_string(text, point.form);
  text.put(",\"layout\":");
  append_string(text, point.layout);
  for (const auto& item : point.choice.items()) {
    text.put(",");
    append_string(text, item.key());
    text.put(":");
    text.put(item.value().dump());
  }
  append_member(text, ",\"total_s\":", prediction.total_s);
  const std::optional<RunInterval> runs = sweep.interval(point);
  append_member(text, ",\"low_s\":", runs ? runs->run.low_s : prediction.low_s);
  append_member(text, ",\"high_s\":", runs ? runs->run.high_s : prediction.high_s);
  append_terms(text, prediction.terms, runs ? runs->terms : prediction.terms);
  if (runs) text.put(",\"interval\":").put(causes_json(*runs).dump());
  append_member(text, ",\"rate\":", sweep.units(point) / prediction.total_s);
  append_member(text, ",\"efficiency\":", sweep.efficiency(point));
  append_member(text, ",\"hidden_fraction\":", prediction.hidden_fraction);
  append_member(text, ",\"communication_s\":", prediction.communication_s);
  append_member(text, ",\"hiding_s\":", prediction.hiding_s);
  append_member(text, ",\"imbalance_s\":", prediction.imbalance_s);
  text.put(",\"outside_range\":");
  text.put(prediction.outside_range.empty() ? "[]" : json(prediction.outside_range).dump());
  text.put(",\"outside_machine\":");
  text.put(prediction.outside_machine.empty() ? "[]" : json(prediction.outside_machine).dump());
  text.put("}");
}

ScalingSummary write_points(PredictionSweep& sweep, const Sink& sink) {
  ScalingSummary summary;
  const char* before = "[\n    ";
  sweep.for_each_batch([&](const PredictionSweep::Batch& points) {
    Text text(sink);
    for (const ScalingPoint& point : points) {
      text.put(before);
      append_point(text, sweep, point);
      before = ",\n    ";
    }
    summary.add(points);
  });
  sink("\n  ]");
  return summary;
}

/// Members of the document that follow its points.
json findings(const ScalingSummary& summary, const PredictionSweep& sweep) {
  json best = json::object();
  json bound = json::object();
  json fastest = json::object();
  for (const auto& [name, form] : summary.forms()) {
    best[name] = json::array();
    for (const BestOverlap& stretch : form.best_overlap)
      best[name].push_back(
          {{"from_ranks", stretch.from_ranks}, {"overlap", stretch.overlap ? "on" : "off"}});
    bound[name] = form.communication_bound_from ? json(*form.communication_bound_from) : json();
    fastest[name] = {{"ranks", form.ranks},
                     {"overlap", form.overlap ? "on" : "off"},
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

void write_members(const json& members, const Sink& sink, const char* indent) {
  for (const auto& item : members.items())
    sink(fmt::format(",\n{}{}: {}", indent, json(item.key()).dump(), item.value().dump()));
}

}  // namespace

void write_prediction_json(PredictionSweep& sweep, ChangedSweep* changed, const json& asked,
                           const json& more, const Sink& sink) {
  const auto quoted = [](const std::string& words) { return json(words).dump(); };
  sink(
      fmt::format("{{\n  \"app\": {},\n  \"machine\": {},\n  \"unit\": {},\n  \"step\": {},\n"
                  "  \"asked\": {},\n  \"points\": ",
                  quoted(sweep.app().name()), quoted(sweep.machine().name),
                  quoted(sweep.app().work().unit), quoted(sweep.app().step_name()), asked.dump()));
  const ScalingSummary summary = write_points(sweep, sink);
  write_members(findings(summary, sweep), sink, "  ");
  write_members(more, sink, "  ");
  if (changed != nullptr) {
    json changes = json::array();
    for (const WhatIfChange& change : changed->changes) changes.push_back(to_json(change));
    sink(fmt::format(",\n  \"what_if\": {{\n  \"changes\": {},\n  \"points\": ", changes.dump()));
    const ScalingSummary other = write_points(changed->sweep, sink);
    write_members(findings(other, changed->sweep), sink, "  ");
    sink("\n  }");
  }
  sink("\n}\n");
}

}  // namespace bellwether
