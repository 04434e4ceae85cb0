// SPDX-License-Identifier: MIT
#include "miniapps/comm/watchdog/watchdog_verdict.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

namespace bellwether {
namespace {

/// So that the node with the cause speaks before nodes that only wait for it.
constexpr double waiting_grace_s = 3;
/// A process whose watchdog has not ticked for this long (ten ticks) stands still.
constexpr double silence_s = 1;

}  // namespace

bool waits_for_others(const std::string& phase) {
  constexpr std::array<std::string_view, 5> waiting{"network", "reduce", "finish", "MPI_Init",
                                                    "MPI_Finalize"};
  return std::find(waiting.begin(), waiting.end(), phase) != waiting.end();
}

std::optional<WatchdogVerdict> judge(const std::vector<RankSight>& ranks, double limit_s) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].gone) {
      return WatchdogVerdict{Fault::died, i, ranks[i].silent_s};
    }
  }
  if (limit_s <= 0 || ranks.empty()) {
    return std::nullopt;
  }
  // While any rank makes progress the others may be waiting for it, in whatever phase.
  const auto quietest = std::min_element(
      ranks.begin(), ranks.end(),
      [](const RankSight& a, const RankSight& b) { return a.quiet_s < b.quiet_s; });
  // Least first: processes that stand still, own phase before waiting, lowest step, fewest beats.
  const auto order = [](const RankSight& rank) {
    return std::tuple(rank.silent_s <= silence_s, waits_for_others(rank.phase), rank.step,
                      rank.beats);
  };
  const auto behind =
      std::min_element(ranks.begin(), ranks.end(),
                       [&](const RankSight& a, const RankSight& b) { return order(a) < order(b); });
  const bool all_wait = behind->silent_s <= silence_s && waits_for_others(behind->phase);
  if (quietest->quiet_s <= (all_wait ? limit_s + waiting_grace_s : limit_s)) {
    return std::nullopt;
  }
  return WatchdogVerdict{all_wait ? Fault::waited : Fault::stopped,
                         static_cast<std::size_t>(behind - ranks.begin()), behind->quiet_s};
}

std::string describe(const WatchdogVerdict& verdict, const RankSight& rank,
                     const std::string& host) {
  const std::string who = fmt::format("rank {} (host {})", rank.rank, host);
  const std::string where = fmt::format("in phase {}, step {}", rank.phase, rank.step);
  const std::string fault =
      verdict.fault == Fault::died ? fmt::format("{} died {}", who, where)
      : verdict.fault == Fault::stopped
          ? fmt::format("{} stopped answering for {:.0f} s {}", who, verdict.seconds, where)
          : fmt::format("{} has waited {:.0f} s for other ranks {}", who, verdict.seconds, where);
  return fault + "; the run ends here, finished records are on disk";
}

std::string describe_signal(const char* signal, const RankSight& rank, const std::string& host) {
  return fmt::format(
      "ended by {} in phase {}, step {} (rank {}, host {}); finished records are on disk", signal,
      rank.phase, rank.step, rank.rank, host);
}

void say_end(const std::string& text) {
  const std::string line = "bellwether: " + text + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace bellwether
