// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/driver/speed_probe.hpp"
#include "models/machine/machine.hpp"
#include "models/prediction.hpp"
#include "models/workload.hpp"
#include "results/record.hpp"

namespace bellwether {

/// A mini-app bound to a problem, a variant, a device and a communicator: what the run loop drives.
/// Every member is called by all ranks together.
class MiniApp {
 public:
  virtual ~MiniApp() = default;

  /// What stands in the record under "problem", "variant" and, after the run, "result".
  [[nodiscard]] virtual nlohmann::json problem() const = 0;
  [[nodiscard]] virtual nlohmann::json variant() const = 0;
  [[nodiscard]] virtual nlohmann::json result() = 0;
  /// "diffusion 384x384x384 f32, 2 ranks (1x1x2), kokkos/Serial, overlap on"
  [[nodiscard]] virtual std::string title() const = 0;
  [[nodiscard]] virtual StepWork work() const = 0;
  /// Of the step's bytes those of single terms, where they are counted so.
  [[nodiscard]] virtual std::vector<std::pair<std::string, double>> term_bytes() const {
    return {};
  }

  /// Steps that can follow a restart before the state no longer tells right from wrong; the run
  /// loop verifies and restarts before. 0: no bound.
  [[nodiscard]] virtual long longest_run() const { return 0; }
  /// Back to the initial state.
  virtual void restart() = 0;
  /// One step: the phases it goes through are timed on the clock.
  virtual void step(PhaseClock& clock) = 0;
  /// Waits for whatever the steps left running on the device; its phases are added to the clock.
  virtual void finish(PhaseClock& clock) = 0;
  /// The state after the steps since the last restart held against what it must be. May take a step
  /// for that, which counts as one of them.
  [[nodiscard]] virtual Verification verify() = 0;
  /// A glance between samples: what makes it useless to go on, if anything does.
  [[nodiscard]] virtual std::optional<Verification> broken() { return {}; }
  /// Writes of the last state what the problem asks to be written. Throws on all ranks alike where
  /// that cannot be done (agree_on_errors).
  virtual void write_fields() {}
  /// Seconds that one step's communication takes with nothing to hide it; absent without messages.
  /// May spoil the state: restart() comes before the next step.
  [[nodiscard]] virtual std::optional<double> bare_communication() = 0;
  /// The models' expectation of one step on this machine: paper and refined.
  [[nodiscard]] virtual std::vector<Prediction> predict(const Machine& machine) const = 0;
  /// Bytes that a step touches on one rank.
  [[nodiscard]] virtual double working_set_bytes() const = 0;
  /// What is measured between the samples to tell how fast the machine is now; `machine` may be
  /// null. Both outlive it.
  [[nodiscard]] virtual std::unique_ptr<SpeedProbe> make_probe(const Machine* machine) = 0;
};

}  // namespace bellwether
