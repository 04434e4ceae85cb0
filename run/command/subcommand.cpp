// SPDX-License-Identifier: MIT
#include "run/command/subcommand.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/watchdog/watchdog.hpp"

namespace bellwether {

int launched_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(variable)) return std::atoi(rank);
  }
  return 0;
}

void add_progress_option(Options& options, std::string& mode) {
  options.add_choice("--progress", mode, {"auto", "on", "off"},
                     "What is being done, and the time left, on stderr: auto where that is a "
                     "terminal, the launcher's too; on: lines without a terminal as well");
}

ExitStatus with_session(CommandLine command_line, const std::string& backend, double stall_limit_s,
                        const std::function<ExitStatus(Session&, Heartbeat&)>& body) {
  std::exception_ptr agreed;
  ExitStatus status = ExitStatus::success;
  {
    const std::optional<int> local_rank = launched_local_rank();
    std::optional<std::string> gpu_problem;  // absent: no GPU was chosen
    if (local_rank) gpu_problem = choose_device(backend, *local_rank);
    Session session(command_line.count, command_line.values);
    if (gpu_problem && session.launcher_misleads() && session.rank() == 0)
      fmt::print(std::cerr,
                 "bellwether: the launcher does not number the ranks of a node as MPI finds them: "
                 "MPI may have started on another GPU than the one that a rank now computes on "
                 "(use the launcher that belongs to this MPI)\n");
    Heartbeat heartbeat;
    // The watchdog ends before the message: leaving, a rank tells the others' watchdogs to keep
    // quiet.
    try {
      const Watchdog watchdog(session, heartbeat, stall_limit_s);
      agree_on_errors(session.world(), [&] {
        if (gpu_problem && !gpu_problem->empty())
          throw BadEnvironment(fmt::format("--backend {}: {}", backend, *gpu_problem));
      });
      status = body(session, heartbeat);
    } catch (const std::exception& error) {
      if (!thrown_by_all(session, error)) {
        fmt::print(std::cerr, "bellwether: rank {} (host {}), phase {}, step {}: {}\n",
                   session.rank(), session.host(), heartbeat.phase.load(), heartbeat.step.load(),
                   message_of(error));
        session.leave(static_cast<int>(status_of(error)));
      }
      agreed = std::current_exception();
    }
  }
  if (agreed) std::rethrow_exception(agreed);
  return status;
}

}  // namespace bellwether
