// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/driver/app.hpp"
#include "models/errors.hpp"
#include "run/command/verb.hpp"

namespace bellwether {

/// The program's arguments, as MPI and the records want them.
struct CommandLine {
  int count;
  char** values;
  [[nodiscard]] std::vector<std::string> words() const { return {values, values + count}; }
};

/// One verb of the command. Options are added before parsing, run() comes after it.
class Subcommand {
 public:
  virtual ~Subcommand() = default;
  /// Adds the verb with its options to the program.
  virtual void add_to(Verb& program) = 0;
  [[nodiscard]] bool chosen() const { return verb_->given(); }
  /// Whether the processes that a launcher started are ranks of one run. A verb that runs alone
  /// prints and writes in each of them.
  [[nodiscard]] virtual bool is_parallel() const { return false; }
  /// Throws BadInput and BadEnvironment, the same on all ranks.
  virtual ExitStatus run(CommandLine command_line) = 0;

 protected:
  /// Options that several verbs have.
  void add_backend();
  void add_stall_limit();
  void add_ranks_per_node(int& ranks);
  void add_scaling(std::string& scaling) { add_scaling(scaling, options_); }
  static void add_scaling(std::string& scaling, Options& options);
  void add_plot(std::string& file, const char* shows);
  void add_progress();

  Verb* verb_ = nullptr;
  Options options_;
  std::string backend_ = "kokkos", progress_ = "auto";
  double stall_limit_s_ = 60;
  bool json_ = false;
};

using MakeSubcommand = std::unique_ptr<Subcommand>();
MakeSubcommand make_calibrate_command, make_run_command, make_accept_command, make_predict_command,
    make_reproduce_command, make_machines_command, make_compare_command, make_report_command,
    make_fit_command, make_transfer_command, make_trace_command, make_export_command,
    make_history_command, make_fleet_command, make_study_command, make_mesh_command,
    make_microbench_command;

/// Of several cases a verb ends with the first of: a wrong result, input, the environment.
inline void note(ExitStatus status, ExitStatus& worst) {
  if (worst == ExitStatus::success || status < worst) worst = status;
}

/// Runs `body` between MPI's start and end, on `backend`'s GPU, under the watchdog. What all ranks
/// throw passes on, on rank 0; one rank's own error is printed and ends the job.
ExitStatus with_session(CommandLine command_line, const std::string& backend, double stall_limit_s,
                        const std::function<ExitStatus(Session&, Heartbeat&)>& body);

/// An application as a verb of a subcommand.
struct AppChoice {
  Verb* verb = nullptr;
  Options options;  ///< the problem's, and what was added
  std::unique_ptr<App> app;
};

/// All applications as verbs of one: `run diffusion`, `trace diffusion`.
class AppChoices {
 public:
  /// Adds them with their problem's options, those that `add_own` adds, and those that they have
  /// in common, which outlive the parsing.
  /// The example has the application's name at {0} and options of a problem at {1}.
  void add_to(Verb& verb, Options& common, const std::string& example,
              const std::function<void(App&, Options&)>& add_own = &App::add_prediction_options);
  /// The one that was asked for; the parser has seen to it that there is one.
  [[nodiscard]] const AppChoice& given() const;

 private:
  std::vector<std::unique_ptr<AppChoice>> choices_;
};

}  // namespace bellwether
