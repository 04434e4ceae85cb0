// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "microbench/amg/amg.hpp"
#include "models/amg/amg_parameters.hpp"

namespace bellwether {

void amg_from_samples(const AmgCases& cases, const SampleStore& store, Machine& machine) {
  if (cases.empty()) return;
  // By operation, entries per row and rows.
  std::map<AmgOperation, std::map<int, std::map<int, AmgKernelTime>>> measured;
  for (const auto& [spec, key] : cases) {
    std::size_t part = 0;
    const auto next = [&, &key = key] { return quantity_of(store.at(key.of_part(part++))); };
    for (const AmgOperation operation : amg_operations(spec)) {
      const AmgKernelTime time{.rows = 1. * spec.rows, .cold_s = next(), .again_s = next()};
      measured[operation][spec.entries_per_row][spec.rows] = time;
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
                                           .interpolate = table(AmgOperation::interpolate),
                                           .restriction = table(AmgOperation::restriction)};
  set_section(machine, std::move(parameters));
}

Folder amg_folder() { return {measured(plan_amg, amg_from_samples), true}; }

}  // namespace bellwether
