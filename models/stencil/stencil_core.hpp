// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/prediction.hpp"
#include "models/workload.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// Of updates that go through so much memory: what of core and memory is exposed (overlapped_s).
struct ExposedShare {
  double working_set_bytes;
  Quantity share;
  double scatter = 0;  ///< of updates about what core and memory make of them: ComputeTime::scatter
};

/// What a CPU's core needs for a stencil application's update where its own cache has the data, all
/// ranks of a node at once: seconds for each cell and each row, and more for a row whose end is not
/// a line's (StencilKernel::whole_row_bytes), which is evaluated and stored by itself. An update
/// takes what its cells' and rows' time and its memory's take together, of which neither hides all
/// of the other with streaming stores or in place; and its rows' ends, which nothing hides.
struct StencilCore {
  std::string app;  ///< "diffusion" or "lbm"
  std::string precision;
  Quantity cell_s, row_s, broken_row_s;
  std::vector<ExposedShare> exposed{};  ///< ascending working sets; empty: not known, as if none
  /// Of a small cube, which a run's probe measures again.
  std::optional<Quantity> probed_cells_per_s{};

  /// Sets the share and the scatter of an update: linear in the logarithm of the working set
  /// between those measured; 0 where none was.
  void set_exposed(ComputeTime& time, double working_set_bytes, Bound bound) const;
  /// Of an update's cells and rows.
  [[nodiscard]] double seconds(const KernelWork& work, Bound bound) const {
    return work.cells * cost_at(cell_s, bound) + work.rows * cost_at(row_s, bound);
  }
  /// Of its rows' ends.
  [[nodiscard]] double ends_s(const KernelWork& work, Bound bound) const {
    return work.broken_rows * cost_at(broken_row_s, bound);
  }
};

/// What a stencil application's update takes on a GPU by what its memory curve has for it: its
/// accesses are not a plain copy's or update's, and threads hide what its core does.
struct StencilUpdate {
  std::string app;  ///< "diffusion" or "lbm"
  std::string precision;
  Quantity times;
};

/// A machine's section of them.
struct StencilCores {
  static constexpr const char* section_name = "stencils";
  std::vector<StencilCore> kernels{};    ///< of a CPU
  std::vector<StencilUpdate> updates{};  ///< of a GPU

  /// Null where it was not measured.
  [[nodiscard]] const StencilCore* of(const std::string& app, const std::string& precision) const;
  [[nodiscard]] const StencilUpdate* update_of(const std::string& app,
                                               const std::string& precision) const;
};

/// What a rank of the machine was calibrated to update of the cube that is probed, cells/s; 0 where
/// it was not, or not with as many ranks on a node.
double core_cells_per_s(const Machine& machine, const std::string& app,
                        const std::string& precision, int ranks_on_node);

/// How the section stands in a machine file.
JsonType<StencilCores> stencil_cores_type();

}  // namespace bellwether
