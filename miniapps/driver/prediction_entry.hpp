// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/scaling/scaling_point.hpp"
#include "models/workload.hpp"

namespace CLI {
class App;
}

namespace bellwether {

/// What the command knows of an application that the models predict: its problem's options, which a
/// mini-app's run shares, and its prediction. No MPI, no kernels.
class PredictionEntry {
 public:
  virtual ~PredictionEntry() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  /// One line for --help: what it solves and what its steps' work is counted as.
  [[nodiscard]] virtual const char* summary() const = 0;
  /// Adds the problem's options; parsing them fills the entry.
  virtual void add_problem_options(CLI::App& command) = 0;
  /// Adds what only `predict` asks: a variant where the run has an option of its own for it, or a
  /// measured rate.
  virtual void add_prediction_options(CLI::App&) {}
  /// Throws BadInput for a problem that no run could use.
  virtual void check() const = 0;
  /// Every rank count, overlap mode and form, in this nesting. Throws BadInput where the machine
  /// lacks what the model needs (naming the key) or a rank count cannot divide the problem.
  [[nodiscard]] virtual std::vector<ScalingPoint> predict(
      const Machine& machine, const PredictionRequest& request) const = 0;
  /// What all ranks together do in one step.
  [[nodiscard]] virtual StepWork work() const = 0;
  /// What one predicted time is of: "step", "factorization", "solve cycle".
  [[nodiscard]] virtual const char* step_name() const { return "step"; }
};

/// All applications that can be predicted: the mini-apps, and those that only the models know yet.
std::vector<std::unique_ptr<PredictionEntry>> predicted_apps();

}  // namespace bellwether
