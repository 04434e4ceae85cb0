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

JsonType<AmgKernelParameters> amg_kernels_type() {
  using Kernels = AmgKernelParameters;
  using Time = AmgKernelTime;
  const JsonType<Quantity> seconds = json_quantity(Range::positive);
  const JsonType<Time> time = json_object<Time>(
      {required("rows", &Time::rows, json_positive()), required("cold_s", &Time::cold_s, seconds),
       optional("again_s", &Time::again_s, seconds), retired<Time>("wait_s"),
       retired<Time>("again_wait_s")});
  const JsonType<AmgKernelCurve> curve = json_object<AmgKernelCurve>(
      {required("entries_per_row", &AmgKernelCurve::entries_per_row, json_positive()),
       required("times", &AmgKernelCurve::times,
                json_ascending("rows", &Time::rows, "rows", time, 1))});
  const JsonType<AmgKernelTable> table = named(
      "amg_kernel",
      "Seconds of a call by entries per row and rows of a rank, the slowest rank's: cold, and in "
      "turn over and over.",
      json_ascending("entries_per_row", &AmgKernelCurve::entries_per_row, "entries per row", curve,
                     1));
  return named(
      "amg_kernels",
      "Operations of a solve cycle, all ranks at once with so many threads each; rows and "
      "entries of interpolate and restrict are the interpolation's.",
      json_object<Kernels>({required("threads", &Kernels::threads, json_count(1)),
                            required("spmv", &Kernels::spmv, table),
                            optional("gauss_seidel", &Kernels::gauss_seidel, table),
                            required("interpolate", &Kernels::interpolate, table),
                            required("restrict", &Kernels::restriction, table),
                            retired<Kernels>("gauss_seidel_backward"), retired<Kernels>("jacobi"),
                            retired<Kernels>("chebyshev"), retired<Kernels>("thread_counts"),
                            retired<Kernels>("coarse_solve")}));
}

/// That the published keys stand together.
nlohmann::json published_together() {
  const std::vector<std::string> keys = {"flop_time_s", "threads", "core_sharing",
                                         "ranks_per_node"};
  nlohmann::json dependencies;
  for (const std::string& key : keys) dependencies[key] = keys;
  return {{"dependencies", dependencies}};
}

}  // namespace

const AmgParameters* amg_published(const Machine& machine) {
  const auto* const own = section<AmgParameters>(machine);
  return own != nullptr && !own->flop_time_s.empty() ? own : nullptr;
}

const AmgKernelParameters* amg_kernels(const Machine& machine) {
  const auto* const own = section<AmgParameters>(machine);
  return own != nullptr && own->kernels ? &*own->kernels : nullptr;
}

JsonType<AmgParameters> amg_parameters_type() {
  using Amg = AmgParameters;
  JsonType<Amg> type = restricted<Amg>(
      json_object<Amg>(
          {optional("flop_time_s", &Amg::flop_time_s, json_list(json_quantity(Range::positive), 1)),
           optional("threads", &Amg::threads, threads_type()),
           optional("core_sharing", &Amg::core_sharing, core_sharing_type()),
           optional("ranks_per_node", &Amg::ranks_per_node, ranks_per_node_type()),
           optional("kernels", &Amg::kernels, amg_kernels_type()),
           optional("wait_per_diameter_s", &Amg::wait_per_diameter_s,
                    json_quantity(Range::nonnegative))}),
      published_together(),
      [](const Amg& amg) {
        const bool published = !amg.flop_time_s.empty();
        return amg.threads.empty() != published && amg.core_sharing.empty() != published &&
               amg.ranks_per_node.empty() != published;
      },
      "flop_time_s, threads, core_sharing and ranks_per_node together, or none of them");
  return named(
      "amg",
      "AMG solve cycle: seconds per flop by level (the last holds for all coarser ones), threads "
      "of one rank (ascending, from 1), penalty of 1, 2, 3, ... threads on a core, and how many "
      "ranks a node can run (ascending), as published; operations as calibrated.",
      std::move(type));
}

}  // namespace bellwether
