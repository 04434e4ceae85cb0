// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/comm/signal_latch.hpp"
#include "miniapps/comm/watchdog_table.hpp"
#include "miniapps/comm/watchdog_verdict.hpp"

namespace bellwether {

/// Ends a run that can no longer end well, with one line on stderr that names rank, host, phase and
/// step, and exit status 5: when a rank dies, when no rank of a node has entered a new phase for
/// the stall limit, and on SIGTERM or SIGINT. A thread on each rank shows the others of its node
/// where the rank is, through shared memory, ten times a second; phase and step of a rank that died
/// are as old as that. The lowest rank whose thread is alive watches. A healthy run never hears of
/// it, but a phase that takes longer than the limit must enter() another, or itself again, on its
/// way.
class Watchdog {
 public:
  /// Collective. `limit_s` 0: only deaths and signals. The heartbeat must outlive the watchdog.
  Watchdog(const Session& session, Heartbeat& heartbeat, double limit_s);
  /// Collective, unless it runs during an exception: then the rank leaves alone, and the watchdogs
  /// of the others keep quiet while a rank ends the job whose own message says what happened.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  /// What this rank saw of another, and when on its own clock it last saw that change.
  struct Memory {
    long ticks = -1, beats = -1, step = -1;
    double ticked_at = 0, moved_at = 0;
    bool visible = false;  ///< its process can be asked after: not where containers hide it
  };

  void allocate_table();
  [[nodiscard]] WatchdogSlot& slot(int local_rank) const { return slots_[local_rank]; }
  void watch();
  void show();
  void look();
  [[nodiscard]] bool is_watcher() const;
  [[nodiscard]] bool is_gone(int local_rank) const;
  [[nodiscard]] RankSight sight_of(int local_rank) const;
  void end_on_fault();
  [[noreturn]] void end_on_signal(int number);
  /// Whether this rank is the one to print; true once on a node.
  [[nodiscard]] bool claim();
  void print(const std::string& line);

  const Session& session_;
  Heartbeat& heartbeat_;
  double limit_s_;
  MPI_Win window_ = MPI_WIN_NULL;
  WatchdogHeader* header_ = nullptr;
  WatchdogSlot* slots_ = nullptr;
  std::vector<Memory> memory_;
  double now_s_ = 0;  ///< this rank's own clock: stands still while the process does
  SignalLatch latch_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace bellwether
