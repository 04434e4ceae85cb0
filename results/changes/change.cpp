// SPDX-License-Identifier: MIT
#include "results/changes/change.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/machine/json_text.hpp"

namespace bellwether {
namespace {

/// What differs between any two runs.
const std::set<std::string> of_the_moment{"time", "command_line", "request", "samples"};

/// Facts by their names; those of an object within by both, "environment.OMP_NUM_THREADS".
std::map<std::string, std::string> facts_of(const nlohmann::json& provenance) {
  std::map<std::string, std::string> facts;
  if (!provenance.is_object()) return facts;
  const auto text = [](const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  for (const auto& item : provenance.items()) {
    if (of_the_moment.contains(item.key())) continue;
    // A machine file's environment is an object in a text.
    const nlohmann::json value = item.value().is_string() && text(item.value()).starts_with('{')
                                     ? try_json(text(item.value()))
                                     : item.value();
    if (!value.is_object()) {
      facts[item.key()] = text(item.value());
      continue;
    }
    for (const auto& inner : value.items())
      facts[item.key() + "." + inner.key()] = text(inner.value());
  }
  return facts;
}

int rank_of(Judgement judgement) {
  switch (judgement) {
    case Judgement::wrong:
      return 0;
    case Judgement::worse:
      return 1;
    case Judgement::different:
      return 2;
    case Judgement::better:
      return 3;
    case Judgement::unknown:
      return 4;
    case Judgement::noise:
      break;
  }
  return 5;
}

}  // namespace

Judgement judge(const Measured& before, const Measured& after, Better better, bool ranged) {
  if (!ranged) return Judgement::unknown;
  const bool more = after.low > before.high, less = after.high < before.low;
  if (!more && !less) return Judgement::noise;
  if (better == Better::neither) return Judgement::different;
  return more == (better == Better::more) ? Judgement::better : Judgement::worse;
}

void sort_changes(std::vector<Change>& changes) {
  const auto size = [](const Change& change) {
    const double ratio = std::abs(std::log(change.after.value / change.before.value));
    return std::isfinite(ratio) ? ratio : HUGE_VAL;
  };
  std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
    const int first = rank_of(a.judgement), second = rank_of(b.judgement);
    return first != second ? first < second : size(a) > size(b);
  });
}

void add_values(const nlohmann::json& provenance, ProvenanceValues& values) {
  for (const auto& [key, value] : facts_of(provenance)) values[key].insert(value);
}

void add_provenance(ProvenanceValues before, ProvenanceValues after, Changes& changes) {
  const auto joined = [](const std::set<std::string>& values) {
    return values.empty() ? "-" : fmt::format("{}", fmt::join(values, " | "));
  };
  for (const auto& side : {before, after})
    for (const auto& [key, values] : side)
      if (before[key] != after[key])
        changes.provenance[key] = {joined(before[key]), joined(after[key])};
}

}  // namespace bellwether
