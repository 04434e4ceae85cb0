// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bellwether {

/// What a watcher knows of one rank of its node.
struct RankSight {
  int rank = 0;
  std::string phase;
  long step = 0;
  long beats = 0;       ///< how often the rank has changed its phase so far
  double quiet_s = 0;   ///< since the rank last made progress; at least silent_s
  double silent_s = 0;  ///< since the rank's own watchdog last showed a sign of life
  bool gone = false;    ///< its process no longer exists
};

enum class Fault {
  died,     ///< the process is gone
  stopped,  ///< no progress in a phase of its own, or its whole process stands still
  waited    ///< in a communication phase, as all others on the node
};

struct WatchdogVerdict {
  Fault fault = Fault::died;
  std::size_t index = 0;  ///< of the rank named, in the list that was judged
  double seconds = 0;
};

/// Whether a rank in this phase may be waiting for others.
bool waits_for_others(const std::string& phase);

/// Which of a node's ranks is to blame where none changes its phase within `limit_s` (0: only the
/// dead): one that stands still, else one in a phase of its own, else the furthest behind.
std::optional<WatchdogVerdict> judge(const std::vector<RankSight>& ranks, double limit_s);

/// "rank 1 (host abc) stopped answering for 60 s in phase compute.interior, step 1234; the run ends
/// here, finished records are on disk"
std::string describe(const WatchdogVerdict& verdict, const RankSight& rank,
                     const std::string& host);
/// "ended by SIGTERM in phase pack, step 12 (rank 1, host abc); finished records are on disk"
std::string describe_signal(const char* signal, const RankSight& rank, const std::string& host);

/// The one line on stderr with which a run ends, whole.
void say_end(const std::string& text);

}  // namespace bellwether
