// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "microbench/driver/parameter_table.hpp"
#include "microbench/driver/plan.hpp"

namespace bellwether {

/// What one folder adds to the suite; what it has not is empty.
struct Folder {
  /// Collective. Adds its benchmarks to the plan, and how their samples become parameters. Throws
  /// BadEnvironment, before anything large is allocated, if memory is short.
  std::function<void(Plan&)> plan;
  /// Adds to the table what parameters of its own the machine has.
  void (*table)(const Machine&, ParameterTable&) = nullptr;
  /// The same in one line; empty if the machine has none.
  std::string (*line)(const Machine&) = nullptr;
};

/// In the order of measuring, fitting and printing: a folder may build on the parameters, and has
/// the memory, that those before it leave.
const std::vector<Folder>& folders();

/// All that the folders measure on a bench.
Plan plan_on(Bench& bench);

}  // namespace bellwether
