// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session.hpp"
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
  [[nodiscard]] virtual bool chosen() const = 0;
  /// Whether the processes that a launcher started are ranks of one run. A verb that runs alone
  /// prints and writes in each of them.
  [[nodiscard]] virtual bool is_parallel() const { return false; }
  /// Throws BadInput and BadEnvironment, the same on all ranks.
  virtual ExitStatus run(CommandLine command_line) = 0;
};

std::unique_ptr<Subcommand> make_calibrate_command();
std::unique_ptr<Subcommand> make_run_command();
std::unique_ptr<Subcommand> make_accept_command();
std::unique_ptr<Subcommand> make_predict_command();
std::unique_ptr<Subcommand> make_reproduce_command();
std::unique_ptr<Subcommand> make_machines_command();
std::unique_ptr<Subcommand> make_compare_command();
std::unique_ptr<Subcommand> make_report_command();
std::unique_ptr<Subcommand> make_fit_command();
std::unique_ptr<Subcommand> make_trace_command();
std::unique_ptr<Subcommand> make_export_command();
std::unique_ptr<Subcommand> make_mesh_command();
std::unique_ptr<Subcommand> make_microbench_command();

/// --progress of the subcommands that may take long: the mode of a Progress.
void add_progress_option(Options& options, std::string& mode);

/// Runs `body` between MPI's start and end, on the GPU of `backend`, if that computes on one
/// (empty: none does), under the watchdog (`stall_limit_s` 0: deaths and signals only). What all
/// ranks throw (thrown_by_all) passes on after MPI has ended in order, on rank 0; the others return
/// its status. Any other exception is one rank's own: it is printed with the rank and ends the job,
/// within seconds and with the exception's exit status.
ExitStatus with_session(CommandLine command_line, const std::string& backend, double stall_limit_s,
                        const std::function<ExitStatus(Session&, Heartbeat&)>& body);

}  // namespace bellwether
