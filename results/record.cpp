// SPDX-License-Identifier: MIT
#include "results/record.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "results/comparison.hpp"
#include "results/prediction_error.hpp"
#include "results/verdict.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

json to_json(const Summary& summary) {
  return {{"median", summary.median}, {"low", summary.low}, {"high", summary.high},
          {"min", summary.min},       {"max", summary.max}, {"count", summary.count}};
}

json to_json(const Measurement& measured) {
  json object = {{"total_s", to_json(measured.total_s)}, {"terms", json::object()}};
  for (const auto& [name, summary] : measured.terms) object["terms"][name] = to_json(summary);
  if (measured.hidden_fraction) object["hidden_fraction"] = *measured.hidden_fraction;
  if (measured.imbalance_s) object["imbalance_s"] = *measured.imbalance_s;
  return object;
}

json to_json(const Prediction& prediction) {
  json terms = json::object();
  json intervals = json::object();
  for (const Term& term : prediction.terms) {
    terms[term.name] = term.seconds;
    intervals[term.name] = json::array({term.low, term.high});
  }
  json object = {
      {"total_s", prediction.total_s},         {"low_s", prediction.low_s},
      {"high_s", prediction.high_s},           {"terms", std::move(terms)},
      {"intervals", std::move(intervals)},     {"hidden_fraction", prediction.hidden_fraction},
      {"imbalance_s", prediction.imbalance_s}, {"outside_range", prediction.outside_range}};
  if (!prediction.outside_machine.empty()) object["outside_machine"] = prediction.outside_machine;
  return object;
}

json to_json(const RunInterval::Ends& ends) {
  return {{"total_s", ends.total_s}, {"low_s", ends.low_s}, {"high_s", ends.high_s}};
}

/// In the place of what the machine's intervals allow.
void put_interval(const RunInterval& interval, json& refined) {
  refined["interval"] = causes_json(interval, refined.at("low_s"), refined.at("high_s"));
  refined.update(to_json(interval.run));
  for (const Term& term : interval.terms)
    refined["intervals"][term.name] = json::array({term.low, term.high});
}

json to_json(const RankResult& rank) {
  json object = {{"host", rank.host},
                 {"cores", rank.cores},
                 {"device", rank.device},
                 {"terms", json::object()}};
  for (const auto& [name, seconds] : rank.terms) object["terms"][name] = seconds;
  if (!rank.gpu.is_null()) object["gpu"] = rank.gpu;
  return object;
}

json errors(const Record& record) {
  json object = json::object();
  for (const Prediction& prediction : record.predicted) {
    object[prediction.form] = relative_error(prediction.total_s, record.measured.total_s.median);
  }
  if (const auto error = refined_error_at_probe(record)) object["refined_at_probe"] = *error;
  return object;
}

/// A number of which 0 says that it is unknown.
json known(double number) { return number > 0 ? json(number) : json(nullptr); }

void nullify_non_finite(json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) value = nullptr;
  if (value.is_structured()) {
    for (json& element : value) nullify_non_finite(element);
  }
}

}  // namespace

double measured_imbalance(const std::vector<RankResult>& ranks) {
  double most = 0, all = 0;
  for (const RankResult& rank : ranks) {
    double seconds = 0;
    for (const auto& [name, of_term] : rank.terms)
      if (name.starts_with("compute")) seconds += of_term;
    most = std::max(most, seconds);
    all += seconds;
  }
  return ranks.empty() ? 0 : most - all / static_cast<double>(ranks.size());
}

json causes_json(const RunInterval& interval, double machine_low_s, double machine_high_s) {
  const auto pair = [](const std::pair<double, double>& ratios) {
    return json::array({ratios.first, ratios.second});
  };
  json causes = {
      {"of", "90 % of runs"},
      {"calibration", pair(interval.calibration)},
      {"drift", pair(interval.drift)},
      {"slowest_probe", {{"of", interval.slowest_probe_of}, {"times", interval.slowest_probe}}},
      {"model", pair(interval.model)},
      {"model_runs", interval.model_runs},
      {"machine_s", json::array({machine_low_s, machine_high_s})}};
  if (interval.at_probe) causes["at_probe"] = to_json(*interval.at_probe);
  return causes;
}

