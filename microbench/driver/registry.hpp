// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "microbench/driver/bench.hpp"
#include "microbench/driver/bench_case.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Benchmarks that are measured in turn, round after round: on a machine whose speed drifts all of
/// them meet the same minutes.
struct Group {
  std::string title;  ///< for the progress line
  double share;       ///< of the time budget
  int fewest_rounds;  ///< one if the whole budget is spent
  int most_rounds;
  std::vector<BenchCase> cases;
  bool again_between = false;  ///< a round too between those of other groups, every now and then
};

/// How samples become parameters of a machine whose layout and device are known.
using FromSamples = std::function<void(const SampleStore&, Machine&)>;

/// What is measured on a bench, and what becomes of it.
class Plan {
 public:
  explicit Plan(Bench& bench) : bench_(bench) {}

  [[nodiscard]] Bench& bench() const { return bench_; }

  /// Begins a group, which takes the cases that are added next. `share` of a calibration's time
  /// budget, all of them less than 1.
  void group(const std::string& title, double share, int times_most_rounds = 1);
  /// Has the group measured again throughout a calibration: what depends on a moment is then known
  /// of several.
  void measure_again_between() { groups_.back().again_between = true; }
  /// Throws std::logic_error for a name that is taken.
  SampleKey add(BenchCase work);
  /// Adds what `microbench` measures and a calibration does not, as nothing is predicted from it.
  void add_beside(BenchCase work);
  /// Adds make_case(bench, spec) of each.
  template <class Spec>
  std::vector<Planned<Spec>> add_all(const std::vector<Spec>& specs) {
    std::vector<Planned<Spec>> planned;
    for (const Spec& spec : specs) planned.push_back({spec, add(make_case(bench_, spec))});
    return planned;
  }
  /// Has a benchmark measured again between all groups, to see whether the machine's speed drifts;
  /// `of`: which of the machine's speeds it tells, as DriftSeries names it.
  void probe_drift(SampleKey key, const std::string& of);
  /// In the order in which they are given, after all is measured.
  void fit(FromSamples from_samples) { fits_.push_back(std::move(from_samples)); }

  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] const std::vector<BenchCase>& beside() const { return beside_; }
  [[nodiscard]] const Group& drift() const { return drift_; }
  /// Of each of the drift's cases.
  [[nodiscard]] const std::vector<std::string>& drift_of() const { return drift_of_; }
  [[nodiscard]] const std::vector<FromSamples>& fits() const { return fits_; }

 private:
  /// Gives it a key of its own; throws std::logic_error for a name that is taken.
  void name_once(BenchCase& work);

  Bench& bench_;
  std::vector<Group> groups_;
  std::vector<BenchCase> beside_;
  Group drift_{"drift", 0, 1, 1, {}};
  std::vector<std::string> drift_of_;
  std::vector<FromSamples> fits_;
  std::set<std::string> names_;
};

/// What one folder adds to the suite.
struct Folder {
  /// Collective. Adds its benchmarks to the plan, and how their samples become parameters. Throws
  /// BadEnvironment, before anything large is allocated, if memory is short.
  std::function<void(Plan&)> plan;
  /// The parameters are a mini-app's own; else any prediction needs them.
  bool is_of_a_miniapp = false;
};

/// The plan of a folder whose cases become parameters.
template <class Cases>
std::function<void(Plan&)> measured(Cases (*cases_of)(Plan&),
                                    void (*from_samples)(const Cases&, const SampleStore&,
                                                         Machine&)) {
  return [=](Plan& plan) {
    plan.fit([cases = cases_of(plan), from_samples](const SampleStore& store, Machine& machine) {
      from_samples(cases, store, machine);
    });
  };
}

/// In the order of measuring and fitting: a folder may build on the parameters, and has
/// the memory, that those before it leave.
const std::vector<Folder>& folders();

/// All that the folders measure on a bench.
Plan plan_on(Bench& bench);

}  // namespace bellwether
