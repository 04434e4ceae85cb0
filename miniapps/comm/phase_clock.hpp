// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string_view>
#include <vector>

namespace bellwether {

/// Where a rank is: written by the run loop and the phases, read by the watchdog's thread.
struct Heartbeat {
  std::atomic<const char*> phase{"start"};
  std::atomic<long> step{0};
  std::atomic<long> beats{0};  ///< grows whenever phase or step changes

  void enter(const char* name) {
    phase.store(name, std::memory_order_relaxed);
    beats.fetch_add(1, std::memory_order_relaxed);
  }
};

/// Adds up a step's time in each named phase; they do not nest. Of a device add() takes times from
/// events. A name must be a string literal: it is kept by pointer.
class PhaseClock {
 public:
  explicit PhaseClock(Heartbeat& heartbeat) : heartbeat_(heartbeat) {}

  /// Runs `body` and adds its time to the phase.
  template <class Body>
  void time(const char* phase, Body&& body) {
    heartbeat_.enter(phase);
    const auto begin = std::chrono::steady_clock::now();
    body();
    add(phase, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  /// Tells the watchdog where the rank is without timing it.
  void enter(const char* phase) { heartbeat_.enter(phase); }
  void add(const char* phase, double seconds);
  void clear() { phases_.clear(); }
  /// From now on calls `delay` with the seconds of each phase of work as it ends (on a device whose
  /// launches return early, as its time becomes known).
  void after_work(std::function<void(double seconds)> delay) { after_work_ = std::move(delay); }
  /// Of a phase in which a rank computes, and waits for nobody.
  [[nodiscard]] static bool is_work(std::string_view phase) {
    return phase.starts_with("compute.") || phase == "swap";
  }

  struct Phase {
    const char* name;
    double seconds;
  };
  /// In the order in which the phases were first entered.
  [[nodiscard]] const std::vector<Phase>& phases() const { return phases_; }

 private:
  Heartbeat& heartbeat_;
  std::vector<Phase> phases_;
  std::function<void(double)> after_work_;
};

}  // namespace bellwether
