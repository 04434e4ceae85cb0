// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/miniapp.hpp"
#include "miniapps/variant.hpp"
#include "models/scaling.hpp"

namespace bellwether {

/// Where and how `predict` is asked to run a problem.
struct PredictionRequest {
  std::vector<int> ranks;
  std::vector<bool> overlap;
  int ranks_per_node = 0;  ///< 0: not chosen yet
  std::string halo = "staged";
  std::string stores = "auto";
  std::optional<double> units_per_s;  ///< measured rate of one rank; else from the machine
};

/// What the command knows of a mini-app: its problem's options, how to build it, how to predict it.
class MiniAppEntry {
 public:
  virtual ~MiniAppEntry() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  /// One line for --help: what it solves and what its steps' work is counted as.
  [[nodiscard]] virtual const char* summary() const = 0;
  /// Adds the problem's options; parsing them fills the entry.
  virtual void add_problem_options(CLI::App& command) = 0;
  /// Throws BadInput for a problem that no run could use.
  virtual void check() const = 0;
  /// The problem as it was asked for: what tells a finished case when a run is resumed.
  [[nodiscard]] virtual nlohmann::json request() const = 0;
  /// Collective. The device outlives the app; `machine` may be null.
  [[nodiscard]] virtual std::unique_ptr<MiniApp> build(const Session& session, Device& device,
                                                       const Variant& variant,
                                                       const Machine* machine,
                                                       Heartbeat& heartbeat) const = 0;
  /// Without MPI: every rank count, overlap mode and form, in this nesting.
  [[nodiscard]] virtual std::vector<ScalingPoint> predict(
      const Machine& machine, const PredictionRequest& request) const = 0;
  /// What all ranks together do in one step.
  [[nodiscard]] virtual StepWork work() const = 0;
};

/// All mini-apps. A new one is one line here.
std::vector<std::unique_ptr<MiniAppEntry>> mini_apps();

}  // namespace bellwether
