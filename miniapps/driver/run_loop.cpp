// SPDX-License-Identifier: MIT
#include "miniapps/driver/run_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/cores.hpp"
#include "miniapps/driver/case_samples.hpp"
#include "miniapps/driver/stepper.hpp"
#include "models/scaling/extrapolation.hpp"
#include "models/scaling/scaling_curve.hpp"
#include "results/limit.hpp"

namespace bellwether {
namespace {

/// Steps that make a sample long enough to be timed well, and a seventh of the budget at most.
long steps_per_sample(const Session& session, Stepper& stepper, double budget_s) {
  constexpr double shortest_sample_s = 0.02;
  const Protocol& protocol = stepper.protocol();
  for (int warm_up = 0; warm_up < protocol.warm_ups; ++warm_up) stepper.sample(1, true);
  if (protocol.renew_each_step) return 1;
  const auto slowest = [&](long steps) {
    return slowest_sample(session.world(), stepper.sample(steps, true)).total_s;
  };
  long steps = 1;
  double step_s = slowest(1);
  while (!stepper.broken() && step_s * static_cast<double>(steps) < shortest_sample_s) {
    const double wanted = std::ceil(shortest_sample_s / std::max(step_s, 1e-8));
    const long next = static_cast<long>(std::min(wanted, 16.0 * static_cast<double>(steps)));
    steps = from_first_rank(session.world(), std::max(steps + 1, next));
    if (protocol.longest_run > 0 && steps >= protocol.longest_run) return protocol.longest_run;
    step_s = from_first_rank(session.world(), slowest(steps));
  }
  const double affordable = budget_s / 7 / std::max(step_s, 1e-9);
  return from_first_rank(
      session.world(),
      std::max(1L, static_cast<long>(std::min(static_cast<double>(steps), affordable))));
}

Rate rate_of(const StepWork& work, const Measurement& measured, const Limit& limit) {
  const double step_s = measured.total_s.median;
  Rate rate{.value = work.units / step_s,
            .unit = work.unit,
            .limit = limit.name,
            .fraction_of_limit = limit.share(work.bytes, work.flops, step_s),
            .flops_per_s = work.flops / step_s,
            .bytes_per_s = work.bytes / step_s,
            .terms = {}};
  rate.above_limit = limit.why_above(rate.fraction_of_limit);
  rate.fraction_of_sustained = limit.share_sustained(work.flops, step_s);
  for (const auto& [term, bytes] : work.term_bytes) {
    for (const auto& [name, seconds] : measured.terms) {
      if (name != term || seconds.median <= 0) continue;
      const double share = limit.share(bytes, 0, seconds.median);
      rate.terms.push_back({term, bytes / seconds.median, share, limit.why_above(share)});
    }
  }
  return rate;
}

/// Rates of one look at the probe; 0: not measured.
struct ProbeRates {
  double core, rate;
};

/// The case's samples, and those of this rank alone.
struct Samples {
  CaseSamples slowest, own;
  std::vector<ProbeRates>
      probes;  ///< before the first sample and after each; empty without a probe
  long steps = 0;
};

/// Absent where the probe never measured this rate.
std::optional<Summary> summary_of(const std::vector<ProbeRates>& probes, double ProbeRates::*rate) {
  std::vector<double> measured;
  for (const ProbeRates& one : probes)
    if (one.*rate > 0) measured.push_back(one.*rate);
  if (measured.empty()) return {};
  return summarize(measured);
}

/// A speed may change from one sample to the next, and a sample lies between two probes.
std::vector<ProbeResult::Sample> probed_samples(const Samples& samples) {
  const auto mean_of = [](double before, double after) {
    return before > 0 && after > 0 ? 2 / (1 / before + 1 / after) : 0;
  };
  std::vector<ProbeResult::Sample> probed;
  for (std::size_t i = 0; i + 1 < samples.probes.size(); ++i) {
    const ProbeRates &before = samples.probes[i], &after = samples.probes[i + 1];
    probed.push_back({samples.slowest.seconds(i), mean_of(before.rate, after.rate),
                      mean_of(before.core, after.core)});
  }
  return probed;
}

ProbeResult probe_result(const Probe& probe, const Samples& samples) {
  return {.of = probe.of(),
          .unit = probe.unit(),
          .rate = summary_of(samples.probes, &ProbeRates::rate).value(),
          .calibrated_rate = probe.calibrated(),
          .samples = probed_samples(samples),
          .core_rate = summary_of(samples.probes, &ProbeRates::core),
          .calibrated_core_rate = probe.calibrated_core()};
}

/// Collective. Of a run with injected noise, the law beside what was measured: means per step, over
/// the samples and the ranks, of the step, its work, the noise and the communication that holds the
/// waiting.
nlohmann::json noise_result(const Session& session, const NoiseLaw& law, const Samples& samples) {
  double means[] = {samples.own.mean_of_all("injected"),
                    samples.own.mean_of_all("network") + samples.own.mean_of_all("wait") +
                        samples.own.mean_of_all("reduce"),
                    samples.own.mean_of_all("compute") + samples.own.mean_of_all("swap")};
  MPI_Allreduce(MPI_IN_PLACE, means, 3, MPI_DOUBLE, MPI_SUM, session.world());
  nlohmann::json described = describe_noise(law, session.size(), means[2] / session.size());
  described["mean_step_s"] = samples.slowest.mean();
  described["mean_own_s"] = means[0] / session.size();
  described["mean_communication_s"] = means[1] / session.size();
  return described;
}

/// Exactly so many steps are done of all; else what is left of the time budget is known.
void show(const RunOptions& options, const std::string& title, long steps, double spent_s) {
  if (options.progress == nullptr) return;
  if (options.steps > 0)
    options.progress->show(title, steps, options.steps);
  else
    options.progress->show(title, steps, 0, std::max(0.0, options.time_budget_s - spent_s));
}

/// Within long steps: how far the step is, first where the line is cut, and what is left of it at
/// its own pace.
void show_long_steps(const Session& session, Case& subject, const RunOptions& options) {
  auto* const long_steps = dynamic_cast<LongStepCase*>(&subject);
  if (long_steps == nullptr || options.progress == nullptr || session.rank() != 0) return;
  long_steps->report_to(
      [progress = options.progress, title = subject.title(),
       begin = std::chrono::steady_clock::now()](double share, const std::string& text) mutable {
        if (share <= 0) begin = std::chrono::steady_clock::now();
        std::optional<double> left_s;
        if (share > 0) left_s = seconds_since(begin) * (1 - share) / share;
        progress->show(fmt::format("{:.0f} %, {}: {}", 100 * share, text, title), 0, 0, left_s);
      });
}

void take_probe(Probe* probe, Samples& samples) {
  if (probe == nullptr) return;
  const double core = probe->measure_core(), rate = probe->measure();
  samples.probes.push_back({core, rate});
}

Samples take_samples(const Session& session, Stepper& stepper, long per_sample, Probe* probe,
                     const RunOptions& options, const std::string& title) {
  Samples samples;
  if (!stepper.protocol().renew_each_step) stepper.restart();
  take_probe(probe, samples);
  const auto begin = std::chrono::steady_clock::now();
  for (bool more = true; more;) {
    const long left = options.steps > 0 ? options.steps - samples.steps : per_sample;
    const long steps = std::min(per_sample, left);
    const StepSample own = stepper.sample(steps, options.steps == 0);
    samples.slowest.add(slowest_sample(session.world(), own));
    samples.own.add(own);
    samples.steps += steps;
    take_probe(probe, samples);
    show(options, title, samples.steps, seconds_since(begin));
    const int count = samples.slowest.count();
    more = options.steps > 0 ? samples.steps < options.steps
                             : count < stepper.protocol().fewest_samples ||
                                   (count < stepper.protocol().most_samples &&
                                    seconds_since(begin) < options.time_budget_s &&
                                    !(is_tight(samples.slowest.total(), options.precision) &&
                                      (options.energy == nullptr || options.energy->is_enough())));
    more = from_first_rank(session.world(), more && !stepper.broken());
  }
  if (options.progress != nullptr) options.progress->clear();
  stepper.verify();
  return samples;
}

/// The run of one case: measure(), then describe().
class CaseRun {
 public:
  CaseRun(const Session& session, Case& subject, Heartbeat& heartbeat, const RunOptions& options,
          const Machine* machine)
      : session_(session),
        case_(subject),
        heartbeat_(heartbeat),
        options_(options),
        machine_(machine),
        stepper_(session, subject, heartbeat, options.verify_twice) {}

