// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/driver/energy_meter.hpp"
#include "miniapps/driver/run_loop.hpp"
#include "models/machine/machine.hpp"
#include "results/gpu_monitor.hpp"

namespace bellwether {

/// --machine's value as messages and records name it: without one it is machine.json.
std::string machine_label(const std::string& name_or_file);

/// Collective. --machine's file or shipped machine, else machine.json here, else none: rank 0's on
/// every rank, as the file need not lie on every node.
std::optional<Machine> agreed_machine(const Session& session, const std::string& name_or_file);

/// Runs cases of mini-apps where this process computes, and completes their records with what is
/// known of the place: `run` and `accept` alike.
class CaseRunner {
 public:
  /// Collective. Opens the device, which the options then name. Throws BadInput for an unknown
  /// backend and BadEnvironment for one that cannot be used here, on all ranks alike.
  CaseRunner(Session& session, Heartbeat& heartbeat, const std::string& backend,
             const std::vector<std::string>& command_line, RunOptions options);

  /// The machine and its name in records; null, "": nothing is predicted.
  void predict_on(const Machine* machine, std::string label);
  /// What ranks of a node read of each other is written so; absent: as is measured faster before
  /// each case.
  void use_shared_stores(std::optional<Stores> stores) { shared_stores_ = stores; }
  /// Seconds of the next cases' timed samples.
  void use_time_budget(double budget_s) { options_.time_budget_s = budget_s; }
  /// This rank's GPU; null: it computes on a CPU.
  [[nodiscard]] GpuMonitor* gpu() const { return gpu_.get(); }
  /// What energy records do not have, in a sentence; empty where they have all.
  [[nodiscard]] std::string energy_remark() const;
  [[nodiscard]] CaseSite& site() { return site_; }
  /// Collective. What is wrong where the case's ranks or their threads share cores or a CPU quota;
  /// empty where nothing is.
  [[nodiscard]] std::string crowded(const Case& built) const;
  /// The ranks of a GPU, or 0.
  [[nodiscard]] int ranks_per_device() const { return ranks_per_device_; }

  /// In what the machine that is predicted on was calibrated otherwise than this: a sentence each.
  [[nodiscard]] std::vector<std::string> remarks() const;

  /// Collective: to be called before request(), which knows the app's files by their contents.
  void look_at_files(const App& app);
  /// A case as it was asked for, what `--resume` knows it by: files and the machine are what they
  /// contain, whatever they are called.
  [[nodiscard]] nlohmann::json request(const App& app, const CasePlan& plan,
                                       const std::string& steps) const;

  /// Collective. The plan's case; its record's set-up has its phases, and the rest as "build".
  [[nodiscard]] std::unique_ptr<Case> build(const CasePlan& plan);

  struct Ran {
    Record record;
    std::exception_ptr picture_error;  ///< why the fields could not be written, if they could not
  };
  /// Collective.
  Ran run(const App& app, Case& built, const nlohmann::json& request);
  /// The record of a case that cannot run here.
  [[nodiscard]] Record not_run(const App& app, const CasePlan& plan, const nlohmann::json& request,
                               std::string why) const;

 private:
  /// What is known of the place.
  void complete(Record& record, const App& app, const nlohmann::json& request) const;

  Session& session_;
  Heartbeat& heartbeat_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<GpuMonitor> gpu_;
  EnergyMeter energy_;
  std::string machine_label_;
  int ranks_per_device_ = 0;
  std::optional<Stores> shared_stores_;
  nlohmann::json provenance_, machine_contents_;
  std::map<const App*, nlohmann::json> contents_;  ///< of its files, by the problem's keys
  RunOptions options_;
  CaseSite site_;
  PhaseClock build_clock_;  ///< of the last case, on this rank
  double build_s_ = 0;      ///< of all its phases and the rest
};

/// Collective. Whether all ranks have thrown it, of a case that cannot be here: the next one may.
bool refuses_a_case(const Session& session, const std::exception& error);

/// Collective: app.check(), where a file that the problem names may lack on one node alone.
void check_on_all(const App& app, const Session& session);

}  // namespace bellwether
