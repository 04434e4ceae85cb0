// SPDX-License-Identifier: MIT
#include "microbench/driver/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "microbench/driver/measure_power.hpp"
#include "microbench/driver/registry.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/cores.hpp"
#include "models/drift/drift_parameters.hpp"
#include "models/median.hpp"
#include "results/provenance.hpp"

namespace bellwether {
namespace {

/// Runs groups of benchmarks within a time budget, in rounds of one sample each (several of short
/// ones). Rank 0 decides when a group ends, so the ranks stay in step.
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

  /// Called between rounds, some fifty times in all.
  void call_between(std::function<void()> probe) { between_ = std::move(probe); }

  /// One round of a group, besides; at least so many samples of each case.
  void once(const Group& group, SampleStore& store, int fewest_samples = 1) {
    for (const BenchCase& work : group.cases) {
      if (work.active && work.prepare) work.prepare();
      for (int left = std::max(work.samples_per_round, fewest_samples); left > 0; --left) {
        beat();
        take_sample(comm_, work, store);
      }
    }
  }

  /// Time that an earlier group left over goes to the later ones. Returns the rounds done.
  int run(const Group& group, SampleStore& store) {
    share_done_ += group.share;
    if (group.cases.empty()) return 0;
    int rounds = 0;
    double round_s = 0;
    do {
      if (is_due()) between_();
      show(group.title, rounds + 1);
      const double begin = clock_s();
      once(group, store);
      round_s = clock_s() - begin;
      ++rounds;
    } while (goes_on(group, rounds, round_s));
    ++groups_done_;
    return rounds;
  }

 private:
  void beat() const {
    if (heartbeat_ == nullptr) return;
    heartbeat_->step.fetch_add(1, std::memory_order_relaxed);
    heartbeat_->enter("benchmark");
  }

  bool is_due() {
    constexpr double times = 50;
    const bool due = from_first_rank(comm_, between_ && clock_s() >= next_s_);
    if (due) next_s_ = clock_s() + budget_s_ / times;
    return due;
  }

  [[nodiscard]] bool goes_on(const Group& group, int rounds, double round_s) const {
    const double now = clock_s();
    bool more = false;
    if (rounds < group.fewest_rounds)
      more = now < begin_s_ + budget_s_;
    else if (rounds < group.most_rounds)
      more = now + round_s < begin_s_ + budget_s_ * share_done_;
    return from_first_rank(comm_, more);
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
  double next_s_ = 0;
  std::function<void()> between_;
  int groups_, groups_done_ = 0;
  Progress* progress_;
  Heartbeat* heartbeat_;
};

/// What is known before anything is measured.
Machine machine_on(const Bench& bench) {
  Machine machine;
  if (const std::string crowded = shared_cores(bench.session(), bench.device().host_threads());
      !crowded.empty())
    machine.warnings.push_back(
        fmt::format("OVERSUBSCRIBED: {}: they wait, and what was measured is not "
                    "the machine's; calibrate with a core for each",
                    crowded));
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

/// The probes of the machine's speed, taken on many occasions.
class DriftProbes {
 public:
  DriftProbes(Campaign& campaign, const Plan& plan) : campaign_(campaign), plan_(plan) {}

  void take() {
    if (plan_.drift().cases.empty()) return;
    // A run's median does not follow an interruption of one step; nor may a probe.
    constexpr int samples = 5;
    SampleStore occasion;
    campaign_.once(plan_.drift(), occasion, samples);
    if (begin_s_ == 0) begin_s_ = clock_s();
    end_s_ = clock_s();
    for (const auto& [key, series] : occasion.all())
      all_.add(key, series.name, median_of(series.seconds));
  }

  void describe(Machine& machine) const {
    if (all_.all().empty()) return;
    DriftParameters drift;
    drift.span_s = end_s_ - begin_s_;
    constexpr double loud = 0.1;
    std::string changes;
    drift.source = fmt::format("{} probes between the calibration's parts, over {:.0f} s",
                               all_.all().begin()->second.seconds.size(), drift.span_s);
    for (std::size_t index = 0; index < plan_.drift().cases.size(); ++index) {
      const BenchCase& probe = plan_.drift().cases[index];
      const std::vector<double>& seconds = all_.at(probe.key);
      drift.series.push_back(drift_series(plan_.drift_of()[index], seconds));
      const double change = change_of(seconds);
      if (std::abs(change) > loud)
        changes += fmt::format("{}{} took {:+.0f} %", changes.empty() ? "" : ", ", probe.name,
                               100 * change);
    }
    if (!changes.empty())
      machine.warnings.push_back("the machine's speed drifted: repeated at the end " + changes);
    set_section(machine, std::move(drift));
  }

 private:
  /// The median of the last tenth of times by that of the first, less 1.
  static double change_of(const std::vector<double>& seconds) {
    const auto part = static_cast<std::ptrdiff_t>((seconds.size() + 9) / 10);
    return median_of({seconds.end() - part, seconds.end()}) /
               median_of({seconds.begin(), seconds.begin() + part}) -
           1;
  }

  Campaign& campaign_;
  const Plan& plan_;
  SampleStore all_;
  double begin_s_ = 0, end_s_ = 0;
};

/// Until the probes are due again; ranks sleep meanwhile, which is no stall.
void wait_minutes(double minutes, const CalibrateOptions& options) {
  const double end_s = clock_s() + 60 * minutes;
  for (double left_s = 60 * minutes; left_s > 0; left_s = end_s - clock_s()) {
    if (options.heartbeat != nullptr) {
      options.heartbeat->step.fetch_add(1, std::memory_order_relaxed);
      options.heartbeat->enter("wait");
    }
    if (options.progress != nullptr)
      options.progress->show("waiting to probe the machine's drift again", 0, 0, left_s);
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left_s, 1.)));
  }
}