json to_json(const Record& record) {
  json object = {{"schema", record_schema},
                 {"app", record.app},
                 {"ranks", record.ranks},
                 {"problem", record.problem},
                 {"variant", record.variant},
                 {"measured", to_json(record.measured)},
                 {"predicted", json::object()},
                 {"error", errors(record)},
                 {"verdict", to_json(verdict_of(record))},
                 {"oversubscribed", record.oversubscribed},
                 {"verification",
                  {{"passed", record.verification.passed},
                   {"what", record.verification.what},
                   {"value", record.verification.value},
                   {"tolerance", record.verification.tolerance}}},
                 {"result", record.result},
                 {"machine", record.machine.empty() ? json(nullptr) : json(record.machine)},
                 {"provenance", record.provenance}};
  add_comparison(record, object);
  for (const Prediction& prediction : record.predicted) {
    json& predicted = object["predicted"][prediction.form] = to_json(prediction);
    if (prediction.form == "refined" && record.interval) put_interval(*record.interval, predicted);
  }
  if (record.throttled)
    object["throttled"] = {{"rank", record.throttled->rank},
                           {"cpus", record.throttled->cpus},
                           {"periods", record.throttled->periods},
                           {"throttled_periods", record.throttled->throttled_periods},
                           {"seconds", record.throttled->seconds}};
  if (record.ranks_per_device > 0) object["ranks_per_device"] = record.ranks_per_device;
  for (const auto& [name, seconds] : record.setup) object["setup"]["terms"][name] = seconds;
  for (const RankResult& rank : record.per_rank) object["per_rank"].push_back(to_json(rank));
  if (record.probe) {
    object["probe"] = {{"of", record.probe->of},
                       {"unit", record.probe->unit},
                       {"rate", to_json(record.probe->rate)},
                       {"calibrated_rate", known(record.probe->calibrated_rate)}};
    json& kept = object["probe"]["samples"] = {{"total_s", json::array()}, {"rate", json::array()}};
    for (const ProbeResult::Sample& sample : record.probe->samples) {
      kept["total_s"].push_back(sample.total_s);
      kept["rate"].push_back(sample.rate);
      if (record.probe->core_rate) kept["core_rate"].push_back(sample.core_rate);
    }
    if (record.probe->core_rate) {
      object["probe"]["core_rate"] = to_json(*record.probe->core_rate);
      object["probe"]["calibrated_core_rate"] = known(record.probe->calibrated_core_rate);
    }
    if (record.probe->plain_rate)
      object["probe"]["plain_rate"] = to_json(*record.probe->plain_rate);
  }
  if (record.verification.passed) {
    object["rate"] = {
        {"value", record.rate.value},
        {"unit", record.rate.unit},
        {"limit", record.rate.limit.empty() ? json(nullptr) : json(record.rate.limit)},
        {"fraction_of_limit", known(record.rate.fraction_of_limit)},
        {"flops_per_s", known(record.rate.flops_per_s)},
        {"bytes_per_s", known(record.rate.bytes_per_s)}};
    if (!record.rate.above_limit.empty()) object["rate"]["above_limit"] = record.rate.above_limit;
    if (record.rate.fraction_of_sustained > 0)
      object["rate"]["fraction_of_sustained_limit"] = record.rate.fraction_of_sustained;
    if (const auto fraction = fraction_of_limit_at_probe(record))
      object["rate"]["fraction_of_limit_at_probe"] = *fraction;
    for (const TermRate& rate : record.rate.terms) {
      json& of_term = object["rate"]["terms"][rate.term] = {
          {"bytes_per_s", rate.bytes_per_s}, {"fraction_of_limit", known(rate.fraction_of_limit)}};
      if (!rate.above_limit.empty()) of_term["above_limit"] = rate.above_limit;
    }
  }
  nullify_non_finite(object);
  return object;
}

Verification judged(std::string what, double value, double tolerance) {
  return {value <= tolerance, std::move(what), value, tolerance};
}

Verification worst_of(const std::vector<Verification>& all) {
  const auto nearer = [](const Verification& a, const Verification& b) {
    if (a.passed != b.passed) return b.passed;
    return a.value * b.tolerance > b.value * a.tolerance;
  };
  Verification worst = all.front();
  for (const Verification& one : all)
    if (nearer(one, worst)) worst = one;
  return worst;
}

}  // namespace bellwether
