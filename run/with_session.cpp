// SPDX-License-Identifier: MIT
#include "run/with_session.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "miniapps/comm/watchdog.hpp"

namespace bellwether {

ExitStatus with_session(CommandLine command_line, double stall_limit_s,
                        const std::function<ExitStatus(Session&, Heartbeat&)>& body) {
  std::exception_ptr agreed;
  ExitStatus status = ExitStatus::success;
  {
    Session session(command_line.count, command_line.values);
    Heartbeat heartbeat;
    Watchdog watchdog(session, heartbeat, stall_limit_s);
    try {
      status = body(session, heartbeat);
    } catch (const BadInput&) {
      agreed = std::current_exception();
    } catch (const BadEnvironment&) {
      agreed = std::current_exception();
    } catch (const std::exception& error) {
      fmt::print(stderr,
                 "bellwether: rank {} (host {}), phase {}, step {}: a fault of its own: {}\n",
                 session.rank(), session.host(), heartbeat.phase.load(), heartbeat.step.load(),
                 error.what());
      std::fflush(stderr);
      session.leave(static_cast<int>(ExitStatus::internal_fault));
    }
  }
  if (agreed) std::rethrow_exception(agreed);
  return status;
}

}  // namespace bellwether
