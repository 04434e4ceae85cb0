// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "microbench/amg/amg.hpp"
#include "models/amg/amg_parameters.hpp"

namespace bellwether {

namespace {

/// Of the loops: bandwidth of each thread, and what a call takes longer than one thread's.
std::vector<AmgThreads> thread_counts(const AmgCases& cases, const SampleStore& store) {
  std::map<int, std::map<int, std::vector<double>>> seconds;  // by threads and doubles
  for (const auto& [spec, key] : cases)
    if (spec.threads > 0) seconds[spec.threads][spec.rows] = store.at(key);
  std::vector<AmgThreads> all;
  for (const auto& [threads, by_doubles] : seconds) {
    const auto& [doubles, longest] = *by_doubles.rbegin();
    constexpr double bytes_per_double = 3. * sizeof(double);  // of y = y + a x
    const Quantity call = quantity_of(by_doubles.begin()->second);
    const double alone = quantity_of(seconds.begin()->second.begin()->second).value;
    const auto longer = [&](double one) { return threads == 1 ? 0 : std::max(0., one - alone); };
    all.push_back({threads, rate_of(bytes_per_double * doubles / threads, longest),
                   Quantity{longer(call.value), longer(call.low), longer(call.high), {}}});
  }
  return all;
}

}  // namespace

void amg_from_samples(const AmgCases& cases, const SampleStore& store, Machine& machine) {
  if (cases.empty()) return;
  // By operation, entries per row and rows.
  std::map<AmgOperation, std::map<int, std::map<int, AmgKernelTime>>> measured;
  const bool waits = machine.layout.ranks > 1;
  for (const auto& [spec, key] : cases) {
    if (spec.threads > 0) continue;
    std::size_t part = 0;
    const auto next = [&, &key = key] { return quantity_of(store.at(key.of_part(part++))); };
    for (const AmgOperation operation : amg_operations(spec)) {
      AmgKernelTime time{.rows = 1. * spec.rows, .cold_s = next(), .again_s = next()};
      const Quantity wait = next(), again_wait = next();
      if (waits) {
        time.wait_s = wait;
        time.again_wait_s = again_wait;
      }
      // Of the coarsest level rows say how many entries.
      const int entries = spec.role == AmgRole::coarsest ? 1 : spec.entries_per_row;
      measured[operation][entries][spec.rows] = time;
    }
  }
  const auto table = [&measured](AmgOperation operation) {
    AmgKernelTable all;
    for (const auto& [entries, by_rows] : measured[operation]) {
      AmgKernelCurve curve{1. * entries, {}};
      for (const auto& [rows, time] : by_rows) curve.times.push_back(time);
      all.push_back(std::move(curve));
    }
    return all;
  };
  AmgParameters parameters;
  if (const auto* const own = section<AmgParameters>(machine)) parameters = *own;
  parameters.kernels = AmgKernelParameters{.threads = amg_threads(),
                                           .spmv = table(AmgOperation::spmv),
                                           .gauss_seidel = table(AmgOperation::gauss_seidel),
                                           .jacobi = table(AmgOperation::jacobi),
                                           .interpolate = table(AmgOperation::interpolate),
                                           .restriction = table(AmgOperation::restriction),
                                           .chebyshev = table(AmgOperation::chebyshev),
                                           .coarse_solve = table(AmgOperation::coarse_solve),
                                           .thread_counts = thread_counts(cases, store)};
  set_section(machine, std::move(parameters));
}

Folder amg_folder() { return {measured(plan_amg, amg_from_samples), true}; }

}  // namespace bellwether
