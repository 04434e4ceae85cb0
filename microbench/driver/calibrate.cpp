// SPDX-License-Identifier: MIT
#include "microbench/driver/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "microbench/driver/registry.hpp"
#include "microbench/driver/run_microbench.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "results/gpu_monitor.hpp"
#include "results/provenance.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

void reset_google_benchmark() {
  initialize_google_benchmark({});
  benchmark::ClearRegisteredBenchmarks();
}

/// Runs groups of benchmarks one after the other within a time budget, a round with one sample of
/// each benchmark (several of the short ones) after the other. Rank 0 decides when a group ends, so
/// the ranks stay in step.
class Campaign {
 public:
  /// `groups`: how many will run. `progress` and `heartbeat` may be null; the latter beats at
  /// every sample.
  Campaign(MPI_Comm comm, double time_budget_s, int groups, Progress* progress,
           Heartbeat* heartbeat)
      : comm_(comm),
        begin_s_(clock_s()),
        budget_s_(time_budget_s),
        groups_(groups),
        progress_(progress),
        heartbeat_(heartbeat) {}

  /// Time that an earlier group left over goes to the later ones. Returns the rounds done.
  int run(const Group& group, SampleStore& store) {
    share_done_ += group.share;
    if (!is_calibrated(group)) return 0;
    reset_google_benchmark();
    int rounds = 0;
    for (BenchCase work : group.cases) {
      work.prepare = [this, &group, &rounds, prepare = std::move(work.prepare)] {
        show(group.title, rounds + 1);
        if (prepare) prepare();
      };
      if (heartbeat_ != nullptr)
        work.sample = [heartbeat = heartbeat_, sample = std::move(work.sample)] {
          heartbeat->step.fetch_add(1, std::memory_order_relaxed);
          heartbeat->enter("benchmark");
          return sample();
        };
      const int operations = work.samples_per_round * work.batch;
      register_case(comm_, std::move(work), store)->Iterations(operations);
    }
    SilentReporter reporter;
    double round_s = 0;
    do {
      const double begin = clock_s();
      benchmark::RunSpecifiedBenchmarks(&reporter, ".");
      round_s = clock_s() - begin;
      ++rounds;
    } while (goes_on(group, rounds, round_s));
    ++groups_done_;
    benchmark::ClearRegisteredBenchmarks();
    return rounds;
  }

 private:
  [[nodiscard]] bool goes_on(const Group& group, int rounds, double round_s) const {
    const double now = clock_s();
    int more = 0;
    if (rounds < group.fewest_rounds)
      more = now < begin_s_ + budget_s_ ? 1 : 0;
    else if (rounds < group.most_rounds)
      more = now + round_s < begin_s_ + budget_s_ * share_done_ ? 1 : 0;
    MPI_Bcast(&more, 1, MPI_INT, 0, comm_);
    return more != 0;
  }

  void show(const std::string& title, int round) {
    if (progress_ == nullptr) return;
    const double left = std::max(0.0, begin_s_ + budget_s_ - clock_s());
    progress_->show(fmt::format("calibrating: {}, round {}", title, round), groups_done_, groups_,
                    left);
  }

  MPI_Comm comm_;
  double begin_s_, budget_s_;
  double share_done_ = 0;
  int groups_, groups_done_ = 0;
  Progress* progress_;
  Heartbeat* heartbeat_;
};

/// What is known before anything is measured.
Machine machine_on(const Bench& bench) {
  Machine machine;
  machine.layout = {bench.session().size(), bench.ranks_per_node(), bench.cores_per_node()};
  machine.device.kind = bench.device().is_host() ? "cpu" : "gpu";
  machine.device.backend = bench.device().description();
  machine.device.name = machine.device.backend;
  machine.device.memory_bytes = bench.memory_bytes();
  if (machine.device.kind == "gpu") {
    machine.provenance["ranks_per_device"] = std::to_string(bench.ranks_per_device());
    if (const std::string knobs = bench.device().knobs(); !knobs.empty())
      machine.provenance["cuda_knobs"] = knobs;
    if (bench.ranks_per_device() > 1)
      machine.warnings.push_back("SHARED DEVICE: " + shared_device_text(bench.ranks_per_device()));
  }
  return machine;
}

/// Of each benchmark of the drift group whose median moved by more than 10 %.
void warn_of_drift(const SampleStore& first, const SampleStore& last, Machine& machine) {
  for (const auto& [key, before] : first.all()) {
    const double change = summarize(last.at(key)).median / summarize(before.seconds).median - 1;
    if (std::abs(change) > 0.1)
      machine.warnings.push_back(fmt::format(
          "{}: took {:+.0f} % when repeated at the end; the machine's speed drifted meanwhile",
          before.name, 100 * change));
  }
}

void describe(const Bench& bench, const CalibrateOptions& options, int rounds, Machine& machine) {
  const Session& session = bench.session();
  const nlohmann::json facts = collect_provenance({});
  for (const auto& [key, value] : facts.items()) {
    if (key == "command_line" || value.is_null()) continue;
    machine.provenance[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  if (!bench.device().is_host()) {
    const auto [name, uuid, pci_bus_id, runtime] = bench.device().gpu();
    const nlohmann::json gpu = GpuMonitor({name, uuid, pci_bus_id, runtime}).read();
    for (const auto& [key, value] : gpu.items())
      if (!value.is_null())
        machine.provenance["gpu_" + key] =
            value.is_string() ? value.get<std::string>() : value.dump();
  }
  machine.provenance["mpi"] = mpi_version();
  machine.provenance["nodes"] = std::to_string(session.nodes());
  machine.provenance["last_level_cache_bytes"] = std::to_string(bench.last_level_cache_bytes());
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
  limits.largest_edge = options.largest_edge;
  return calibrate_within(session, options, limits, samples);
}

Machine calibrate_within(Session& session, const CalibrateOptions& options,
                         const CalibrationLimits& limits, SampleStore* samples) {
  Bench bench(session, options.backend, limits);
  const Plan plan = plan_on(bench);
  SampleStore own, first, last;
  SampleStore& store = samples != nullptr ? *samples : own;
  int rounds = limits.most_rounds;
  {
    const auto groups = std::count_if(plan.groups().begin(), plan.groups().end(), is_calibrated);
    Campaign campaign(session.world(), limits.time_budget_s, static_cast<int>(groups) + 2,
                      options.progress, options.heartbeat);
    campaign.run(plan.drift(), first);
    for (const Group& group : plan.groups())
      if (const int done = campaign.run(group, store); done > 0) rounds = std::min(rounds, done);
    campaign.run(plan.drift(), last);
  }
  Machine machine = machine_on(bench);
  for (const FromSamples& fit : plan.fits()) fit(store, machine);
  warn_of_drift(first, last, machine);
  describe(bench, options, rounds, machine);
  return machine;
}

}  // namespace bellwether
