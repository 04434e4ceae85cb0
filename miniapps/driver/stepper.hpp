// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/driver/case.hpp"
#include "miniapps/driver/case_samples.hpp"
#include "miniapps/driver/energy_meter.hpp"
#include "miniapps/driver/injected_noise.hpp"

namespace bellwether {

/// Steps and verifies as the case's protocol wants it; keeps the verdict of the worst stretch
/// between two restarts.
class Stepper {
 public:
  Stepper(const Session& session, Case& subject, Heartbeat& heartbeat, bool verify_twice);

  [[nodiscard]] const Protocol& protocol() const { return protocol_; }

  /// Runs a sample of `steps` steps and returns what they took this rank; `may_restart` lets the
  /// state be renewed before when it could not take them. Else it is verified while it still can
  /// be.
  StepSample sample(long steps, bool may_restart);
  /// From now on, after each piece of a step's work as much of it as that work has.
  void inject(const NoiseLaw& law);
  /// From now on the energy of samples, if any is counted.
  void count(EnergyMeter& energy);
  /// `is_last`: the run's fingerprint is of this state.
  void verify(bool is_last = true);
  void restart();
  /// Where it is asked for, the steps since the last restart once more, and behind them the bits
  /// held against those that were verified; not timed. As many steps as were repeated before have
  /// the bits that they had then.
  void repeat();
  /// What came before the first step: the slowest rank's phases.
  std::vector<std::pair<std::string, double>> set_up();
  [[nodiscard]] Verification verdict() const;
  /// Of the state that was verified as the last.
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }
  /// Whether a sample's state was beyond repair: the verdict says why, and stays.
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  const Session& session_;
  Case& case_;
  WatchedCase* watched_;
  Heartbeat& heartbeat_;
  Protocol protocol_;
  bool twice_;
  PhaseClock clock_;
  EnergyMeter* energy_ = nullptr;
  long since_restart_ = 0;
  long verified_amid_ = 0;  ///< after so many of these steps; 0: only behind all
  bool is_verified_ = false;
  std::uint64_t fingerprint_ = 0;               ///< of the last state, or each that is repeated
  std::map<long, std::uint64_t> bits_after_{};  ///< so many steps, by the fingerprint
  int differing_ = 0;                           ///< stretches that ended in others
  Verification verdict_;
  bool broken_ = false;
  std::optional<InjectedNoise> noise_;
};

}  // namespace bellwether
