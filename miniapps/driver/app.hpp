// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/driver/case.hpp"
#include "miniapps/driver/options.hpp"
#include "models/machine/machine.hpp"
#include "models/scaling/scaling_point.hpp"
#include "models/trace/trace.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// What a case is built on. All of it outlives the case.
struct CaseSite {
  const Session& session;
  Device& device;
  std::string backend;     ///< the device's, by its option's name
  const Machine* machine;  ///< may be null
  Heartbeat* heartbeat;  ///< beats while the case is built and works outside of steps; may be null
  PhaseClock* clock = nullptr;  ///< takes the times of what building consists of; may be null

  /// Does a part of building, timed.
  template <class Part>
  void build(const char* phase, Part&& part) const {
    if (clock == nullptr) return part();
    clock->time(phase, part);
    clock->enter("build");
  }
};

/// A case as it is asked for: what tells that it is finished when a run is resumed, and build(),
/// which is collective and throws BadInput, or BadEnvironment before anything is allocated.
struct CasePlan {
  nlohmann::json problem;
  nlohmann::json variant;
  std::function<std::unique_ptr<Case>(const CaseSite&)> build;
};

/// A mini-app: the options of its problem, which a run and a prediction share, its prediction, and
/// its cases.
class App {
 public:
  virtual ~App() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  /// For --help: in a first sentence what it solves, then what its steps' work is counted as.
  [[nodiscard]] virtual std::string summary() const = 0;
  /// Options of a problem that fits most nodes, for --help.
  [[nodiscard]] virtual const char* example_options() const = 0;
  /// What one time is of: "step", "factorization", "solve cycle".
  [[nodiscard]] virtual const char* step_name() const { return "step"; }

  /// Adds the problem's options; parsing them fills the app.
  virtual void add_problem_options(Options& options) = 0;
  /// Adds what only `predict` asks: a variant where the run has an option of its own for it, or a
  /// measured rate.
  virtual void add_prediction_options(Options&) {}
  /// Throws BadInput for a problem that no run could use.
  virtual void check() const = 0;
  /// This one with the problem of `ranks` ranks, where its own is that of one: cells grow with the
  /// ranks, in boxes put together nearest to a cube, the rows of a dense matrix with their square
  /// root, so that a rank's memory stays. To be checked again.
  [[nodiscard]] virtual std::unique_ptr<App> grown(int ranks) const = 0;
  /// Every rank count, overlap mode and form, in this nesting. Throws BadInput where the machine
  /// lacks what the model needs (naming the key) or a rank count cannot divide the problem.
  [[nodiscard]] virtual std::vector<ScalingPoint> predict(
      const Machine& machine, const PredictionRequest& request) const = 0;
  /// The same of one rank count, one overlap mode and the refined form, with what each rank does
  /// in a step. Throws as predict(); the machine outlives it.
  [[nodiscard]] virtual std::unique_ptr<Trace> trace(const Machine& machine,
                                                     const PredictionRequest& request) const = 0;
  /// What all ranks together do in one step.
  [[nodiscard]] virtual StepWork work() const = 0;

  /// Adds what only `run` asks of the problem, and its variants' options.
  virtual void add_run_options(Options& options) = 0;
  /// On what device the cases will be: for options whose default depends on it. Before cases().
  virtual void choose_for(const Device& /*device*/) {}
  /// What the options ask for, in the order in which it runs.
  [[nodiscard]] virtual std::vector<CasePlan> cases() const = 0;
  /// What is to be said of them before the first one, a line each.
  [[nodiscard]] virtual std::vector<std::string> remarks(const CaseSite& /*site*/) const {
    return {};
  }
  /// What people read beneath a record's table, whole lines; empty: nothing more.
  [[nodiscard]] virtual std::string lines_of(const Record& /*record*/) const { return ""; }
  /// How the names of the pictures end that it writes of its last state (".vti"); empty: it writes
  /// none.
  [[nodiscard]] virtual const char* picture_ending() const { return ""; }
  /// To write one, the last case's, to the file.
  virtual void ask_for_picture(std::string /*file*/) {}
};

/// All mini-apps. A new one is a line in registry.cpp.
std::vector<std::unique_ptr<App>> apps();

}  // namespace bellwether
