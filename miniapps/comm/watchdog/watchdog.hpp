// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "miniapps/comm/launcher.hpp"
#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/watchdog/signal_latch.hpp"

namespace bellwether {

class NodeWatch;

/// Ends a run that can no longer end well, with one line on stderr that names rank, host, phase and
/// step, and exit status 5: when a rank dies, when no rank of a node has entered a new phase for
/// the stall limit, and on a signal that ends a run. A thread on each
/// rank. It begins before MPI, whose start and end may wait for ranks that never come: there it
/// knows of its own rank alone, and between them of all the node's (NodeWatch). A healthy run never
/// hears of it, but a phase that takes longer than the limit must enter() another, or itself again,
/// on its way.
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
