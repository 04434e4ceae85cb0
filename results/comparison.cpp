// SPDX-License-Identifier: MIT
#include "results/comparison.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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
  comparison.by_paper = !record.predicted.empty() && find_prediction(record, "refined") == nullptr;
  return comparison;
}

std::optional<double> Comparison::error(const ComparedTerm& term) const {
  const std::optional<double> expected = by_paper ? term.paper : term.expected();
  if (!expected || !term.measured) return {};
  return relative_error(*expected, term.measured->median);
}

const Prediction* find_prediction(const Record& record, const char* form) {
  const auto found = std::find_if(record.predicted.begin(), record.predicted.end(),
                                  [&](const Prediction& p) { return p.form == form; });
  return found == record.predicted.end() ? nullptr : &*found;
}

std::optional<double> probed_fraction(const Record& record) {
  if (!record.probe || !(record.probe->calibrated_rate > 0)) return {};
  return record.probe->rate.median / record.probe->calibrated_rate;
}

std::optional<double> probed_core_fraction(const Record& record) {
  if (!record.probe || !record.probe->core_rate || !(record.probe->calibrated_core_rate > 0))
    return {};
  return record.probe->core_rate->median / record.probe->calibrated_core_rate;
}

std::optional<double> fraction_of_limit_at_probe(const Record& record) {
  const auto fraction = probed_fraction(record);
  if (!fraction || !(record.rate.fraction_of_limit > 0)) return {};
  return record.rate.fraction_of_limit / *fraction;
}

ComputeTime compute_time(const Prediction& refined) {
  if (refined.compute) return *refined.compute;
  ComputeTime compute;
  for (const Term& term : refined.terms)
    if (term.name.starts_with("compute.")) compute.memory_s += term.seconds;
  return compute;
}

std::optional<Summary> refined_at_probe(const Record& record) {
  const auto fraction = probed_fraction(record);
  const Prediction* refined = find_prediction(record, "refined");
  if (!fraction || !refined) return {};
  const ComputeTime compute = compute_time(*refined);
  const auto predicted_s = [&](double share, double of_core) {
    return refined->total_s + compute.seconds(share, of_core) - compute.seconds();
  };
  const ProbeResult& probe = *record.probe;
  const auto of_core = [&probe](double rate) {
    return rate > 0 && probe.calibrated_core_rate > 0 ? rate / probe.calibrated_core_rate : 1;
  };
  if (probe.samples.empty()) {
    const double core = of_core(probe.core_rate ? probe.core_rate->median : 0);
    const double ratio = predicted_s(*fraction, core) / record.measured.total_s.median;
    return Summary{ratio, ratio, ratio, ratio, ratio, 1};
  }
  std::vector<double> ratios;
  for (const ProbeResult::Sample& sample : probe.samples)
    ratios.push_back(predicted_s(sample.rate / probe.calibrated_rate, of_core(sample.core_rate)) /
                     sample.total_s);
  return summarize(std::move(ratios));
}

std::optional<double> refined_error_at_probe(const Record& record) {
  if (record.error_at_probe) return record.error_at_probe;
  const std::optional<Summary> ratio = refined_at_probe(record);
  return ratio ? std::optional(ratio->median - 1) : std::nullopt;
}

}  // namespace bellwether
