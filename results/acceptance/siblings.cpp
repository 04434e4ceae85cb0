// SPDX-License-Identifier: MIT
#include "results/acceptance/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "models/median.hpp"
#include "results/acceptance/group.hpp"

namespace bellwether {
namespace {

/// log seconds of each rank on each occasion.
Occasions of_ranks(const std::vector<SiblingOccasion>& occasions, const std::string& quantity) {
  Occasions all;
  for (const SiblingOccasion& occasion : occasions) {
    const auto found = occasion.seconds.find(quantity);
    if (found == occasion.seconds.end()) continue;
    std::vector<double>& logs = all.emplace_back();
    for (const double seconds : found->second) logs.push_back(std::log(seconds));
  }
  return all;
}

Occasions of_nodes(const Occasions& ranks, const RankNodes& layout) {
  Occasions nodes;
  for (const auto& occasion : ranks) {
    std::vector<double>& values = nodes.emplace_back();
    for (std::size_t node = 0; node < layout.nodes(); ++node) {
      std::vector<double> own;
      for (const std::size_t rank : layout.ranks_of(node)) own.push_back(occasion[rank]);
      values.push_back(median_of(own));
    }
  }
  return nodes;
}

Occasions within_nodes(Occasions ranks, const RankNodes& layout) {
  const Occasions nodes = of_nodes(ranks, layout);
  for (std::size_t at = 0; at < ranks.size(); ++at)
    for (std::size_t rank = 0; rank < layout.ranks(); ++rank)
      ranks[at][rank] -= nodes[at][static_cast<std::size_t>(layout.node_of(rank))];
  return ranks;
}

void add_rank_groups(const std::vector<SiblingOccasion>& occasions,
                     const std::vector<SiblingOccasion>& baselines, const RankNodes& layout,
                     std::vector<SiblingGroup>& groups) {
  std::vector<std::string> ranks, nodes;
  for (std::size_t rank = 0; rank < layout.ranks(); ++rank) ranks.push_back(layout.rank_name(rank));
  for (std::size_t node = 0; node < layout.nodes(); ++node) nodes.push_back(layout.node_name(node));
  for (const auto& [what, seconds] : occasions.front().seconds) {
    const std::string are = what + " is";
    const Occasions now = of_ranks(occasions, what), before = of_ranks(baselines, what);
    if (layout.has_full_nodes()) {
      groups.push_back(
          {what, are, "nodes", nodes, of_nodes(now, layout), of_nodes(before, layout)});
      groups.push_back(
          {what, are, "ranks", ranks, within_nodes(now, layout), within_nodes(before, layout)});
    } else {
      groups.push_back({what, are, "ranks", ranks, now, before});
    }
  }
}

/// Of each app the ranks' times in the kernels, each record an occasion.
void add_app_groups(const std::vector<Record>& records, const RankNodes& layout,
                    std::vector<SiblingGroup>& groups) {
  std::map<std::string, Occasions> apps;
  for (const Record& record : records) {
    if (record.per_rank.size() != layout.ranks()) continue;
    std::vector<double> values;
    for (const RankResult& rank : record.per_rank) {
      double compute_s = 0;
      for (const auto& [name, seconds] : rank.terms)
        if (name.starts_with("compute.")) compute_s += seconds;
      values.push_back(std::log(compute_s));
    }
    if (std::all_of(values.begin(), values.end(),
                    [](double value) { return std::isfinite(value); }))
      apps[record.app].push_back(std::move(values));
  }
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < layout.ranks(); ++rank) names.push_back(layout.rank_name(rank));
  for (const auto& [app, values] : apps)
    groups.push_back(
        {app + " kernels", "speed in the kernels of " + app + " is", "ranks", names, values, {}});
}

using Pair = std::array<int, 2>;

/// By pair the log seconds, of small (0) or large messages (1), on the occasions that have it.
std::map<Pair, std::vector<double>> of_pairs(const std::vector<SiblingOccasion>& occasions,
                                             std::size_t message) {
  std::map<Pair, std::vector<double>> all;
  for (const SiblingOccasion& occasion : occasions)
    if (occasion.links)
      for (const SiblingOccasion::Link& link : occasion.links->pairs)
        all[link.members].push_back(std::log(link.seconds[message]));
  return all;
}

/// A member's links on an occasion: the median of its pairs; of two pairs the faster one, since the
/// other may be slow for its other end. Empty unless every member has one.
std::vector<double> of_members(const SiblingOccasion::Links& links, std::size_t message,
                               std::size_t members) {
  std::vector<std::vector<double>> pairs(members);
  for (const SiblingOccasion::Link& link : links.pairs)
    for (const int member : link.members)
      pairs.at(static_cast<std::size_t>(member)).push_back(std::log(link.seconds[message]));
  std::vector<double> values;
  for (std::vector<double>& own : pairs) {
    if (own.empty()) return {};
    values.push_back(own.size() == 2 ? std::min(own[0], own[1]) : median_of(own));
  }
  return values;
}

bool ends_at(const Pair& pair, std::size_t member) {
  return std::find(pair.begin(), pair.end(), static_cast<int>(member)) != pair.end();
}

struct Links {
  std::vector<SiblingGroup> members;  ///< of latency and bandwidth
  std::vector<SiblingGroup> pairs;
  std::vector<std::vector<Pair>> ends;  ///< of each pair of the groups
};

Links link_groups(const std::vector<SiblingOccasion>& occasions, const RankNodes& layout) {
  Links links;
  const bool of_several_nodes = layout.nodes() > 1;
  const std::size_t members = of_several_nodes ? layout.nodes() : layout.ranks();
  const auto name = [&](std::size_t member) {
    return of_several_nodes ? layout.node_name(member) : layout.rank_name(member);
  };
  for (const std::size_t message : {0, 1}) {
    const char* const what = message == 0 ? "link latency" : "link bandwidth";
    const auto pairs = of_pairs(occasions, message);
    if (pairs.empty()) continue;
    SiblingGroup own{what,
                     message == 0 ? "links' speed for small messages is" : "links' bandwidth is",
                     of_several_nodes ? "nodes" : "ranks",
                     {},
                     {},
                     {}};
    for (std::size_t member = 0; member < members; ++member) own.names.push_back(name(member));
    for (const SiblingOccasion& occasion : occasions)
      if (occasion.links)
        if (std::vector<double> values = of_members(*occasion.links, message, members);
            !values.empty())
          own.log_s.push_back(std::move(values));
    std::map<Pair, double> medians;
    std::vector<double> all;
    for (const auto& [pair, values] : pairs) all.push_back(medians[pair] = median_of(values));
    const double middle = median_of(all);
    for (std::size_t member = 0; member < members; ++member) {
      int slow = 0, count = 0;
      for (const auto& [pair, value] : medians)
        if (ends_at(pair, member)) {
          ++count;
          slow += value > middle ? 1 : 0;
        }
      own.notes.push_back(fmt::format("{} of {} pairs slower than the middle one", slow, count));
    }
    if (members > 2) links.members.push_back(std::move(own));
    SiblingGroup each{
        what, message == 0 ? "speed for small messages is" : "bandwidth is", "links", {}, {}, {}};
    std::size_t times = pairs.begin()->second.size();
    for (const auto& [pair, values] : pairs) times = std::min(times, values.size());
    each.log_s.resize(times);
    std::vector<Pair>& ends = links.ends.emplace_back();
    for (const auto& [pair, values] : pairs) {
      ends.push_back(pair);
      each.names.push_back(fmt::format("link {} - {}", name(static_cast<std::size_t>(pair[0])),
                                       name(static_cast<std::size_t>(pair[1]))));
      for (std::size_t at = 0; at < times; ++at) each.log_s[at].push_back(values[at]);
    }
    links.pairs.push_back(std::move(each));
  }
  return links;
}

/// The pairs of members that were named are theirs, not the links'.
SiblingGroup without(const SiblingGroup& pairs, const std::vector<Pair>& ends,
                     const std::set<std::size_t>& named) {
  SiblingGroup kept{pairs.what, pairs.are, pairs.members, {}, Occasions(pairs.log_s.size()), {}};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (std::any_of(named.begin(), named.end(),
                    [&](std::size_t member) { return ends_at(ends[i], member); }))
      continue;
    kept.names.push_back(pairs.names[i]);
    for (std::size_t at = 0; at < pairs.log_s.size(); ++at)
      kept.log_s[at].push_back(pairs.log_s[at][i]);
  }
  return kept;
}

}  // namespace

