// SPDX-License-Identifier: MIT
#include "results/fleet/link_shares.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "models/median.hpp"

namespace bellwether {

void subtract_distance(std::vector<MeasuredLink>& links,
                       const std::function<std::string(std::size_t node)>& leaf) {
  const auto is_within = [&](const MeasuredLink& link) {
    const std::string one = leaf(link.nodes[0]);
    return !one.empty() && one == leaf(link.nodes[1]);
  };
  for (MeasuredLink& link : links) link.middle = median_of(link.log_s);
  for (const bool within : {false, true}) {
    std::vector<double> medians;
    for (const MeasuredLink& link : links)
      if (is_within(link) == within) medians.push_back(link.middle);
    if (medians.empty()) continue;
    const double middle = median_in(medians);
    for (MeasuredLink& link : links) {
      if (is_within(link) != within) continue;
      link.middle -= middle;
      for (double& value : link.log_s) value -= middle;
    }
  }
}

LinksOfNodes links_of_nodes(const std::vector<MeasuredLink>& links, std::size_t nodes) {
  LinksOfNodes of_node(nodes);
  for (const MeasuredLink& link : links)
    for (const std::size_t node : link.nodes) of_node[node].push_back(&link);
  return of_node;
}

std::vector<double> shares(const LinksOfNodes& of_node) {
  std::vector<double> share(of_node.size(), 0);
  constexpr int sweeps = 4;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t node = 0; node < of_node.size(); ++node) {
      std::vector<double> values;
      for (const MeasuredLink* link : of_node[node])
        values.push_back(link->middle - share[link->other_end(node)]);
      if (values.size() >= fewest_pairs) share[node] = median_in(values);
    }
  return share;
}

namespace {

double share_by_others(const LinksOf& links, const MeasuredLink& but, std::size_t node,
                       const std::vector<double>& share) {
  if (links.size() < fewest_pairs) return 0;
  std::vector<double> values;
  for (const MeasuredLink* link : links)
    if (link != &but) values.push_back(link->middle - share[link->other_end(node)]);
  return median_in(values);
}

}  // namespace

double explained_by_nodes(const LinksOfNodes& of_node, const MeasuredLink& link,
                          const std::vector<double>& share) {
  const auto [a, b] = link.nodes;
  return share_by_others(of_node[a], link, a, share) + share_by_others(of_node[b], link, b, share);
}

double spread_of_rest(std::vector<MeasuredLink> links, std::size_t nodes) {
  constexpr std::size_t enough = 20'000;  // for a percent
  constexpr double normal_deviation = 0.674490;
  const LinksOfNodes of_node = links_of_nodes(links, nodes);
  std::mt19937_64 engine(20'111);
  std::normal_distribution<double> normal;
  std::vector<double> rest;
  double squares = 0;
  while (rest.size() < enough) {
    for (MeasuredLink& link : links) link.middle = normal(engine);
    const std::vector<double> share = shares(of_node);
    for (const MeasuredLink& link : links) {
      const double left = link.middle - explained_by_nodes(of_node, link, share);
      squares += left * left;
      rest.push_back(std::abs(left));
    }
  }
  return normal_deviation * std::sqrt(squares / static_cast<double>(rest.size())) / median_in(rest);
}

std::vector<double> without_others(const LinksOf& links, std::size_t node,
                                   const std::vector<double>& share) {
  std::size_t occasions = links.front()->log_s.size();
  for (const MeasuredLink* link : links) occasions = std::min(occasions, link->log_s.size());
  std::vector<double> values(occasions), now(links.size());
  for (std::size_t at = 0; at < occasions; ++at) {
    for (std::size_t i = 0; i < links.size(); ++i)
      now[i] = links[i]->log_s[at] - share[links[i]->other_end(node)];
    values[at] = median_in(now);
  }
  return values;
}

}  // namespace bellwether
