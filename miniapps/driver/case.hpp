// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "miniapps/comm/phase_clock.hpp"
#include "models/machine/machine.hpp"
#include "models/prediction.hpp"
#include "models/workload.hpp"
#include "results/record.hpp"

namespace bellwether {

/// Something that the calibration measured, measured again between a run's samples: tells a machine
/// whose speed has changed since then from a wrong model.
class Probe {
 public:
  virtual ~Probe() = default;
  /// Whose speed, in a word ("memory", "loops"), and its unit.
  [[nodiscard]] virtual const char* of() const = 0;
  [[nodiscard]] virtual const char* unit() const = 0;
  /// Collective. The rate of one rank, the slowest. Leaves the case's state as it was, and of it in
  /// the caches what a step would.
  virtual double measure() = 0;
  /// Collective, right before measure(). The rate of one rank, the slowest, of work whose data are
  /// at hand, where the case's time is its core's too. 0: none is measured.
  virtual double measure_core() { return 0; }
  /// What the machine file says of that; 0 if it does not.
  [[nodiscard]] virtual double calibrated_core() const { return 0; }
  /// What the machine file says of the same; 0 if it does not.
  [[nodiscard]] virtual double calibrated() const = 0;
};

/// How a case wants to be measured; the run loop keeps to it.
struct Protocol {
  /// The time budget ends a case after so many timed samples, not before.
  int fewest_samples = 7;
  /// After so many no more are taken, however wide their interval is; an exact count of steps goes
  /// before.
  int most_samples = 1000;
  /// Steps that are not timed, first.
  int warm_ups = 1;
  /// A step destroys what it works on, as a factorization does: restart() stands before and
  /// verify() behind each, warm-ups and exact counts too, and a sample is one step.
  bool renew_each_step = false;
  /// Steps that can follow a restart before the state no longer tells right from wrong; the run
  /// loop verifies and restarts before. 0: no bound.
  long longest_run = 0;
  /// The same steps from the same state give the same bits; not where what is added up comes in no
  /// order (atomics).
  bool repeats_to_the_bit = true;
};

/// One problem in one variant, bound to a device and a communicator: what the run loop drives.
/// Every member is called by all ranks together.
class Case {
 public:
  virtual ~Case() = default;

  /// What stands in the record under "problem", "variant" and, after the run, "result".
  [[nodiscard]] virtual nlohmann::json problem() const = 0;
  [[nodiscard]] virtual nlohmann::json variant() const = 0;
  [[nodiscard]] virtual nlohmann::json result() = 0;
  /// "diffusion 384x384x384 f32, 2 ranks (1x1x2), kokkos/Serial, overlap on"
  [[nodiscard]] virtual std::string title() const = 0;
  [[nodiscard]] virtual StepWork work() const = 0;
  /// That a step goes through, of all ranks together; 0: not known.
  [[nodiscard]] virtual double held_bytes() const { return 0; }
  [[nodiscard]] virtual Protocol protocol() const { return {}; }
  /// Of the host's threads, those that a library (BLAS, hypre) takes at once on this rank.
  [[nodiscard]] virtual int library_threads() const { return 1; }

  /// Once, before all else; its phases are no part of a step and stand in the record by themselves.
  virtual void setup(PhaseClock& /*clock*/) {}
  /// Back to the initial state.
  virtual void restart() = 0;
  /// One step: the phases it goes through are timed on the clock.
  virtual void step(PhaseClock& clock) = 0;
  /// Waits for whatever the steps left running on the device; its phases are added to the clock.
  virtual void finish(PhaseClock& clock) = 0;
  /// The state after the steps since the last restart held against what it must be. May take a step
  /// for that, which counts as one of them.
  [[nodiscard]] virtual Verification verify() = 0;
  /// Of the bits of the state, all ranks': the same for the same bits, on every rank.
  [[nodiscard]] virtual std::uint64_t fingerprint() = 0;
  /// The models' expectation of one step on this machine: paper and refined.
  [[nodiscard]] virtual std::vector<Prediction> predict(const Machine& machine) const = 0;
};

// What some cases can do beside it, each an interface of its own that a case implements as well.

/// Looks between samples for what makes it useless to go on.
class WatchedCase {
 public:
  virtual ~WatchedCase() = default;
  [[nodiscard]] virtual std::optional<Verification> broken() = 0;
};

/// Writes of the last state what the problem asks to be written. Throws on all ranks alike where
/// that cannot be done (agree_on_errors).
class PicturedCase {
 public:
  virtual ~PicturedCase() = default;
  virtual void write_picture() = 0;
};

/// Takes so long for a step that people want to see how far it is.
class LongStepCase {
 public:
  virtual ~LongStepCase() = default;
  /// The share of the step's work that is done, and how far that is in words ("column 4096 of
  /// 10000, 187 Gflop/s"). A step's first share is 0.
  using Report = std::function<void(double share, const std::string& text)>;
  /// Given on rank 0 alone, before the first step; to be called as often as there is news.
  virtual void report_to(Report report) = 0;
};

/// Knows how long one step's communication takes with nothing to hide it.
class CommunicatingCase {
 public:
  virtual ~CommunicatingCase() = default;
  /// Seconds; absent without messages. May spoil the state: restart() comes before the next step.
  [[nodiscard]] virtual std::optional<double> bare_communication() = 0;
};

/// Can tell how fast the machine is now.
class ProbedCase {
 public:
  virtual ~ProbedCase() = default;
  /// `machine` may be null. Case and machine outlive the probe.
  [[nodiscard]] virtual std::unique_ptr<Probe> make_probe(const Machine* machine) = 0;
};

}  // namespace bellwether
