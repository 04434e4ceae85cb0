// SPDX-License-Identifier: MIT
#include "microbench/driver/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "microbench/driver/machine_from_samples.hpp"
#include "results/provenance.hpp"

namespace bellwether {
namespace {

void describe(const Bench& bench, const CalibrateOptions& options, int rounds, Machine& machine) {
  const Session& session = bench.session();
  const nlohmann::json facts = collect_provenance({});
  for (const auto& [key, value] : facts.items()) {
    if (key == "command_line" || value.is_null()) continue;
    machine.provenance[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  machine.provenance["mpi"] = mpi_version();
  machine.provenance["nodes"] = std::to_string(session.nodes());
  machine.provenance["last_level_cache_bytes"] =
      std::to_string(bench.sizes().last_level_cache_bytes);
  machine.provenance["stream_array_bytes"] = std::to_string(bench.sizes().array_bytes);
  machine.provenance["stream_alone_array_bytes"] = std::to_string(bench.sizes().alone_array_bytes);
  machine.provenance["gemm_size"] = std::to_string(bench.sizes().gemm_size);
  const std::string cpu = machine.provenance["cpu"];
  if (bench.device().is_host()) machine.device.name = cpu;
  machine.name = options.name.empty() ? session.host() : options.name;
  machine.date = machine.provenance["time"];
  machine.source = fmt::format("measured by bellwether calibrate{}: medians of {} round{} or more",
                               options.quick ? " --quick" : "", rounds, rounds == 1 ? "" : "s");
  machine.description = fmt::format(
      "{}, {}, {} rank{} on {} node{}", cpu, bench.device().description(), session.size(),
      session.size() == 1 ? "" : "s", session.nodes(), session.nodes() == 1 ? "" : "s");
  if (session.nodes_on_kernel() > 1) machine.description += " in a box (one kernel)";
}

}  // namespace

Machine calibrate(Session& session, const CalibrateOptions& options, SampleStore* samples) {
  CalibrationLimits limits = options.quick ? quick_limits() : full_limits();
  if (options.time_budget_s > 0) limits.time_budget_s = options.time_budget_s;
  if (options.largest_message_bytes > 0)
    limits.largest_message_bytes = options.largest_message_bytes;
  if (options.largest_edge > 0) {
    limits.largest_edge_f32 = std::min(limits.largest_edge_f32, options.largest_edge);
    limits.largest_edge_f64 = std::min(limits.largest_edge_f64, options.largest_edge);
  }
  return calibrate_within(session, options, limits, samples);
}

Machine calibrate_within(Session& session, const CalibrateOptions& options,
                         const CalibrationLimits& limits, SampleStore* samples) {
  Bench bench(session, options.backend, limits);
  const MeasurementPlan plan(bench);
  SampleStore own, first, last;
  SampleStore& store = samples != nullptr ? *samples : own;
  int rounds = limits.most_rounds;
  {
    Campaign campaign(session.world(), limits.time_budget_s, options.progress, options.heartbeat);
    const Group drift = drift_group(bench, plan);
    campaign.run(drift, first);
    for (const Group& group : groups_of(bench, plan, limits))
      if (const int done = campaign.run(group, store); done > 0) rounds = std::min(rounds, done);
    campaign.run(drift, last);
  }
  Machine machine = machine_from_samples(bench, plan, store);
  for (std::string& warning : drift_warnings(first, last))
    machine.warnings.push_back(std::move(warning));
  describe(bench, options, rounds, machine);
  return machine;
}

}  // namespace bellwether
