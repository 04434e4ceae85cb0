// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/median.hpp"
#include "results/acceptance/judge.hpp"
#include "results/changes/change.hpp"

namespace bellwether {
namespace {

constexpr std::size_t fewest_repeats = 8;

/// Of each case the medians of its repeats in the order in which they ran.
std::map<std::string, std::vector<double>> totals_of(const std::vector<Record>& records) {
  const std::vector<std::string> names = case_names(records);
  std::map<std::string, std::vector<double>> totals;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i].verification.passed && is_whole(records[i]))
      totals[names[i]].push_back(records[i].measured.total_s.median);
  return totals;
}

}  // namespace

double later_slower_p(const std::vector<double>& first, const std::vector<double>& last) {
  // Mann and Whitney's U: the pairs of which the later one took longer.
  double pairs = 0;
  for (const double one : first)
    for (const double other : last) pairs += other > one ? 1 : other == one ? 0.5 : 0;
  constexpr std::size_t most_counted = 40;
  const std::size_t m = first.size(), n = last.size();
  if (m > most_counted || n > most_counted) {
    const double mean = static_cast<double>(m * n) / 2;
    const double deviation = std::sqrt(mean * static_cast<double>(m + n + 1) / 6);
    return std::erfc((pairs - 0.5 - mean) / deviation / std::sqrt(2.0)) / 2;
  }
  // ways[i][u]: orders of i early and the later ones so far whose U is u; recursion on the last of
  // all, which is an early one or comes after i of them.
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(m * n + 1, 0.0));
  for (auto& row : ways) row[0] = 1;
  for (std::size_t later = 1; later <= n; ++later)
    for (std::size_t i = 1; i <= m; ++i)
      for (std::size_t u = m * n + 1; u-- > 0;)
        ways[i][u] = ways[i - 1][u] + (u >= i ? ways[i][u - i] : 0);
  double all = 0, as_many = 0;
  for (std::size_t u = 0; u <= m * n; ++u) {
    all += ways[m][u];
    if (static_cast<double>(u) >= pairs) as_many += ways[m][u];
  }
  return as_many / all;
}

std::vector<Finding> judge_steady(const std::vector<Record>& records, const Material& material,
                                  double alpha) {
  auto totals = totals_of(records);
  std::erase_if(totals, [](const auto& one) { return one.second.size() < fewest_repeats; });
  std::vector<Finding> found;
  for (const auto& [name, values] : totals) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    const std::vector<double> first(values.begin(), middle), last(middle, values.end());
    Finding finding{.kind = "before", .subject = name, .quantity = "over time"};
    finding.value = median_of(last) / median_of(first);
    finding.expect_one(material, "of the first half's time");
    finding.p = later_slower_p(first, last);
    const double each = alpha / static_cast<double>(totals.size());
    finding.sources = {
        fmt::format("chance: p <= {:.2g} (Mann and Whitney's test of the later half of {} repeats "
                    "against the earlier; the false-alarm rate over all cases)",
                    each, values.size()),
        material.text()};
    if (*finding.p <= each) finding.judge();
    finding.sentence = fmt::format(
        "{}: over time: the later half of {} repeats takes {:.2f} of the earlier (p = {:.1g})",
        name, values.size(), *finding.value, *finding.p);
    found.push_back(std::move(finding));
  }
  return found;
}

}  // namespace bellwether
