// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "microbench/driver/registry.hpp"
#include "models/amg/amg_parameters.hpp"

namespace bellwether {
namespace {

void amg_table(const Machine& machine, ParameterTable& table) {
  const auto* const own = section<AmgParameters>(machine);
  if (own == nullptr) return;
  const AmgParameters& amg = *own;
  table.heading("AMG solve cycle");
  for (std::size_t level = 0; level < amg.flop_time_s.size(); ++level)
    table.row(fmt::format("time per flop, level {}{}", level,
                          level + 1 == amg.flop_time_s.size() ? "+" : ""),
              amg.flop_time_s[level], 1e9, "ns", "sparse product, one thread on every core");
  for (const AmgThreads& one : amg.threads) {
    table.row(fmt::format("bandwidth, {} thread{}", one.threads, one.threads == 1 ? "" : "s"),
              one.bandwidth_bytes_per_s, 1e-9, "GB/s", "STREAM Triad, of each thread");
    table.row("  fork and join", one.fork_join_s, 1e6, "us", "of a parallel loop");
  }
  for (const AmgCoreSharing& one : amg.core_sharing)
    table.row(fmt::format("penalty, {} per core", one.threads_per_core), one.penalty, 1, "",
              "on the time per flop");
}

std::string amg_line(const Machine& machine) {
  const auto* const own = section<AmgParameters>(machine);
  if (own == nullptr) return {};
  return fmt::format("AMG solve cycle: time per flop on {} levels, up to {} threads",
                     own->flop_time_s.size(),
                     own->threads.empty() ? 1 : own->threads.back().threads);
}

}  // namespace

Folder amg_folder() { return {{}, amg_table, amg_line}; }

}  // namespace bellwether
