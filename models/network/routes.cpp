// SPDX-License-Identifier: MIT
#include "models/network/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "models/errors.hpp"

namespace bellwether {
namespace {

int product(const std::vector<int>& factors, std::size_t count) {
  return std::accumulate(factors.begin(), factors.begin() + static_cast<std::ptrdiff_t>(count), 1,
                         std::multiplies<>());
}

const Link& network_of(const Machine& machine) {
  const auto link = machine.links.find("network");
  if (link == machine.links.end())
    throw BadInput(fmt::format(
        "machine {}: the link \"network\" is missing, expected between nodes", machine.name));
  return link->second;
}

/// Both directions at once where that was measured.
const LinkTiming& network_timing(const Machine& machine) {
  const Link& link = network_of(machine);
  return link.exchange ? *link.exchange : link.one_way;
}

/// Null where a topology does not say enough to route by.
const Topology* routed(const Machine& machine) {
  if (!machine.topology) return nullptr;
  const Topology& topology = *machine.topology;
  const bool tree = topology.kind == "fat-tree" && !topology.arity.empty();
  const bool torus = topology.kind == "torus" && !topology.dimensions.empty() &&
                     topology.link_bandwidth_bytes_per_s;
  return tree || torus ? &topology : nullptr;
}

}  // namespace

FatTree fat_tree_of(const Topology& topology, int nodes) {
  FatTree tree;
  int below = 1, ports_down = 1;
  const double taper = topology.taper ? topology.taper->value : 1;
  for (std::size_t level = 0; level < topology.arity.size() && (below < nodes || level == 0);
       ++level) {
    const int left = (nodes + below - 1) / below;
    const bool top = level + 1 == topology.arity.size();
    tree.children.push_back(top ? left : std::min(topology.arity[level], left));
    tree.parents.push_back(
        level == 0 ? 1 : std::max(1, static_cast<int>(std::lround(ports_down / taper))));
    ports_down = topology.arity[level];
    below *= tree.children.back();
  }
  return tree;
}

std::vector<int> torus_for(const Topology& topology, int nodes) {
  const std::vector<int>& known = topology.dimensions;
  if (std::accumulate(known.begin(), known.end(), 1.0, std::multiplies<>()) == nodes) return known;
  return torus_of(nodes, static_cast<int>(known.size()));
}

Routes::Routes(const Topology& topology, int nodes) {
  if (topology.kind == "torus") {
    torus_ = torus_for(topology, nodes);
    links_ = 2 * static_cast<int>(torus_.size()) * product(torus_, torus_.size());
    return;
  }
  tree_ = fat_tree_of(topology, nodes);
  int below = product(tree_.children, tree_.children.size());  // elements of the level below
  for (std::size_t level = 0; level < tree_.children.size(); ++level) {
    first_up_.push_back(links_);
    links_ += below * tree_.parents[level];
    below = below / tree_.children[level] * tree_.parents[level];
  }
  links_ *= 2;  // the second half are the same links downwards
}

void Routes::find(int from, int to, std::vector<int>& route) const {
  route.clear();
  if (from == to) return;
  if (torus_.empty())
    find_in_tree(from, to, route);
  else
    find_in_torus(from, to, route);
}

/// A switch is known by its subtree and its number among those on top of the same one.
void Routes::find_in_tree(int from, int to, std::vector<int>& route) const {
  int source = from, target = to;  // their subtrees
  int above = 1, number = 0, turn = to;
  for (std::size_t level = 0; source != target; ++level) {
    const int parents = tree_.parents[level], port = turn % parents;
    const auto link = [&](int subtree) {
      return first_up_[level] + (subtree * above + number) * parents + port;
    };
    route.push_back(link(source));
    route.push_back(links_ / 2 + link(target));
    turn /= parents;
    number = number * parents + port;
    above *= parents;
    source /= tree_.children[level];
    target /= tree_.children[level];
  }
}

void Routes::find_in_torus(int from, int to, std::vector<int>& route) const {
  const int directions = static_cast<int>(torus_.size());
  int at = from, stride = 1;
  for (int direction = 0; direction < directions; ++direction) {
    const int length = torus_[static_cast<std::size_t>(direction)];
    const int here = from / stride % length, there = to / stride % length;
    const int up = (there - here + length) % length;
    const int way = up <= length / 2 ? 1 : -1;
    for (int hop = way > 0 ? up : length - up; hop > 0; --hop) {
      route.push_back(2 * (at * directions + direction) + (way > 0 ? 0 : 1));
      const int place = at / stride % length;
      at += ((place + way + length) % length - place) * stride;
    }
    stride *= length;
  }
}

ExchangeRoutes::ExchangeRoutes(const Machine& machine, const RankPlacement& placement, int ranks)
    : machine_(machine), placement_(placement) {
  const int nodes = placement.nodes(ranks);
  const Topology* const topology = routed(machine);
  if (topology == nullptr || nodes == 1) return;
  routes_.emplace(*topology, nodes);
  loads_.resize(static_cast<std::size_t>(routes_->links()));
  sent_.resize(static_cast<std::size_t>(nodes));
  received_.resize(static_cast<std::size_t>(nodes));
}

void ExchangeRoutes::add(int from_rank, int to_rank, double bytes) {
  const int from = from_rank / placement_.ranks_per_node, to = to_rank / placement_.ranks_per_node;
  if (from == to) return;
  routes_->find(from, to, route_);
  for (const int link : route_) loads_[static_cast<std::size_t>(link)] += bytes;
  sent_[static_cast<std::size_t>(from)] += bytes;
  received_[static_cast<std::size_t>(to)] += bytes;
  most_hops_ = std::max(most_hops_, route_.size());
}

Contention ExchangeRoutes::contention() const {
  Contention result;
  if (!counts()) return result;
  const Topology& topology = *machine_.topology;
  const double own = network_bandwidth(machine_);
  const auto most = [](const std::vector<double>& all) {
    return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
  };
  const double busiest_node = std::max(most(sent_), most(received_));
  double limit_s =
      most(loads_) /
      (topology.link_bandwidth_bytes_per_s ? topology.link_bandwidth_bytes_per_s->value : own);
  if (topology.node_bandwidth_bytes_per_s)
    limit_s = std::max(limit_s, busiest_node / topology.node_bandwidth_bytes_per_s->value);
  result.bandwidth_s = limit_s - busiest_node / own;
  if (topology.kind == "torus" && topology.hop_latency_s)
    result.latency_s = static_cast<double>(most_hops_ - 1) * topology.hop_latency_s->value;
  return result;
}

double network_bandwidth(const Machine& machine) {
  return network_timing(machine).bandwidth_bytes_per_s.value;
}

double network_latency(const Machine& machine) {
  const LinkTiming& timing = network_timing(machine);
  const LinkTiming& one_way = network_of(machine).one_way;
  const double overhead = one_way.overhead_s ? one_way.overhead_s->value : 0;
  return std::max(0., timing.latency_s.value - 2 * overhead);
}

}  // namespace bellwether
