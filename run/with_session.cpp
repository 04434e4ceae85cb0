// SPDX-License-Identifier: MIT
#include "run/with_session.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "miniapps/comm/watchdog.hpp"

namespace bellwether {

namespace {

/// What agree_on_errors threw; and what every rank finds in the same words of the command line.
bool thrown_by_all(const std::exception& error) {
  return dynamic_cast<const ThrownByAll*>(&error) != nullptr ||
         dynamic_cast<const BadInput*>(&error) != nullptr ||
         dynamic_cast<const BadEnvironment*>(&error) != nullptr;
}

}  // namespace

ExitStatus with_session(CommandLine command_line, double stall_limit_s,
                        const std::function<ExitStatus(Session&, Heartbeat&)>& body) {
  std::exception_ptr agreed;
  ExitStatus status = ExitStatus::success;
  {
    Session session(command_line.count, command_line.values);
    Heartbeat heartbeat;
    // The watchdog ends before the message: leaving, a rank tells the others' watchdogs to keep
    // quiet.
    try {
      const Watchdog watchdog(session, heartbeat, stall_limit_s);
      status = body(session, heartbeat);
    } catch (const std::exception& error) {
      if (!thrown_by_all(error)) {
        fmt::print(stderr,
                   "bellwether: rank {} (host {}), phase {}, step {}: a fault of its own: {}\n",
                   session.rank(), session.host(), heartbeat.phase.load(), heartbeat.step.load(),
                   error.what());
        std::fflush(stderr);
        session.leave(static_cast<int>(ExitStatus::internal_fault));
      }
      agreed = std::current_exception();
    }
  }
  if (agreed) std::rethrow_exception(agreed);
  return status;
}

}  // namespace bellwether