  /// Setup, warm-up and the timed steps, verified, and the picture of the last state.
  void measure() {
    show_long_steps(session_, case_, options_);
    record_.setup = stepper_.set_up();
    per_sample_ = steps_per_sample(session_, stepper_, options_.time_budget_s);
    if (options_.noise) stepper_.inject(*options_.noise);
    make_probe();
    const std::vector<CpuQuota> quotas = cpu_quotas();
    GpuWatch watch(options_.gpu);
    if (options_.energy != nullptr) stepper_.count(*options_.energy);
    samples_ = take_samples(session_, stepper_, per_sample_, probe_.get(), options_, case_.title());
    if (options_.energy != nullptr) spent_ = options_.energy->take();
    if (const auto held = throttled_since(session_, quotas))
      record_.throttled = {held->rank, held->cpus, static_cast<int>(held->periods),
                           static_cast<int>(held->throttled_periods), held->seconds};
    if (options_.gpu != nullptr) {
      nlohmann::json during = watch.end();
      result_.gpu = options_.gpu->read();
      result_.gpu["during"] = std::move(during);
    }
    write_picture();
  }

  /// The record of what was measured; to be called once.
  CaseResult describe() {
    record_.ranks = session_.size();
    record_.problem = case_.problem();
    record_.variant = case_.variant();
    describe_result();
    stepper_.repeat();
    record_.verification = stepper_.verdict();
    record_.measured = samples_.slowest.measurement();
    record_.measured.hidden_fraction = hidden_fraction();
    if (machine_ != nullptr) record_.predicted = case_.predict(*machine_);
    for (Prediction& prediction : record_.predicted) {
      prediction.outside_machine = outside_machine(*machine_, record_.ranks, 0);
      if (prediction.form == "refined")
        widen_beyond_known_nodes(*machine_, session_.nodes(), prediction);
    }
    if (probe_) record_.probe = probe_result(*probe_, samples_);
    const StepWork work = case_.work();
    record_.rate = rate_of(work, record_.measured,
                           limit_of(work, machine_, session_.size(),
                                    session_.most_ranks_on_a_node(), case_.held_bytes()));
    describe_energy(work);
    if (options_.per_rank) {
      record_.per_rank =
          gather_ranks(session_.world(), samples_.own,
                       {session_.host(), ranges_of(own_cores()), options_.device, {}, result_.gpu});
      record_.measured.imbalance_s = measured_imbalance(record_.per_rank);
    }
    return std::move(result_);
  }

