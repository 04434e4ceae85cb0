// SPDX-License-Identifier: MIT
#include "models/trace/simgrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "models/errors.hpp"
#include "models/network/link.hpp"
#include "models/network/routes.hpp"

namespace bellwether {
namespace {

/// MPI's types as replayed traces number them.
constexpr int mpi_double = 0, mpi_byte = 6;
constexpr double largest_count = 2147483647;
double overhead_of(const Machine& machine) {
  const LinkTiming& timing = machine.links.at("network").one_way;
  return timing.overhead_s ? timing.overhead_s->value : 0;
}

/// Numbers with commas between.
std::string listed(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) {
    if (!text.empty()) text += ',';
    text += std::to_string(number);
  }
  return text;
}

/// The topology's part of a cluster's attributes, how many hosts it must have, and the latency of
/// each of its links.
struct Wiring {
  std::string attributes;
  int hosts;
  double latency_s;
};
Wiring wiring_of(const Machine& machine, int nodes) {
  const double latency = network_latency(machine);
  // Up to the switch and down from it.
  Wiring wiring{"", nodes, latency / 2};
  if (!machine.topology) return wiring;
  const Topology& topology = *machine.topology;
  if (topology.kind == "fat-tree" && !topology.arity.empty()) {
    const FatTree tree = fat_tree_of(topology, nodes);
    const std::vector<int> single(tree.children.size(), 1);
    wiring.attributes =
        fmt::format(" topology=\"FAT_TREE\" topo_parameters=\"{};{};{};{}\"", tree.children.size(),
                    listed(tree.children), listed(tree.parents), listed(single));
    wiring.hosts =
        std::accumulate(tree.children.begin(), tree.children.end(), 1, std::multiplies<>());
    wiring.latency_s = latency / 2 / static_cast<double>(tree.children.size());
  } else if (topology.kind == "torus" && !topology.dimensions.empty()) {
    const std::vector<int> torus = torus_for(topology, nodes);
    wiring.attributes = fmt::format(" topology=\"TORUS\" topo_parameters=\"{}\"", listed(torus));
    wiring.hosts = std::accumulate(torus.begin(), torus.end(), 1, std::multiplies<>());
    wiring.latency_s = topology.hop_latency_s ? topology.hop_latency_s->value : latency;
  } else if (topology.kind == "dragonfly" && topology.dragonfly.size() == 3) {
    const Dragonfly fly = dragonfly_of(topology, nodes);
    const double width = std::round(fly.width);
    if (fly.groups > fly.routers || width < 1 || std::abs(width - fly.width) > 1e-9)
      throw BadInput(fmt::format(
          "topology dragonfly: found {} groups of {} routers, {:.3g} links between two groups; a "
          "simulated one needs at least as many routers, and whole links",
          fly.groups, fly.routers, fly.width));
    wiring.attributes =
        fmt::format(" topology=\"DRAGONFLY\" topo_parameters=\"{},{:g};1,1;{},1;{}\"", fly.groups,
                    width, fly.routers, fly.nodes);
    wiring.hosts = fly.groups * fly.routers * fly.nodes;
    wiring.latency_s = latency / static_cast<double>(Routes(topology, nodes).longest());
  }
  return wiring;
}

std::string wait_for(int from, int to, int tag) {
  return fmt::format("wait {} {} {}", from, to, tag);
}

/// Between the ranks of a node.
std::string loopback_of(const Machine& machine) {
  const auto found = machine.links.find("shared_memory");
  if (found == machine.links.end()) return "";
  const Link& link = found->second;
  const LinkTiming& timing = link.exchange ? *link.exchange : link.one_way;
  return fmt::format(" loopback_bw=\"{:.9g}Bps\" loopback_lat=\"{:.9g}s\"",
                     timing.bandwidth_bytes_per_s.value, timing.latency_s.value);
}

}  // namespace

SimGridSink::SimGridSink(int rank, std::FILE* file) : rank_(rank), file_(file) {}

void SimGridSink::line(const std::string& text) {
  const std::string whole = fmt::format("{} {}\n", rank_, text);
  bytes_ += static_cast<double>(whole.size());
  if (file_ == nullptr) return;
  if (std::fputs(whole.c_str(), file_) < 0)
    throw BadInput(fmt::format("rank{}.txt: cannot be written: {}", rank_, std::strerror(errno)));
}

void SimGridSink::begin() { line("init"); }
void SimGridSink::end() { line("finalize"); }

