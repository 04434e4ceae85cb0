// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session/launcher.hpp"
#include "miniapps/comm/watchdog/signal_latch.hpp"

namespace bellwether {

class NodeWatch;

/// Ends a run with a line on stderr and exit status 5 when a rank dies, no rank of a node enters a
/// new phase within the stall limit, or a signal comes. A thread on each rank.
class Watchdog {
 public:
  /// `limit_s` 0: only deaths and signals. The heartbeat must outlive the watchdog.
  Watchdog(Heartbeat& heartbeat, double limit_s);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  [[nodiscard]] Heartbeat& heartbeat() const { return heartbeat_; }
  [[nodiscard]] double limit_s() const { return limit_s_; }
  /// Null: the rank is alone again.
  void look_through(NodeWatch* node);

 private:
  void watch();
  void look_alone(int signal);

  Heartbeat& heartbeat_;
  const double limit_s_;
  const std::optional<Launched> launched_ = launched();
  const std::string host_, job_;
  double now_s_ = 0, moved_at_ = 0;
  long beats_ = -1;
  std::mutex mutex_;  ///< held while the thread looks
  NodeWatch* node_ = nullptr;
  SignalLatch latch_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace bellwether
