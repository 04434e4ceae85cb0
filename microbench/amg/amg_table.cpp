// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "microbench/amg/amg.hpp"
#include "models/amg/amg_parameters.hpp"

namespace bellwether {
namespace {

void thread_table(const std::vector<AmgThreads>& threads, const char* what, ParameterTable& table) {
  for (const AmgThreads& one : threads) {
    table.row(fmt::format("bandwidth, {} thread{}", one.threads, one.threads == 1 ? "" : "s"),
              one.bandwidth_bytes_per_s, 1e-9, "GB/s", what);
    table.row("  fork and join", one.fork_join_s, 1e6, "us", "of a parallel loop");
  }
}

void published_table(const AmgParameters& amg, ParameterTable& table) {
  for (std::size_t level = 0; level < amg.flop_time_s.size(); ++level)
    table.row(fmt::format("time per flop, level {}{}", level,
                          level + 1 == amg.flop_time_s.size() ? "+" : ""),
              amg.flop_time_s[level], 1e9, "ns", "sparse product, one thread on every core");
  thread_table(amg.threads, "STREAM Triad, of each thread", table);
  for (const AmgCoreSharing& one : amg.core_sharing)
    table.row(fmt::format("penalty, {} per core", one.threads_per_core), one.penalty, 1, "",
              "on the time per flop");
}

/// The least call and, per entry, the largest one of the fewest and of the most entries per row.
void kernel_table(const char* name, const AmgKernelTable& kernel, ParameterTable& table) {
  if (kernel.empty()) return;
  const AmgKernelTime& least = kernel.front().times.front();
  table.row(name, least.cold_s, 1e6, "us",
            fmt::format("a call on {:.0f} rows of {:g} entries, cold", least.rows,
                        kernel.front().entries_per_row));
  std::vector<const AmgKernelCurve*> curves = {&kernel.front()};
  if (kernel.size() > 1) curves.push_back(&kernel.back());
  for (const AmgKernelCurve* const curve : curves) {
    const AmgKernelTime& largest = curve->times.back();
    const double entries = largest.rows * curve->entries_per_row;
    table.row(fmt::format("  an entry, {:g} in a row", curve->entries_per_row), largest.cold_s,
              1e9 / entries, "ns", fmt::format("of {} rows", number(largest.rows)));
    if (largest.wait_s)
      table.row("    waited", *largest.wait_s, 1e9 / entries, "ns",
                "of it, for the slowest rank, on average");
  }
}

}  // namespace

void amg_table(const Machine& machine, ParameterTable& table) {
  const auto* const own = section<AmgParameters>(machine);
  if (own == nullptr) return;
  table.heading("AMG solve cycle");
  published_table(*own, table);
  if (!own->kernels) return;
  const AmgKernelParameters& kernels = *own->kernels;
  kernel_table("residual", kernels.spmv, table);
  kernel_table("Gauss-Seidel sweep", kernels.gauss_seidel, table);
  kernel_table("l1-Jacobi sweep", kernels.jacobi, table);
  kernel_table("Chebyshev sweep", kernels.chebyshev, table);
  kernel_table("interpolation", kernels.interpolate, table);
  kernel_table("restriction", kernels.restriction, table);
  if (!kernels.coarse_solve.empty())
    table.row("coarse solve", kernels.coarse_solve.front().times.back().cold_s, 1e6, "us",
              fmt::format("by elimination, {:.0f} unknowns",
                          kernels.coarse_solve.front().times.back().rows));
  thread_table(kernels.thread_counts, "y = y + a x, of each thread", table);
}

Folder amg_folder() {
  return {.plan = measured(plan_amg, amg_from_samples),
          .table = amg_table,
          .parameters = "AMG",
          .is_of_a_miniapp = true};
}

}  // namespace bellwether