void SimGridSink::compute(double seconds) {
  const double flops = std::round(seconds * simgrid_flops_per_s);
  if (flops > 0) line(fmt::format("compute {:.0f}", flops));
}

void SimGridSink::message(const char* what, int peer, double bytes, int tag) {
  const bool long_one = bytes > largest_count;
  const double count = std::ceil(long_one ? bytes / sizeof(double) : bytes);
  line(fmt::format("{} {} {} {:.0f} {}", what, peer, tag, count, long_one ? mpi_double : mpi_byte));
}

void SimGridSink::start_receive(int from, double bytes, int tag) {
  message("irecv", from, bytes, tag);
  under_way_.push_back(wait_for(from, rank_, tag));
}

void SimGridSink::start_send(int to, double bytes, int tag) {
  message("isend", to, bytes, tag);
  under_way_.push_back(wait_for(rank_, to, tag));
}

void SimGridSink::wait(const std::string& one) {
  line(one);
  const auto waited = std::find(under_way_.begin(), under_way_.end(), one);
  if (waited != under_way_.end()) under_way_.erase(waited);
}

void SimGridSink::wait_received(int from, int tag) { wait(wait_for(from, rank_, tag)); }
void SimGridSink::wait_sent(int to, int tag) { wait(wait_for(rank_, to, tag)); }

void SimGridSink::wait_all() {
  for (const std::string& one : under_way_) line(one);
  under_way_.clear();
}

void SimGridSink::receive(int from, double bytes, int tag) { message("recv", from, bytes, tag); }
void SimGridSink::send(int to, double bytes, int tag) { message("send", to, bytes, tag); }

void SimGridSink::allreduce(double bytes) {
  line(fmt::format("allreduce {:.0f} 0 {}", bytes, mpi_byte));
}

std::string simgrid_platform(const Machine& machine, int nodes, int ranks_per_node) {
  const double bandwidth = network_bandwidth(machine);
  const Wiring wiring = wiring_of(machine, nodes);
  const bool both_ways = machine.links.at("network").exchange.has_value();
  const bool torus = machine.topology && machine.topology->kind == "torus" &&
                     machine.topology->link_bandwidth_bytes_per_s;
  return fmt::format(
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n"
      "  <cluster id=\"machine\" prefix=\"node\" suffix=\"\" radical=\"0-{}\" speed=\"{:.0f}f\" "
      "core=\"{}\"\n"
      "           bw=\"{:.9g}Bps\" lat=\"{:.9g}s\" sharing_policy=\"{}\"{}{} />\n"
      "</platform>\n",
      wiring.hosts - 1, simgrid_flops_per_s, ranks_per_node,
      torus ? machine.topology->link_bandwidth_bytes_per_s->value : bandwidth, wiring.latency_s,
      both_ways ? "SPLITDUPLEX" : "SHARED", wiring.attributes, loopback_of(machine));
}

std::vector<std::string> simgrid_options(const Machine& machine) {
  const double copied_bytes = eager_limit_bytes(machine.links.at("network"));
  const std::string overhead = fmt::format("0:{:.9g}:0", overhead_of(machine));
  return {// Times of messages are those of the platform, whatever their size.
          "--cfg=smpi/bw-factor:0:1", "--cfg=smpi/lat-factor:0:1", "--cfg=network/weight-S:0",
          // What comes back slows nothing down; no window of TCP limits a message.
          "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:0",
          // MPI copies small messages aside; larger ones travel once both sides have started
          // them, and until then keep who waits for them from sending more over the same link.
          fmt::format("--cfg=smpi/async-small-thresh:{:.0f}", copied_bytes),
          fmt::format("--cfg=smpi/send-is-detached-thresh:{:.0f}", copied_bytes),
          "--cfg=smpi/os:" + overhead, "--cfg=smpi/ois:" + overhead, "--cfg=smpi/or:" + overhead,
          "--cfg=smpi/allreduce:rdb",
          // A replay has no program whose variables each rank would need for itself: copying those
          // takes most of the time of some thousand ranks. Nor does it call deeply.
          "--cfg=smpi/privatization:no", "--cfg=contexts/stack-size:64"};
}

std::string simgrid_hosts(int ranks, int ranks_per_node) {
  std::string hosts;
  for (int rank = 0; rank < ranks; ++rank) hosts += fmt::format("node{}\n", rank / ranks_per_node);
  return hosts;
}

}  // namespace bellwether
