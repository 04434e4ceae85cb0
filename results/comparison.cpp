// SPDX-License-Identifier: MIT
#include "results/comparison.hpp"

#include <algorithm>

#include "results/prediction_error.hpp"

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

}  // namespace bellwether