void describe(const Bench& bench, const CalibrateOptions& options, const GpuMonitor* gpu,
              int rounds, Machine& machine) {
  const Session& session = bench.session();
  const nlohmann::json facts = collect_provenance({});
  for (const auto& [key, value] : facts.items()) {
    if (key == "command_line" || value.is_null()) continue;
    machine.provenance[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  if (gpu != nullptr) {
    const nlohmann::json state = gpu->read();
    for (const auto& [key, value] : state.items())
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
  if (options.largest_memory_bytes > 0) limits.most_case_bytes = options.largest_memory_bytes;
  return calibrate_within(session, options, limits, samples);
}

Machine calibrate_within(Session& session, const CalibrateOptions& options,
                         const CalibrationLimits& limits, SampleStore* samples) {
  Bench bench(session, options.backend, limits);
  const Plan plan = plan_on(bench);
  SampleStore own;
  SampleStore& store = samples != nullptr ? *samples : own;
  int rounds = limits.most_rounds;
  Machine machine = machine_on(bench);
  const std::vector<CpuQuota> quotas = cpu_quotas();
  {
    const auto groups = std::count_if(plan.groups().begin(), plan.groups().end(),
                                      [](const Group& group) { return !group.cases.empty(); });
    Campaign campaign(session.world(), limits.time_budget_s, static_cast<int>(groups),
                      options.progress, options.heartbeat);
    DriftProbes probes(campaign, plan);
    campaign.call_between([&, occasion = 0]() mutable {
      constexpr int occasions_between = 6;
      probes.take();
      bench.choose_shared_stores();
      if (occasion++ % occasions_between == 0)
        for (const Group& group : plan.groups())
          if (group.again_between) campaign.once(group, store);
    });
    for (const Group& group : plan.groups())
      if (const int done = campaign.run(group, store); done > 0) rounds = std::min(rounds, done);
    probes.take();
    if (options.repeat_after_minutes > 0) {
      wait_minutes(options.repeat_after_minutes, options);
      quiet_barrier(session.world(), false);
      for (int occasion = 0; occasion < 10; ++occasion) probes.take();
    }
    probes.describe(machine);
  }
  if (const auto held = throttled_since(session, quotas))
    machine.warnings.push_back(fmt::format(
        "THROTTLED: a CPU quota of {:.3g} stopped rank {} and its control group in {} of {} "
        "periods, for {:.2f} s; what was measured is not the machine's",
        held->cpus, held->rank, held->throttled_periods, held->periods, held->seconds));
  for (const FromSamples& fit : plan.fits()) fit(store, machine);
  const std::unique_ptr<GpuMonitor> gpu = monitor_of(bench.device());
  EnergyMeter meter(session, gpu.get());
  measure_power(session, plan, meter, machine);
  describe(bench, options, gpu.get(), rounds, machine);
  return machine;
}

}  // namespace bellwether
