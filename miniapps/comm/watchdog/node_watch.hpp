// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/comm/watchdog/watchdog.hpp"
#include "miniapps/comm/watchdog/watchdog_verdict.hpp"

namespace bellwether {

/// A short text that one thread writes and other processes read: a reader may see a mixture of two
/// texts, never past the end.
class SharedText {
 public:
  void store(const char* text) {
    const std::size_t length = std::min(std::strlen(text), characters_.size() - 1);
    for (std::size_t i = 0; i <= length; ++i) {
      characters_[i].store(i < length ? text[i] : '\0', std::memory_order_relaxed);
    }
  }
  [[nodiscard]] std::string load() const {
    std::string text;
    for (const auto& character : characters_) {
      const char value = character.load(std::memory_order_relaxed);
      if (value == '\0') {
        break;
      }
      text.push_back(value);
    }
    return text;
  }

 private:
  std::array<std::atomic<char>, 48> characters_{};
};

/// Whether a rank is to be watched: while it runs. `failed` is a rank that leaves by an exception,
/// whose message is printed elsewhere; `ended` one that a signal is ending.
enum class RankState : int { running, left, failed, ended };

/// What one rank shows the others of its node. Written by its watchdog thread alone.
struct alignas(64) WatchdogSlot {
  std::atomic<RankState> state{RankState::running};
  std::atomic<int> pid{0};
  std::atomic<int> rank{0};
  std::atomic<long> ticks{0};  ///< a sign of life every tick, whatever the rank does
  std::atomic<long> beats{0};
  std::atomic<long> step{0};
  SharedText phase;
};

/// Start of the table, followed by a slot for each local rank.
struct alignas(64) WatchdogHeader {
  std::atomic<bool> claimed{false};  ///< by the rank that prints the one line
  std::atomic<bool> printed{false};
};

// Other processes read these: they must need no lock, which would be each process' own.
static_assert(std::atomic<long>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<char>::is_always_lock_free &&
              std::atomic<RankState>::is_always_lock_free);

/// The ranks of a node watch one another through shared memory, ten times a second; a dead rank's
/// phase and step are as old as that. The lowest rank alive watches.
class NodeWatch {
 public:
  /// Collective. Until it ends, the watchdog looks at the node's ranks in place of its own.
  NodeWatch(Watchdog& watchdog, const Session& session);
  /// Collective, unless it runs during an exception: then the rank leaves alone, and the watchdogs
  /// of the others keep quiet while a rank ends the job whose own message says what happened.
  ~NodeWatch();
  NodeWatch(const NodeWatch&) = delete;
  NodeWatch& operator=(const NodeWatch&) = delete;

  /// Every tick, on the watchdog's thread. `now_s`: on this rank's own clock, which stands still
  /// while the process does; `signal`: 0, or the number of the one that ends this rank.
  void look(double now_s, int signal);

 private:
  /// What this rank saw of another, and when on its own clock it last saw that change.
  struct Memory {
    long ticks = -1, beats = -1, step = -1;
    double ticked_at = 0, moved_at = 0;
    bool visible = false;  ///< its process can be asked after: not where containers hide it
  };

  void allocate_table();
  [[nodiscard]] WatchdogSlot& slot(int local_rank) const { return slots_[local_rank]; }
  void show();
  void look_at_others();
  [[nodiscard]] bool is_watcher() const;
  [[nodiscard]] bool is_gone(int local_rank) const;
  [[nodiscard]] RankSight sight_of(int local_rank) const;
  void end_on_fault();
  [[noreturn]] void end_on_signal(int number);
  /// Whether this rank is the one to print; true once on a node.
  [[nodiscard]] bool claim();
  void print(const std::string& line);

  Watchdog& watchdog_;
  const Session& session_;
  Heartbeat& heartbeat_;
  MPI_Win window_ = MPI_WIN_NULL;
  WatchdogHeader* header_ = nullptr;
  WatchdogSlot* slots_ = nullptr;
  std::vector<Memory> memory_;
  double now_s_ = 0;
};

}  // namespace bellwether
