// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/registry.hpp"
#include "models/stencil/stencil_work.hpp"

namespace bellwether {

/// A stencil's update of a periodic box of each rank's own, as the mini-app lays it out: small
/// enough for its caches ("core"), or too large for them ("update"). Right beside the latter are
/// measured what its memory alone takes for as many cells ("memory") and a small one again
/// ("core_beside"), moment for moment: core, memory and what else uses their caches may change from
/// one part of the calibration to another. "shifted" and "shifted_memory": the same of diffusion in
/// shifted storage.
struct CoreSpec {
  std::string app;  ///< "diffusion" or "lbm"
  std::string what;
  std::string precision;
  int row, across;  ///< cells in x, and in y and z

  [[nodiscard]] std::string name() const;
};
using CoreCases = std::vector<Planned<CoreSpec>>;

/// Of the cubes whose updates are measured on a GPU, larger than its caches, those within the
/// limits.
std::vector<int> device_edges(const CalibrationLimits& limits);

/// Adds what the app's update takes a core to the machine's section of them: the times' fit by
/// cells, rows, and rows that are no multiple of `whole_row_bytes`; of each size of large boxes,
/// rows whole, `held_values` a cell, the share of the shorter of core and memory that their update
/// takes beyond the longer, the median of all moments; and the rate of the cube of `probed_edge`.
/// Nothing where too little was measured.
void core_from_samples(const CoreCases& cases, double held_values, double whole_row_bytes,
                       int probed_edge, const SampleStore& store, Machine& machine);

/// Adds to a GPU's section what the app's updates of large boxes ("update", with cached stores)
/// take by what the refined form has for them from the machine's memory curves, launches and what
/// lies between steps apart: the median of all moments and sizes.
void update_from_samples(const CoreCases& cases, const StencilKernel& kernel,
                         const SampleStore& store, Machine& machine);

/// What is known of all of them; nothing where the machine has no such section.
void stencil_core_table(const Machine& machine, ParameterTable& table);

}  // namespace bellwether
