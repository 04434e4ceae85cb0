// SPDX-License-Identifier: MIT
#include "models/network/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
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
  const bool dragonfly = topology.kind == "dragonfly" && topology.dragonfly.size() == 3;
  return tree || torus || dragonfly ? &topology : nullptr;
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

Dragonfly dragonfly_of(const Topology& topology, int nodes) {
  const int routers = topology.dragonfly.at(1), on_router = topology.dragonfly.at(2);
  Dragonfly dragonfly{(nodes - 1) / (routers * on_router) + 1, routers, on_router, 1};
  const auto& links = topology.global_links_per_router;
  const int others = std::max(dragonfly.groups, topology.dragonfly.at(0)) - 1;
  if (links && others > 0) dragonfly.width = links->value * routers / others;
  return dragonfly;
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
  if (topology.kind == "dragonfly") {
    dragonfly_ = dragonfly_of(topology, nodes);
    const int routers = dragonfly_.groups * dragonfly_.routers;
    // Up from each node and down to it, then from each router to each of its group.
    first_between_groups_ = 2 * routers * dragonfly_.nodes + routers * dragonfly_.routers;
    links_ = first_between_groups_ + dragonfly_.groups * dragonfly_.groups;
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
  if (!torus_.empty())
    find_in_torus(from, to, route);
  else if (!tree_.children.empty())
    find_in_tree(from, to, route);
  else
    find_in_dragonfly(from, to, route);
}

std::size_t Routes::longest() const {
  if (!tree_.children.empty()) return 2 * tree_.children.size();
  const std::size_t within = dragonfly_.routers > 1 ? 1 : 0;
  return 2 + (dragonfly_.groups > 1 ? 2 * within + 1 : within);
}

void Routes::find_in_dragonfly(int from, int to, std::vector<int>& route) const {
  const int routers = dragonfly_.routers, nodes = dragonfly_.groups * routers * dragonfly_.nodes;
  const int first = from / dragonfly_.nodes, last = to / dragonfly_.nodes;
  const auto within_group = [&](int router, int next) {
    if (router != next) route.push_back(2 * nodes + router * routers + next % routers);
  };
  route.push_back(from);
  const int group = first / routers, other = last / routers;
  if (group == other) {
    within_group(first, last);
  } else {
    const int leaving = group * routers + other % routers;
    const int entering = other * routers + group % routers;
    within_group(first, leaving);
    route.push_back(first_between_groups_ + group * dragonfly_.groups + other);
    within_group(entering, last);
  }
  route.push_back(nodes + to);
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
    : machine_(machine), placement_(placement), nodes_(placement.nodes(ranks)) {
  const Topology* const topology = routed(machine);
  if (topology == nullptr || nodes_ == 1) return;
  routes_.emplace(*topology, nodes_);
  loads_.resize(static_cast<std::size_t>(routes_->links()));
  sent_.resize(static_cast<std::size_t>(nodes_));
  received_.resize(static_cast<std::size_t>(nodes_));
}

void ExchangeRoutes::add(int from_rank, int to_rank, double bytes) {
  const int from = node_of(from_rank), to = node_of(to_rank);
  if (from == to || bytes <= 0) return;
  routes_->find(from, to, route_);
  const auto count = [bytes](std::vector<double>& loads, int place, std::vector<int>& touched,
                             double width) {
    double& load = loads[static_cast<std::size_t>(place)];
    if (load == 0) touched.push_back(place);
    load += bytes / width;
  };
  for (const int link : route_) count(loads_, link, loaded_, routes_->width(link));
  count(sent_, from, active_, 1);
  count(received_, to, active_, 1);
  most_links_ = std::max(most_links_, route_.size());
}

void ExchangeRoutes::clear() {
  for (const int link : loaded_) loads_[static_cast<std::size_t>(link)] = 0;
  for (const int node : active_)
    sent_[static_cast<std::size_t>(node)] = received_[static_cast<std::size_t>(node)] = 0;
  loaded_.clear();
  active_.clear();
  most_links_ = 0;
}

double ExchangeRoutes::link_bandwidth() const {
  if (counts() && machine_.topology->link_bandwidth_bytes_per_s)
    return machine_.topology->link_bandwidth_bytes_per_s->value;
  return network_bandwidth(machine_);
}

double ExchangeRoutes::latency_of(std::size_t links) const {
  const Topology& topology = *machine_.topology;
  if (links == 0) return 0;
  if (topology.kind == "torus")
    return topology.hop_latency_s ? static_cast<double>(links - 1) * topology.hop_latency_s->value
                                  : 0;
  const auto longest = static_cast<double>(routes_->longest());
  return network_latency(machine_) * (static_cast<double>(links) / longest - 1);
}

Contention ExchangeRoutes::contention() const {
  Contention result;
  if (!counts()) return result;
  const auto most = [](const std::vector<double>& all, const std::vector<int>& places) {
    double found = 0;
    for (const int place : places) found = std::max(found, all[static_cast<std::size_t>(place)]);
    return found;
  };
  const double busiest_node = std::max(most(sent_, active_), most(received_, active_));
  double limit_s = most(loads_, loaded_) / link_bandwidth();
  if (const auto& node = machine_.topology->node_bandwidth_bytes_per_s)
    limit_s = std::max(limit_s, busiest_node / node->value);
  result.bandwidth_s = limit_s - busiest_node / network_bandwidth(machine_);
  result.latency_s = latency_of(most_links_);
  return result;
}

double ExchangeRoutes::passing_s(int from_rank, int to_rank) const {
  const int from = node_of(from_rank), to = node_of(to_rank);
  if (!counts() || from == to) return 0;
  std::vector<int> route;
  routes_->find(from, to, route);
  double most = 0;
  for (const int link : route) most = std::max(most, loads_[static_cast<std::size_t>(link)]);
  double limit_s = most / link_bandwidth();
  if (const auto& node = machine_.topology->node_bandwidth_bytes_per_s)
    limit_s = std::max(limit_s, std::max(sent_[static_cast<std::size_t>(from)],
                                         received_[static_cast<std::size_t>(to)]) /
                                    node->value);
  return limit_s;
}

double ExchangeRoutes::added_latency_s(int from_rank, int to_rank) const {
  const int from = node_of(from_rank), to = node_of(to_rank);
  if (!counts() || from == to) return 0;
  std::vector<int> route;
  routes_->find(from, to, route);
  return latency_of(route.size());
}

void ExchangeRoutes::route(int from_rank, int to_rank, std::vector<int>& links) const {
  const int from = node_of(from_rank), to = node_of(to_rank);
  links.clear();
  if (counts())
    routes_->find(from, to, links);
  else if (from != to)
    links = {from, nodes_ + to};
}

double ExchangeRoutes::link_width(int link) const { return counts() ? routes_->width(link) : 1; }

int ExchangeRoutes::links() const { return counts() ? routes_->links() : 2 * nodes_; }

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
