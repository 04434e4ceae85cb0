// SPDX-License-Identifier: MIT
#include "models/amg/amg_parameters.hpp"

#include <fmt/format.h>

#include "models/machine/json_type.hpp"

namespace bellwether {
namespace {

/// Ascending, from one thread on.
JsonType<std::vector<AmgThreads>> threads_type() {
  const JsonType<AmgThreads> one = json_object<AmgThreads>(
      {required("threads", &AmgThreads::threads, json_count(1)),
       required("bandwidth_bytes_per_s", &AmgThreads::bandwidth_bytes_per_s,
                json_quantity(Range::positive)),
       required("fork_join_s", &AmgThreads::fork_join_s, json_quantity(Range::nonnegative))});
  return checked_list<AmgThreads>(
      json_ascending("threads", &AmgThreads::threads, "threads", one, 1),
      [](const JsonNode& item, const std::vector<AmgThreads>& all, std::size_t index) {
        if (index == 0 && all[0].threads != 1) item.child("threads").refuse("1, the first entry's");
      });
}

JsonType<std::vector<AmgCoreSharing>> core_sharing_type() {
  const JsonType<AmgCoreSharing> one = json_object<AmgCoreSharing>(
      {required("threads_per_core", &AmgCoreSharing::threads_per_core, json_count(1)),
       required("penalty", &AmgCoreSharing::penalty, json_quantity(Range::positive))});
  return checked_list<AmgCoreSharing>(
      json_list(one, 1),
      [](const JsonNode& item, const std::vector<AmgCoreSharing>& all, std::size_t index) {
        const int expected = static_cast<int>(index) + 1;
        if (all[index].threads_per_core != expected)
          item.child("threads_per_core").refuse(fmt::format("{}: 1, 2, 3 and so on", expected));
      });
}

JsonType<std::vector<int>> ranks_per_node_type() {
  return checked_list<int>(
      json_list(json_count(1), 1),
      [](const JsonNode& item, const std::vector<int>& all, std::size_t index) {
        if (index > 0) require_above(item, "ranks_per_node", all[index - 1], all[index]);
      });
}

}  // namespace

JsonType<AmgParameters> amg_parameters_type() {
  return named(
      "amg",
      "AMG solve cycle: seconds per flop by level (the last holds for all coarser ones), threads "
      "of one rank (ascending, from 1), penalty of 1, 2, 3, ... threads on a core, and how many "
      "ranks a node can run (ascending).",
      json_object<AmgParameters>(
          {required("flop_time_s", &AmgParameters::flop_time_s,
                    json_list(json_quantity(Range::positive), 1)),
           required("threads", &AmgParameters::threads, threads_type()),
           required("core_sharing", &AmgParameters::core_sharing, core_sharing_type()),
           required("ranks_per_node", &AmgParameters::ranks_per_node, ranks_per_node_type())}));
}

}  // namespace bellwether
