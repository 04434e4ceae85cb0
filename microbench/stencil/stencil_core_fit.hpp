// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/registry.hpp"

namespace bellwether {

/// A stencil's update of a periodic cube of each rank's own, small enough for its caches, as the
/// mini-app lays it out.
struct CoreSpec {
  std::string app;  ///< "diffusion" or "lbm"
  std::string precision;
  int edge;

  [[nodiscard]] std::string name() const;
};
using CoreCases = std::vector<Planned<CoreSpec>>;

/// Adds what the app's update takes a core to the machine's section of them: the times' fit by
/// cells, rows, and rows that are no multiple of `whole_row_bytes`; with `beyond_row_kernel` of
/// what they take longer than the machine's memory curves of 4 rereads say. Nothing where too
/// little was measured.
void core_from_samples(const CoreCases& cases, double whole_row_bytes, bool beyond_row_kernel,
                       const SampleStore& store, Machine& machine);

/// What is known of all of them; nothing where the machine has no such section.
void stencil_core_table(const Machine& machine, ParameterTable& table);

}  // namespace bellwether