std::vector<Finding> judge_siblings(const std::vector<SiblingOccasion>& occasions,
                                    const std::vector<Record>& records, const Material& material,
                                    double alpha, const std::vector<SiblingOccasion>& baselines) {
  if (occasions.empty()) return {not_held("ranks", "siblings", "they were not measured")};
  const RankNodes layout(occasions.front());
  if (layout.ranks() < 2)
    return {not_held("rank 0", "ranks", "one rank has no siblings (two or more)")};
  std::vector<SiblingGroup> groups;
  add_rank_groups(occasions, baselines, layout, groups);
  add_app_groups(records, layout, groups);
  const Links links = link_groups(occasions, layout);
  // A small message between ranks on one core takes until that core changes hands.
  const bool turns = occasions.front().shared_cores;
  // Each group of links is judged at most twice: its members and its pairs.
  const std::size_t count = groups.size() + links.members.size() + links.pairs.size();
  const double each = alpha / static_cast<double>(count);
  std::vector<Finding> found;
  const auto add = [&](std::vector<Finding> more) {
    found.insert(found.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  };
  for (const SiblingGroup& group : groups) add(judge_group(group, material, each));
  for (std::size_t at = 0; at < links.pairs.size(); ++at) {
    if (turns && links.pairs[at].what == "link latency") {
      found.push_back(not_held("links", "link latency", "ranks share cores"));
      continue;
    }
    std::set<std::size_t> named;
    if (at < links.members.size() && links.members[at].log_s.size() > 0) {
      const SiblingGroup& members = links.members[at];
      std::vector<Finding> own = judge_group(members, material, each);
      for (const Finding& one : own)
        for (std::size_t member = 0; member < members.names.size(); ++member)
          if (one.subject == members.names[member]) named.insert(member);
      add(std::move(own));
    }
    const SiblingGroup pairs = without(links.pairs[at], links.ends[at], named);
    if (pairs.names.size() > 2 && !pairs.log_s.empty())
      add(judge_group(pairs, material, each));
    else
      found.push_back(not_held(
          "links", pairs.what,
          named.empty() ? fmt::format("there {} alone",
                                      pairs.names.size() == 1 ? "is one link" : "are two links")
                        : "too few links are left without those of the nodes that are named"));
  }
  add(judge_clocks(occasions, layout));
  return found;
}

}  // namespace bellwether