 private:
  void make_probe() {
    auto* const probed = dynamic_cast<ProbedCase*>(&case_);
    if (!options_.probe || probed == nullptr) return;
    heartbeat_.enter("probe");
    probe_ = probed->make_probe(machine_);
  }
  void write_picture() {
    heartbeat_.enter("write");
    auto* const pictured = dynamic_cast<PicturedCase*>(&case_);
    if (pictured != nullptr) try {
        pictured->write_picture();
      } catch (const ThrownByAll&) {
        result_.picture_error = std::current_exception();  // what was measured is not lost for it
      }
  }
  void describe_result() {
    record_.result = case_.result();
    record_.result["fingerprint"] = fmt::format("{:016x}", stepper_.fingerprint());
    record_.result["timed_steps"] = samples_.steps;
    record_.result["steps_per_sample"] = per_sample_;
    if (options_.noise)
      record_.result["injected_noise"] = noise_result(session_, *options_.noise, samples_);
  }
  void describe_energy(const StepWork& work) {
    if (!spent_) return;
    const double step_j = spent_->joules / static_cast<double>(samples_.steps);
    record_.energy = {step_j, spent_->watts, 0};
    if (record_.verification.passed && step_j > 0)
      record_.energy->units_per_joule = work.units / step_j;
  }
  /// Of the bare communication, where the case overlaps it.
  [[nodiscard]] std::optional<double> hidden_fraction() {
    auto* const talks = dynamic_cast<CommunicatingCase*>(&case_);
    if (talks == nullptr || record_.variant.value("overlap", "off") != "on") return {};
    heartbeat_.enter("bare communication");
    const std::optional<double> bare = talks->bare_communication();
    if (!bare || *bare <= 0) return {};
    return std::clamp(1 - samples_.slowest.median_of_all("network") / *bare, 0.0, 1.0);
  }

  const Session& session_;
  Case& case_;
  Heartbeat& heartbeat_;
  const RunOptions& options_;
  const Machine* machine_;
  Stepper stepper_;
  CaseResult result_;
  Record& record_ = result_.record;
  std::unique_ptr<Probe> probe_;
  Samples samples_;
  std::optional<SpentEnergy> spent_;
  long per_sample_ = 0;
};

}  // namespace

CaseResult run_case(const Session& session, Case& subject, Heartbeat& heartbeat,
                    const RunOptions& options, const Machine* machine) {
  CaseRun run(session, subject, heartbeat, options, machine);
  run.measure();
  return run.describe();
}

}  // namespace bellwether
