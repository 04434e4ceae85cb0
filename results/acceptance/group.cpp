// SPDX-License-Identifier: MIT
#include "results/acceptance/group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/median.hpp"

namespace bellwether {
namespace {

/// Which of two has changed since the baselines, as far as there are any.
std::string which_changed(const SiblingGroup& group, const Standing& slow) {
  if (group.before.empty() || group.before.front().size() != 2)
    return "two alone cannot tell which is at fault";
  std::vector<double> change;
  for (const std::size_t member : {0, 1}) {
    std::vector<double> now, before;
    for (const auto& one : group.log_s) now.push_back(one[member]);
    for (const auto& one : group.before) before.push_back(one[member]);
    change.push_back(median_of(now) - median_of(before));
  }
  const std::size_t other = 1 - slow.member;
  if (std::abs(change[slow.member]) > std::abs(change[other]))
    return fmt::format("it is {:.2f} of its baseline, the other one {:.2f}: {} has changed",
                       std::exp(-change[slow.member]), std::exp(-change[other]),
                       group.names[slow.member]);
  return fmt::format(
      "two alone cannot tell which is at fault; it is {:.2f} of its baseline, the other one {:.2f}",
      std::exp(-change[slow.member]), std::exp(-change[other]));
}

std::string test_name(std::size_t members) {
  if (members >= 5) return "largest distance from the median in median absolute deviations";
  return members > 2 ? "being the slowest so often" : "sign test: slower than the other so often";
}

Finding of_standing(const SiblingGroup& group, const Standing& one, const Material& material) {
  Finding finding{.kind = "siblings", .subject = group.names[one.member], .quantity = group.what};
  finding.value = std::exp(-one.log_ratio);
  finding.low = std::exp(-one.high);
  finding.high = std::exp(-one.low);
  finding.expected = 1;
  finding.unit = "of the others";
  finding.warning_bound = 1 / (1 + material.warning);
  finding.failure_bound = 1 / (1 + material.failure);
  finding.p = one.p;
  return finding;
}

}  // namespace

Finding not_held(const std::string& subject, const std::string& what, const std::string& why) {
  return not_judged("siblings", subject, what,
                    fmt::format("{}: not held against siblings: {}", what, why));
}

std::vector<Finding> judge_group(const SiblingGroup& group, const Material& material,
                                 double alpha) {
  const std::size_t members = group.names.size();
  if (const std::size_t enough = occasions_needed(members, alpha); group.log_s.size() < enough)
    return {not_held(fmt::format("{} {}", members, group.members), group.what,
                     fmt::format("telling {} {} from chance takes {} occasions, and there are {}",
                                 members, group.members, enough, group.log_s.size()))};
  std::vector<Standing> all = standings(group.log_s, group.spread);
  if (group.by_near_end)
    for (Standing& one : all) one.p = one.near_p;
  std::vector<Finding> found;
  const std::vector<std::string> sources{
      fmt::format("chance: p <= {:.2g} ({}; the false-alarm rate over all groups)", alpha,
                  test_name(members)),
      material.text()};
  for (const Standing& one : all) {
    // The near end of the interval counts: what the occasions agree on.
    if (one.p > alpha || one.low <= std::log1p(material.warning)) continue;
    Finding finding = of_standing(group, one, material);
    finding.verdict = one.low > std::log1p(material.failure) ? Verdict::fail : Verdict::warning;
    finding.sources = sources;
    const std::string interval =
        fmt::format("{:.2f} to {:.2f}, p = {:.1g}", *finding.low, *finding.high, one.p);
    if (members == 2) {
      finding.subject = fmt::format("{} and {}", group.names[0], group.names[1]);
      finding.sentence =
          fmt::format("{} differ: {}'s {} {:.2f} of {}'s ({}); {}", finding.subject,
                      group.names[one.member], group.are, *finding.value,
                      group.names[1 - one.member], interval, which_changed(group, one));
    } else {
      const std::string note = group.notes.empty() ? "" : group.notes[one.member] + ", ";
      finding.sentence = fmt::format("{}: its {} {:.2f} of the others' ({}{})", finding.subject,
                                     group.are, *finding.value, note, interval);
    }
    found.push_back(std::move(finding));
  }
  if (!found.empty()) return found;
  Finding finding = of_standing(group, all.front(), material);
  finding.subject = fmt::format("{} {}", members, group.members);
  finding.sources = sources;
  finding.sentence = fmt::format(
      "{}: {} alike; the slowest, {}, has {:.2f} of the others' (p = {:.1g})", finding.subject,
      group.what, group.names[all.front().member], *finding.value, all.front().p);
  found.push_back(std::move(finding));
  return found;
}

}  // namespace bellwether
