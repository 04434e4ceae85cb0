// SPDX-License-Identifier: MIT
#include "miniapps/driver/run_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "miniapps/driver/case_samples.hpp"
#include "models/scaling/outside_machine.hpp"

namespace bellwether {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Rank 0's value on every rank: so that all take the same decision from clocks that differ.
template <class T>
T from_first_rank(const Session& session, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, session.world());
  return value;
}

/// Steps and verifies; keeps the verdict of the worst stretch between two restarts.
class Stepper {
 public:
  Stepper(const Session& session, MiniApp& app, Heartbeat& heartbeat)
      : session_(session), app_(app), heartbeat_(heartbeat), clock_(heartbeat) {}

  /// Runs a sample of `steps` steps and returns what it took; `may_restart` lets the state be
  /// renewed before when it could not take them. Else it is verified while it still can be.
  StepSample sample(long steps, bool may_restart) {
    const long longest = app_.longest_run();
    const bool leaves_it = longest > 0 && since_restart_ + steps > longest;
    if (leaves_it && may_restart)
      restart();
    else if (leaves_it && since_restart_ > 0 && since_restart_ <= longest)
      verify();
    clock_.clear();
    heartbeat_.enter("barrier");
    MPI_Barrier(session_.world());
    const auto begin = Clock::now();
    for (long s = 0; s < steps; ++s) {
      heartbeat_.step.fetch_add(1, std::memory_order_relaxed);
      app_.step(clock_);
    }
    app_.finish(clock_);
    const double total = seconds_since(begin);
    heartbeat_.enter("between samples");
    since_restart_ += steps;
    if (const std::optional<Verification> found = app_.broken()) {
      verdict_ = *found;
      broken_ = true;
    }
    return slowest_sample(session_.world(), total, clock_.phases(), steps);
  }
  void verify() {
    heartbeat_.enter("verify");
    if (broken_) return;
    const Verification now = app_.verify();
    // Of one kind the worst, of several that passed the last: a state after few steps can be held
    // against less than the final one.
    const bool worse = now.value * verdict_.tolerance > verdict_.value * now.tolerance;
    const bool counts = now.passed ? verdict_.passed && (worse || now.what != verdict_.what)
                                   : verdict_.passed || worse;
    if (counts || verdict_.what.empty()) verdict_ = now;
  }
  void restart() {
    if (since_restart_ > 0) verify();
    heartbeat_.enter("restart");
    app_.restart();
    since_restart_ = 0;
  }
  [[nodiscard]] const Verification& verdict() const { return verdict_; }
  /// Whether a sample's state was beyond repair: the verdict says why, and stays.
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  const Session& session_;
  MiniApp& app_;
  Heartbeat& heartbeat_;
  PhaseClock clock_;
  long since_restart_ = 0;
  Verification verdict_;
  bool broken_ = false;
};

/// Steps that make a sample long enough to be timed well, and a seventh of the budget at most.
long steps_per_sample(const Session& session, MiniApp& app, Stepper& stepper, double budget_s) {
  constexpr double shortest_sample_s = 0.02;
  stepper.sample(1, true);
  long steps = 1;
  double step_s = stepper.sample(1, true).total_s;
  while (!stepper.broken() && step_s * static_cast<double>(steps) < shortest_sample_s) {
    const double wanted = std::ceil(shortest_sample_s / std::max(step_s, 1e-8));
    const long next = static_cast<long>(std::min(wanted, 16.0 * static_cast<double>(steps)));
    steps = from_first_rank(session, std::max(steps + 1, next));
    if (app.longest_run() > 0 && steps >= app.longest_run()) return app.longest_run();
    step_s = from_first_rank(session, stepper.sample(steps, true).total_s);
  }
  const double affordable = budget_s / 7 / std::max(step_s, 1e-9);
  return from_first_rank(
      session, std::max(1L, static_cast<long>(std::min(static_cast<double>(steps), affordable))));
}

Rate rate_of(const MiniApp& app, const Measurement& measured, int ranks, const Machine* machine) {
  const StepWork work = app.work();
  const double limit =
      machine == nullptr ? 0 : machine->device.memory_bandwidth_bytes_per_s.value * ranks;
  const auto share = [limit](double bytes_per_s) { return limit > 0 ? bytes_per_s / limit : 0; };
  const double step_s = measured.total_s.median;
  Rate rate{work.units / step_s, work.unit, "memory bandwidth", share(work.bytes / step_s), {}};
  for (const auto& [term, bytes] : app.term_bytes()) {
    for (const auto& [name, seconds] : measured.terms) {
      if (name != term || seconds.median <= 0) continue;
      const double bytes_per_s = bytes / seconds.median;
      rate.terms.push_back({term, bytes_per_s, share(bytes_per_s)});
    }
  }
  return rate;
}

}  // namespace

CaseResult run_case(const Session& session, MiniApp& app, Heartbeat& heartbeat,
                    const RunOptions& options, const Machine* machine) {
  constexpr int fewest_samples = 7, most_samples = 1000;
  Stepper stepper(session, app, heartbeat);
  const long per_sample = steps_per_sample(session, app, stepper, options.time_budget_s);
  std::unique_ptr<SpeedProbe> probe;
  std::vector<double> speeds;
  if (options.probe) {
    heartbeat.enter("probe");
    probe = app.make_probe(machine);
  }

  CaseSamples samples;
  stepper.restart();
  const auto begin = Clock::now();
  long done = 0;
  for (bool more = true; more;) {
    const long left = options.steps > 0 ? options.steps - done : per_sample;
    const long steps = std::min(per_sample, left);
    samples.add(stepper.sample(steps, options.steps == 0));
    done += steps;
    if (probe) speeds.push_back(probe->measure());
    const int count = samples.count();
    more = options.steps > 0
               ? done < options.steps
               : count < fewest_samples ||
                     (count < most_samples && seconds_since(begin) < options.time_budget_s &&
                      !is_tight(samples.total(), options.precision));
    more = from_first_rank(session, more && !stepper.broken());
  }
  stepper.verify();
  heartbeat.enter("write");
  CaseResult result;
  try {
    app.write_fields();
  } catch (const ThrownByAll&) {
    result.picture_error = std::current_exception();  // what was measured is not lost for it
  }

  Record& record = result.record;
  record.ranks = session.size();
  record.problem = app.problem();
  record.variant = app.variant();
  record.result = app.result();
  record.result["timed_steps"] = done;
  record.result["steps_per_sample"] = per_sample;
  record.verification = stepper.verdict();
  record.measured = samples.measurement();
  heartbeat.enter("bare communication");
  if (const std::optional<double> bare = app.bare_communication();
      bare && *bare > 0 && record.variant.value("overlap", "off") == "on")
    record.measured.hidden_fraction =
        std::clamp(1 - samples.median_of("network") / *bare, 0.0, 1.0);
  if (machine != nullptr) record.predicted = app.predict(*machine);
  for (Prediction& prediction : record.predicted)
    prediction.outside_machine = outside_machine(*machine, record.ranks, 0);
  if (probe)
    record.probe = Probe{probe->of(), probe->unit(), summarize(speeds), probe->calibrated()};
  record.rate = rate_of(app, record.measured, session.size(), machine);
  return result;
}

}  // namespace bellwether
