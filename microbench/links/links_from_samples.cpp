// SPDX-License-Identifier: MIT
#include "microbench/links/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "models/fit/fit.hpp"
#include "models/network/link.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

constexpr double loud = 0.1;  // residuals beyond this are said

using Sweep = std::vector<RepeatedSample>;

std::string pairs_text(const PairSpec& spec, const std::string& buffers) {
  const auto [first, second] = spec.pairs.pairs.front();
  const bool on_host = spec.memory == MessageMemory::host;
  return fmt::format(
      "MPI between ranks {} and {} in {} memory; buffers written anew by the "
      "sender before each message{}{}",
      first, second, on_host ? "host" : "device", on_host ? "; " : "", on_host ? buffers : "");
}

void fit_links(const LinksCases& cases, const SampleStore& store, Machine& machine) {
  std::map<std::string, std::map<PairPattern, std::map<int, Sweep>>> sweeps;
  for (const auto& [spec, key] : cases.pairs) {
    sweeps[spec.link()][spec.pattern][spec.count].push_back(
        {static_cast<double>(spec.bytes), store.at(key)});
    machine.links[spec.link()].source = pairs_text(spec, cases.buffers);
  }
  for (auto& [name, patterns] : sweeps) {
    Link& link = machine.links[name];
    link.one_way = fit_link(patterns[PairPattern::ping_pong][1]);
    for (const auto& [count, sweep] : patterns[PairPattern::exchange])
      if (count == 1)
        link.exchange = fit_link(sweep);
      else
        link.concurrent.push_back({count, fit_link(sweep)});
  }
}

void fit_copies(const LinksCases& cases, const SampleStore& store, Machine& machine) {
  std::map<std::string, Sweep> sweeps;
  for (const auto& [spec, key] : cases.copies)
    sweeps[spec.link].push_back({static_cast<double>(spec.bytes), store.at(key)});
  for (const auto& [name, sweep] : sweeps) {
    Link& link = machine.links[name];
    link.one_way = fit_link(sweep);
    link.source = "pinned host memory, all ranks at once";
    if (name == "staging")
      link.source = "copies between two host buffers, all ranks at once; " + cases.buffers;
    else if (name == "staging_shared")
      link.source =
          "copies to a host buffer that another rank has received, pairs of ranks of a node; " +
          cases.buffers;
  }
}

/// Seconds of the repeats by how many exchanges went on at once.
using Burst = std::map<int, std::vector<double>>;

/// Slopes of the least-squares lines over the exchanges through times of equal rank among the
/// repeats. One that noise hides counts as a small part of the fewest's time: it is positive.
std::vector<double> slopes(Burst burst) {
  constexpr double least_part = 0.01;
  std::size_t repeats = burst.begin()->second.size();
  double mean = 0;
  for (auto& [exchanges, seconds] : burst) {
    std::sort(seconds.begin(), seconds.end());
    repeats = std::min(repeats, seconds.size());
    mean += exchanges / static_cast<double>(burst.size());
  }
  std::vector<double> found;
  for (std::size_t rank = 0; rank < repeats; ++rank) {
    double products = 0;
    double squares = 0;
    for (const auto& [exchanges, seconds] : burst) {
      products += (exchanges - mean) * seconds[rank];
      squares += (exchanges - mean) * (exchanges - mean);
    }
    const auto& [fewest, seconds] = *burst.begin();
    found.push_back(std::max(products / squares, least_part * seconds[rank] / fewest));
  }
  return found;
}

/// A burst's gap is what bounds it: the CPU's sending and receiving, or the card. It is the
/// overheads' sum at most, and these are at most all of the smallest message.
Quantity overhead_of(const LinkTiming& gap, const LinkTiming& one_way) {
  const auto half = [&](Bound bound) {
    return std::min(link_time(gap, 0, bound), link_time(one_way, 0)) / 2;
  };
  return {half(Bound::value), half(Bound::fastest), half(Bound::slowest),
          "at most: half the gap of bursts, (o_send + o_recv) / 2 unless the card's is longer"};
}

/// The gap of a rank's bursts by size.
void fit_gaps(const LinksCases& cases, const SampleStore& store, Machine& machine) {
  std::map<std::string, std::map<double, Burst>> bursts;
  for (const auto& [spec, key] : cases.bursts)
    bursts[spec.link][static_cast<double>(spec.bytes)][spec.exchanges()] = store.at(key);
  for (const auto& [name, sizes] : bursts) {
    Sweep gap;
    for (const auto& [bytes, burst] : sizes) gap.push_back({bytes, slopes(burst)});
    Link& link = machine.links.at(name);
    link.gap = fit_link(gap);
    link.one_way.overhead_s = overhead_of(*link.gap, link.one_way);
  }
}

