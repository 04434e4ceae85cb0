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

/// A stencil's update of a periodic box of each rank's own, as the mini-app lays it out: small
/// enough for its core's own cache ("core"; "probed" is the cube that a run's probe measures
/// again), a box of which beside the update ("update") is measured what its memory and its core
/// take alone, or one in whose lines populations bounce ("links").
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
/// Lines that a box of "links" has populations bounce in: all of each eighth row, in every pair of
/// directions.
inline constexpr int rows_between_links = 8;
double bounced_lines(const CoreSpec& spec);

using CoreCases = std::vector<Planned<CoreSpec>>;

/// Cells of a row, and across.
using BoxShape = std::pair<int, int>;
/// Of boxes with `cell_bytes` a cell those that a core's own cache of so many bytes holds beside
/// what else it is used for, in six tenths of it: of each length of a row the largest, from 4 to 80
/// across; left out where none fits. The lengths should end anywhere in a vector: a row's end takes
/// more with more cells in it, of which the fit has the mean.
std::vector<BoxShape> boxes_in_cache(const std::vector<int>& rows, double cell_bytes,
                                     std::size_t cache_bytes);

/// Of the cubes whose updates are measured on a GPU, larger than its caches, those within the
/// limits.
std::vector<int> device_edges(const CalibrationLimits& limits);

/// Has each sample of a case, an update done `work.batch` times, followed by `cube_batch` updates
/// of the probed cube ("core"), and by what the update's `memory` alone takes for as many cells
/// ("memory"; of boxes in their core's own cache there is none), each with the caches as it leaves
/// them: core, memory and what else uses their caches may change within a second.
void time_beside(const Bench& bench, BenchCase& work, std::function<void()> update,
                 std::function<void()> cube, int cube_batch, std::function<void()> memory = {});

/// Adds what the app's update takes a core to the machine's section of them: the times' fit, by
/// what the probed cube took beside them, by cells, rows, and rows that are no multiple of
/// `whole_row_bytes`; of each size of the boxes beside their memory, `held_values` a cell, what is
/// exposed of core and memory, the median of all samples, and what the moments' medians scatter by
/// about the form then; and the rate of the probed cube.
/// Nothing where too little was measured.
void core_from_samples(const CoreCases& cases, double held_values, double whole_row_bytes,
                       const SampleStore& store, Machine& machine);

/// Adds to a GPU's section what the app's updates of large boxes ("update", with cached stores)
/// take by what the refined form has for them from the machine's memory curves, launches and what
/// lies between steps apart: the median of all moments and sizes.
void update_from_samples(const CoreCases& cases, const StencilKernel& kernel,
                         const SampleStore& store, Machine& machine);

/// What is known of all of them; nothing where the machine has no such section.
void stencil_core_table(const Machine& machine, ParameterTable& table);

}  // namespace bellwether
