// SPDX-License-Identifier: MIT
#include "microbench/driver/machine_from_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "microbench/airfoil/airfoil_from_samples.hpp"
#include "microbench/memory/device_from_samples.hpp"
#include "models/airfoil/airfoil_parameters.hpp"
#include "models/fit/fit.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

constexpr double loud = 0.1;  // residuals and drift beyond this are said

using Sweep = std::vector<RepeatedSample>;

std::string pairs_text(const RankPairs& pairs) {
  const auto [first, second] = pairs.pairs.front();
  return fmt::format(
      "MPI between ranks {} and {} in host memory; buffers written anew by the "
      "sender before each message",
      first, second);
}

void fit_links(const MeasurementPlan& plan, const SampleStore& store, Machine& machine) {
  std::map<std::string, std::map<LinkPattern, std::map<int, Sweep>>> sweeps;
  for (const LinkSpec& spec : plan.links) {
    sweeps[spec.pairs.link][spec.pattern][spec.count].push_back(
        {static_cast<double>(spec.bytes), store.at(spec.name())});
    machine.links[spec.pairs.link].source = pairs_text(spec.pairs);
  }
  for (auto& [name, patterns] : sweeps) {
    Link& link = machine.links[name];
    link.one_way = fit_link(patterns[LinkPattern::ping_pong][1]);
    link.unaligned = fit_link(patterns[LinkPattern::ping_pong_unaligned][1]);
    for (const auto& [count, sweep] : patterns[LinkPattern::exchange])
      link.concurrent.push_back({count, fit_link(sweep)});
    link.exchange = link.concurrent.front().timing;
  }
}

void fit_copies(const MeasurementPlan& plan, const SampleStore& store, Machine& machine) {
  std::map<std::string, std::map<bool, Sweep>> sweeps;
  for (const CopySpec& spec : plan.copies)
    sweeps[spec.link][spec.pinned].push_back(
        {static_cast<double>(spec.bytes), store.at(spec.name())});
  for (const auto& [name, by_pinned] : sweeps) {
    Link& link = machine.links[name];
    link.one_way = fit_link(by_pinned.at(true));
    link.source = name == "staging" ? "copies between two host buffers, all ranks at once"
                                    : "pinned host memory, all ranks at once";
    if (const auto pageable = by_pinned.find(false); pageable != by_pinned.end()) {
      const LinkTiming timing = fit_link(pageable->second);
      link.source +=
          fmt::format("; pageable: {:.3g} GB/s, {:.3g} us",
                      timing.bandwidth_bytes_per_s.value * 1e-9, timing.latency_s.value * 1e6);
    }
  }
}

void fit_rings(const MeasurementPlan& plan, const SampleStore& store, Machine& machine) {
  std::map<std::string, Sweep> sweeps;
  for (const RingSpec& spec : plan.rings)
    sweeps[spec.link].push_back({static_cast<double>(spec.bytes), store.at(spec.name())});
  for (const auto& [name, sweep] : sweeps) machine.links.at(name).ring = fit_link(sweep);
}

void add_hiding(const MeasurementPlan& plan, const SampleStore& store, Machine& machine) {
  for (const HidingSpec& spec : plan.hiding)
    machine.links.at(spec.pairs.link)
        .hideable_by_size.push_back(
            {static_cast<double>(spec.bytes), quantity_of(hidden_fractions(store, spec))});
}

/// Hops are not known to MPI: every other node counts as one hop, with the median over the nodes.
void add_hops(const MeasurementPlan& plan, const SampleStore& store, Machine& machine) {
  std::vector<double> medians;
  for (const LinkSpec& spec : plan.hops) medians.push_back(summarize(store.at(spec.name())).median);
  if (!medians.empty())
    machine.links.at("network").latency_by_hop = {{1, summarize(medians).median}};
}

void warn_of_residuals(Machine& machine) {
  const auto look = [&machine](const std::string& what, const LinkTiming& timing) {
    if (timing.largest_residual > loud)
      machine.warnings.push_back(fmt::format(
          "{}: the fit misses a measured time by {:.0f} % at some size; predictions over this path "
          "are that uncertain",
          what, 100 * timing.largest_residual));
  };
  for (const auto& [name, link] : machine.links) {
    look(name + ", one way", link.one_way);
    if (link.unaligned) look(name + ", unaligned", *link.unaligned);
    if (link.ring) look(name + ", exchange with both neighbours of a ring", *link.ring);
    for (const ConcurrentTiming& timing : link.concurrent)
      look(fmt::format("{}, exchange by {} pair{} at once", name, timing.pairs,
                       timing.pairs == 1 ? "" : "s"),
           timing.timing);
  }
}

void warn_of_absent_links(const Bench& bench, Machine& machine) {
  if (bench.session().size() == 1)
    machine.warnings.push_back(
        "one rank: no link was measured; run under mpirun -n 2 or more to have the shared-memory "
        "and network terms");
  else if (node_count(bench.node_of_rank()) == 1)
    machine.warnings.push_back(
        "one node: no network link was measured; run on two nodes or more to have it");
  if (bench.session().size() > 1 && !machine.links.contains("shared_memory"))
    machine.warnings.push_back("one rank on each node: no shared-memory link was measured");
}

}  // namespace

Machine machine_from_samples(const Bench& bench, const MeasurementPlan& plan,
                             const SampleStore& store) {
  Machine machine;
  machine.layout = {bench.session().size(), bench.sizes().ranks_per_node,
                    bench.sizes().cores_per_node};
  machine.device = device_from_samples(bench, plan, store);
  fit_links(plan, store, machine);
  fit_rings(plan, store, machine);
  fit_copies(plan, store, machine);
  add_hiding(plan, store, machine);
  add_hops(plan, store, machine);
  for (const CollectiveSpec& spec : plan.collectives) {
    auto& times = spec.collective == "barrier" ? machine.barrier : machine.allreduce;
    times.push_back({spec.ranks, quantity_of(store.at(spec.name()))});
  }
  if (const auto airfoil = airfoil_from_samples(bench, plan, store)) set_section(machine, *airfoil);
  warn_of_absent_links(bench, machine);
  if (!bench.gemm_problem().empty())
    machine.warnings.push_back("no matrix product was measured: " + bench.gemm_problem());
  warn_of_residuals(machine);
  for (std::string& warning : array_warnings(bench.sizes()))
    machine.warnings.push_back(std::move(warning));
  return machine;
}

std::vector<std::string> drift_warnings(const SampleStore& first, const SampleStore& last) {
  std::vector<std::string> warnings;
  for (const auto& [name, before] : first.all()) {
    const double change = summarize(last.at(name)).median / summarize(before).median - 1;
    if (std::abs(change) > loud)
      warnings.push_back(fmt::format(
          "{}: took {:+.0f} % when repeated at the end; the machine's speed drifted meanwhile",
          name, 100 * change));
  }
  return warnings;
}

}  // namespace bellwether
