// SPDX-License-Identifier: MIT
#include "results/record.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bellwether {

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

bool is_whole(const Record& record) {
  const Summary& total = record.measured.total_s;
  return !record.app.empty() && record.ranks > 0 && total.count > 0 && std::isfinite(total.median);
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
