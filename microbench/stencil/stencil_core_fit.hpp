// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "microbench/driver/registry.hpp"
#include "models/stencil/stencil_work.hpp"

namespace bellwether {

/// A stencil's update of a periodic box of each rank's own: in its core's cache ("core", "probed")
/// or beside its memory ("update").
struct CoreSpec {
  std::string app;  ///< "diffusion" or "lbm"
  std::string what;
  std::string precision;
  int row, across;  ///< cells in x, and in y and z

  [[nodiscard]] bool is_small() const { return what == "core" || what == "probed"; }
  /// Of a moment.
  [[nodiscard]] int samples_per_round() const { return is_small() ? 5 : 3; }
  [[nodiscard]] std::string name() const;
};
using CoreCases = std::vector<Planned<CoreSpec>>;

/// Cells of a row, and across.
using BoxShape = std::pair<int, int>;
/// Of boxes with `cell_bytes` a cell the largest of each row's length that six tenths of a core's
/// own cache hold, 4 to 80 across; left out where none fits.
std::vector<BoxShape> boxes_in_cache(const std::vector<int>& rows, double cell_bytes,
                                     std::size_t cache_bytes);

/// Of the cubes whose updates are measured on a GPU, larger than its caches, those within the
/// limits.
std::vector<int> device_edges(const CalibrationLimits& limits);

/// Has each of a case's samples followed by `cube_batch` updates of the probed cube ("core") and by
/// the update's `memory` alone ("memory"): what they use may change within a second.
void time_beside(const Bench& bench, BenchCase& work, std::function<void()> update,
                 std::function<void()> cube, int cube_batch, std::function<void()> memory = {});

/// Adds the fit of an app's update to the machine's section: by cells, rows, broken rows; what is
/// exposed of core and memory, by size; the probed cube's rate. Nothing of too few boxes.
void core_from_samples(const CoreCases& cases, double held_values, double whole_row_bytes,
                       const SampleStore& store, Machine& machine);

/// Adds to a GPU's section what the app's updates of large boxes take by what the refined form has
/// for them, launches and what lies between steps apart: the median of all.
void update_from_samples(const CoreCases& cases, const StencilKernel& kernel,
                         const SampleStore& store, Machine& machine);

}  // namespace bellwether
