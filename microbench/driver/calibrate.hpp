// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "microbench/driver/bench.hpp"
#include "microbench/driver/bench_case.hpp"
#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session/progress.hpp"
#include "miniapps/comm/session/session.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

struct CalibrateOptions {
  bool quick = false;  ///< in about a minute on two cores; else within ten
  std::string backend = "kokkos";
  std::string name;          ///< of the machine; empty: the host's
  double time_budget_s = 0;  ///< 0: what quick or full take
  /// Nothing larger is measured; 0: what quick or full measure. For slow links, and to see how well
  /// models extrapolate. Edge of a cube of cells on one rank.
  std::size_t largest_message_bytes = 0;
  int largest_edge = 0;
  std::size_t largest_memory_bytes = 0;  ///< that one benchmark takes on a rank
  /// Minutes after which the probes of the machine's drift are taken once more; 0: not.
  double repeat_after_minutes = 0;
  Progress* progress = nullptr;    ///< shows groups, rounds and the time left
  Heartbeat* heartbeat = nullptr;  ///< beats at every measurement, for the watchdog
};

/// Measures this machine under the session's ranks and fits the models' parameters, the same on all
/// ranks. Collective. Throws BadInput for an unknown backend, BadEnvironment where memory is short.
Machine calibrate(Session& session, const CalibrateOptions& options,
                  SampleStore* samples = nullptr);

/// The same within limits other than those of a quick or full calibration.
Machine calibrate_within(Session& session, const CalibrateOptions& options,
                         const CalibrationLimits& limits, SampleStore* samples = nullptr);

}  // namespace bellwether