void add_hiding(const LinksCases& cases, const SampleStore& store, Machine& machine) {
  for (const auto& [spec, keys] : cases.hiding)
    machine.links.at(spec.pairs.link)
        .exposed_exchange.push_back(
            {static_cast<double>(spec.bytes), quantity_of(exposed_shares(store, keys))});
}

/// By the differences to the same without a sweep, round by round.
void add_sweeps(const LinksCases& cases, const SampleStore& store, Machine& machine) {
  std::map<std::pair<std::string, std::size_t>, SampleKey> without;
  for (const auto& [spec, key] : cases.swept) {
    if (spec.swept_bytes == 0) {
      without[{spec.pairs.link, spec.bytes}] = key;
      continue;
    }
    const std::vector<double>& after = store.at(key);
    const std::vector<double>& before = store.at(without.at({spec.pairs.link, spec.bytes}));
    std::vector<double> added;
    for (std::size_t n = 0; n < std::min(after.size(), before.size()); ++n)
      added.push_back(std::max(0., after[n] - before[n]));
    std::vector<SweptExchange>& sweeps = machine.links.at(spec.pairs.link).after_sweep;
    const auto swept = static_cast<double>(spec.swept_bytes);
    if (sweeps.empty() || sweeps.back().swept_bytes != swept) sweeps.push_back({swept, {}});
    sweeps.back().added.push_back({static_cast<double>(spec.bytes), quantity_of(added)});
  }
}

void add_collectives(const LinksCases& cases, const SampleStore& store, Machine& machine) {
  for (const auto& [spec, key] : cases.collectives)
    machine.allreduce.push_back({spec.ranks, quantity_of(store.at(key))});
  for (const auto& [spec, key] : cases.blocks)
    machine.collective_times[spec.key()].push_back(
        {static_cast<double>(spec.bytes), quantity_of(store.at(key))});
}

/// One warning: which fits of which links miss a measured time, and by how much.
void warn_of_residuals(Machine& machine) {
  std::string links;
  for (const auto& [name, link] : machine.links) {
    std::string missed;
    const auto look = [&missed](const std::string& what, const LinkTiming& timing) {
      if (timing.largest_residual > loud)
        missed += fmt::format("{}{} by {:.0f} %", missed.empty() ? "" : ", ", what,
                              100 * timing.largest_residual);
    };
    look("one way", link.one_way);
    if (link.gap) look("the gap of bursts", *link.gap);
    if (link.exchange) look("exchange", *link.exchange);
    for (const ConcurrentTiming& timing : link.concurrent)
      look(fmt::format("exchange by {} pairs", timing.pairs), timing.timing);
    if (!missed.empty()) links += fmt::format("{}{} ({})", links.empty() ? "" : ", ", name, missed);
  }
  if (!links.empty())
    machine.warnings.push_back(
        "fits miss a measured time at some size, and predictions over these paths are that "
        "uncertain: " +
        links);
}

void warn_of_absent_links(int nodes, Machine& machine) {
  if (machine.layout.ranks == 1)
    machine.warnings.push_back(
        "one rank: no link was measured; run under mpirun -n 2 or more to have the shared-memory "
        "and network terms");
  else if (nodes == 1)
    machine.warnings.push_back(
        "one node: no network link was measured; run on two nodes or more to have it");
  if (machine.layout.ranks > 1 && !machine.links.contains("shared_memory"))
    machine.warnings.push_back("one rank on each node: no shared-memory link was measured");
}

}  // namespace

void links_from_samples(const LinksCases& cases, const SampleStore& store, Machine& machine) {
  fit_links(cases, store, machine);
  fit_gaps(cases, store, machine);
  fit_copies(cases, store, machine);
  add_hiding(cases, store, machine);
  add_sweeps(cases, store, machine);
  add_collectives(cases, store, machine);
  warn_of_absent_links(cases.nodes, machine);
  if (!cases.no_direct.empty())
    machine.warnings.push_back(
        "no messages between GPUs' memories were measured: " + cases.no_direct +
        "; --halo direct is predicted from those between "
        "host memories");
  warn_of_residuals(machine);
}

Folder links_folder() { return {measured(plan_links, links_from_samples)}; }

}  // namespace bellwether
