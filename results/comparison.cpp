// SPDX-License-Identifier: MIT
#include "results/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/prediction_error.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

ComparedTerm& find_or_add(std::vector<ComparedTerm>& terms, const std::string& name) {
  const auto found = std::find_if(terms.begin(), terms.end(),
                                  [&](const ComparedTerm& term) { return term.name == name; });
  if (found != terms.end()) return *found;
  return terms.emplace_back(ComparedTerm{.name = name, .paper = {}, .refined = {}, .measured = {}});
}

/// What is predicted of a term and measured as part of another.
void put_wait_in_network(std::vector<ComparedTerm>& terms) {
  const auto named = [&](const char* name) {
    return std::find_if(terms.begin(), terms.end(),
                        [&](const ComparedTerm& term) { return term.name == name; });
  };
  const auto wait = named("wait"), network = named("network");
  if (wait == terms.end() || wait->measured || !wait->refined) return;
  if (network == terms.end() || !network->measured) return;
  wait->measured_in = network->name;
  network->refined_within = *wait->refined;
  if (network < wait) std::rotate(network + 1, wait, wait + 1);  // read together
}

/// Refined prediction minus measurement, seconds; a side without the term spends no time in it.
double excess_s(const ComparedTerm& term) {
  if (!term.measured_in.empty()) return 0;
  return term.refined.value_or(0) + term.refined_within -
         (term.measured ? term.measured->median : 0);
}

/// Whether the total needs no explanation: the run is one of the nine in ten, at the probe where
/// there is one; else whether the interval by the machine's and the measured one meet.
bool as_expected(const Record& record, const Prediction& refined) {
  const Summary& measured = record.measured.total_s;
  if (!record.interval) return refined.low_s <= measured.high && measured.low <= refined.high_s;
  const RunInterval::Ends& ends = record.interval->at_probe.value_or(record.interval->run);
  return ends.low_s <= measured.median && measured.median <= ends.high_s;
}

/// At the speed during the run, where it was probed: only the computation follows it.
Comparison at_speed_during_run(const Record& record, const Prediction& refined,
                               Comparison comparison) {
  if (!record.interval || !record.interval->at_probe) return comparison;
  const auto computes = [](const std::string& name) { return name.starts_with("compute."); };
  double compute_s = 0;
  for (const Term& term : refined.terms)
    if (computes(term.name)) compute_s += term.seconds;
  const double more_s = record.interval->at_probe->total_s - refined.total_s;
  comparison.total.refined = record.interval->at_probe->total_s;
  for (ComparedTerm& term : comparison.terms)
    if (compute_s > 0 && term.refined && computes(term.name))
      *term.refined *= 1 + more_s / compute_s;
  return comparison;
}

std::string explain(const Record& record, const Prediction& refined,
                    const Comparison& as_calibrated) {
  if (as_expected(record, refined)) return {};
  const Comparison comparison = at_speed_during_run(record, refined, as_calibrated);
  const bool probed = record.interval && record.interval->at_probe;
  const Summary& measured = *comparison.total.measured;
  const double total_excess_s = excess_s(comparison.total);
  std::string sentence =
      fmt::format("{} refined total is {:.1f} % too {}, and {}",
                  probed ? "At its speed during the run the" : "The",
                  100 * std::abs(relative_error(*comparison.total.refined, measured.median)),
                  total_excess_s > 0 ? "high" : "low",
                  record.interval ? "the run is not one of the 90 %"
                                  : "its interval and the measured one do not overlap");
  const auto share = [&](const ComparedTerm& term) { return excess_s(term) / total_excess_s; };
  const auto most = std::max_element(
      comparison.terms.begin(), comparison.terms.end(),
      [&](const ComparedTerm& a, const ComparedTerm& b) { return share(a) < share(b); });
  if (most == comparison.terms.end() || !(share(*most) > 0)) return sentence + ".";
  const TimeUnit unit = time_unit(measured.median);
  std::optional<double> expected = most->refined;
  if (most->refined_within > 0) expected = expected.value_or(0) + most->refined_within;
  const auto time = [&](const char* verb, std::optional<double> seconds) {
    return seconds ? fmt::format("{} {:.3f} {}", verb, *seconds * unit.per_second, unit.name)
                   : fmt::format("not {}", verb);
  };
  return sentence +
         fmt::format("; {} explains {:.0f} % of the difference ({}, {}).", most->name,
                     100 * share(*most), time(probed ? "then predicted" : "predicted", expected),
                     time("measured",
                          most->measured ? std::optional(most->measured->median) : std::nullopt));
}

}  // namespace

Comparison compare(const Record& record) {
  Comparison comparison;
  comparison.total = {
      .name = "total", .paper = {}, .refined = {}, .measured = record.measured.total_s};
  for (const auto& [name, summary] : record.measured.terms) {
    find_or_add(comparison.terms, name).measured = summary;
  }
  const auto join = [&](const char* form, std::optional<double> ComparedTerm::*side) {
    const Prediction* prediction = find_prediction(record, form);
    if (!prediction) return;
    comparison.total.*side = prediction->total_s;
    for (const Term& term : prediction->terms) {
      find_or_add(comparison.terms, term.name).*side = term.seconds;
    }
  };
  join("refined", &ComparedTerm::refined);
  join("paper", &ComparedTerm::paper);
  put_wait_in_network(comparison.terms);
  if (const Prediction* refined = find_prediction(record, "refined")) {
    comparison.explanation = explain(record, *refined, comparison);
  }
  return comparison;
}

}  // namespace bellwether
