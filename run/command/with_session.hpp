// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {

/// Runs `body` between MPI's start and end, under the watchdog (`stall_limit_s` 0: deaths and
/// signals only). What all ranks throw (thrown_by_all) passes on after MPI has ended in order; any
/// other exception is one rank's own: it is printed with the rank and ends the job, within seconds
/// and with the exception's exit status.
ExitStatus with_session(CommandLine command_line, double stall_limit_s,
                        const std::function<ExitStatus(Session&, Heartbeat&)>& body);

}  // namespace bellwether
