// SPDX-License-Identifier: MIT
#include "models/network/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/errors.hpp"
#include "models/network/link.hpp"

namespace bellwether {
namespace {

const Link* find_link(const Machine& machine, const std::string& name) {
  const auto link = machine.links.find(name);
  return link == machine.links.end() ? nullptr : &link->second;
}

const LinkTiming* one_way_of(const Machine& machine, const char* name) {
  const Link* link = find_link(machine, name);
  return link == nullptr ? nullptr : &link->one_way;
}

}  // namespace

int RankPlacement::on_node(int ranks) const { return std::min(ranks, ranks_per_node); }

int RankPlacement::nodes(int ranks) const { return (ranks - 1) / ranks_per_node + 1; }

int tree_stages(int members) { return std::bit_width(static_cast<unsigned>(members - 1)); }

Paths::Paths(const Machine& machine, const RankPlacement& placement, MessageMemory memory)
    : machine_(machine),
      placement_(placement),
      memory_(memory),
      gpu_(machine.device.kind == "gpu"),
      to_host_(one_way_of(machine, to_host_name())),
      to_device_(one_way_of(machine, to_device_name())) {}

const char* Paths::to_host_name() const {
  if (gpu_) return "device_to_host";
  const bool shared = placement_.ranks_per_node > 1 && machine_.links.contains("staging_shared");
  return shared ? "staging_shared" : "staging";
}

bool Paths::has(Across across) const {
  return find("network").link != nullptr ||
         (across == Across::same_node && find("shared_memory").link != nullptr);
}

Path Paths::find(const char* name) const {
  if (memory_ == MessageMemory::device) {
    const Link* const direct = find_link(machine_, std::string(name) + "_direct");
    return direct != nullptr ? Path{name, direct} : Path{name, find_link(machine_, name), gpu_};
  }
  return {name, find_link(machine_, name)};
}

Path Paths::to(Across across) const {
  const bool near = across == Across::same_node;
  if (const Path path = find("shared_memory"); near && path.link != nullptr) return path;
  if (const Path path = find("network"); path.link != nullptr) return path;
  throw BadInput(fmt::format(
      "machine {}: the link \"{}\" is missing, expected between ranks {}; calibrate with that "
      "layout (--ranks-per-node says which ranks share a node), or predict with --add-link",
      machine_.name, near ? "shared_memory" : "network",
      near ? "of one node" : "on different nodes"));
}

Path Paths::between(int rank, int other) const {
  const bool near = rank / placement_.ranks_per_node == other / placement_.ranks_per_node;
  return to(near ? Across::same_node : Across::other_node);
}

Path Paths::joining(int ranks) const { return between(0, ranks - 1); }

Path Paths::network(int ranks, std::vector<std::string>& notes) const {
  if (Path path = find("network"); path.link != nullptr) return path;
  Path path = joining(ranks);
  notes.emplace_back("network: not calibrated: shared_memory stands for it");
  return path;
}

void Paths::note_copies(std::vector<std::string>& notes) const {
  for (const auto& [timing, name] :
       {std::pair{to_host_, to_host_name()}, std::pair{to_device_, to_device_name()}})
    if (gpu_ && timing == nullptr)
      notes.push_back(fmt::format("not calibrated: no links.{}, its copies are left out", name));
}

void Paths::note_path(const Path& path, std::vector<std::string>& notes) {
  if (path.from_host)
    notes.push_back(fmt::format(
        "not calibrated: no links.{0}_direct, {0} between host memories stands for it", path.name));
}

double Paths::allreduce(int ranks, Bound bound, std::vector<std::string>& notes) const {
  if (ranks == 1) return 0;
  const std::vector<CollectiveTime>& times = machine_.allreduce;
  const auto next =
      std::lower_bound(times.begin(), times.end(), ranks,
                       [](const CollectiveTime& time, int size) { return time.ranks < size; });
  if (next != times.end()) {
    if (next == times.begin() || next->ranks == ranks) return cost_at(next->time_s, bound);
    const CollectiveTime& below = *(next - 1);
    const double share = std::log2(static_cast<double>(ranks) / below.ranks) /
                         std::log2(static_cast<double>(next->ranks) / below.ranks);
    return (1 - share) * cost_at(below.time_s, bound) + share * cost_at(next->time_s, bound);
  }
  constexpr double bytes = 8;
  const Paths host(machine_, placement_);
  const auto tree = [&](Across across, int members) {
    return members == 1
               ? 0
               : tree_stages(members) * link_time(host.to(across).link->one_way, bytes, bound);
  };
  const auto trees = [&] {
    if (find_link(machine_, "shared_memory") == nullptr) return tree(Across::other_node, ranks);
    return tree(Across::same_node, placement_.on_node(ranks)) +
           tree(Across::other_node, placement_.nodes(ranks));
  };
  if (times.empty() || times.back().ranks == 1) return trees();
  notes.push_back(fmt::format("allreduce: calibrated up to {} ranks; grown with their logarithm",
                              times.back().ranks));
  const double grown =
      cost_at(times.back().time_s, bound) * std::log2(ranks) / std::log2(times.back().ranks);
  const bool of_a_node = machine_.layout.ranks <= machine_.layout.ranks_per_node;
  return of_a_node && placement_.nodes(ranks) > 1 ? std::max(grown, trees()) : grown;
}

double Paths::hideable_share(const Path& path, double bytes, Bound bound) const {
  if (const auto& exposed = path.link->exposed_exchange; !exposed.empty())
    return 1 -
           log_between(exposed, std::max(1., bytes), &ExposedExchange::bytes,
                       [bound](const ExposedExchange& one) { return cost_at(one.share, bound); });
  return gpu_ || path.name == "network" ? 1 : 0;
}

double Paths::own_time(const Path& path, double bytes, Bound bound) const {
  const double alone = 1 - hideable_share(path, bytes, bound);
  return alone > 0 ? alone * ExchangeTimer(path, 1).seconds(bytes, bound) / 2 : 0;
}

}  // namespace bellwether
