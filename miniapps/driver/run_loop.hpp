// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "miniapps/comm/session/progress.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/driver/case.hpp"
#include "miniapps/driver/energy_meter.hpp"
#include "miniapps/driver/injected_noise.hpp"
#include "models/machine/machine.hpp"
#include "results/gpu_monitor.hpp"
#include "results/record.hpp"

namespace bellwether {

struct RunOptions {
  long steps = 0;             ///< exactly so many timed steps from the initial state; 0: auto
  double time_budget_s = 10;  ///< auto: timed samples end when this is spent …
  double precision = 0.01;    ///< … or half the median's 95 % interval is within this of it and
                              ///< energy that is counted is told
  /// The same steps once more after each stretch, untimed: they must end in the same bits.
  bool verify_twice = false;
  bool probe = false;  ///< measure the speed of the moment between the samples
  /// Detours before timed steps, for so much work as the last warm-up took: the term `injected`.
  std::optional<NoiseLaw> noise = {};
  bool per_rank = true;             ///< every rank's medians into the record
  std::string device = {};          ///< what this rank computes on, for its own result
  const GpuMonitor* gpu = nullptr;  ///< of this rank's GPU; null: it computes on a CPU
  EnergyMeter* energy = nullptr;    ///< of all ranks; null: no energy is counted
  Progress* progress = nullptr;     ///< where a person sees what is being done; may be null
};

struct CaseResult {
  Record record;
  nlohmann::json gpu;  ///< this rank's, right after the timed steps, and `during` them (GpuWatch);
                       ///< null without one
  std::exception_ptr picture_error;  ///< why the fields could not be written, if they could not
};

/// Collective. Setup, warm-up, repetition until the median is known, the slowest rank's phases,
/// verification, prediction (`machine` null: none). App, machine and provenance are left.
CaseResult run_case(const Session& session, Case& subject, Heartbeat& heartbeat,
                    const RunOptions& options, const Machine* machine);

}  // namespace bellwether
