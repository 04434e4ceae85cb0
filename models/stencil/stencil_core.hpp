// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/workload.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// Of updates that go through so much memory: what they take beyond the longer of core and memory,
/// as a share of the shorter.
struct ExposedShare {
  double working_set_bytes;
  Quantity share;
};

/// How an update writes: past the caches or in place, into a second field in the caches, or into
/// shifted storage.
enum class UpdateWrites { plain, cached, shifted };

/// What a CPU's core needs for a stencil application's update where its own cache has the data, all
/// ranks of a node at once: seconds for each cell, for each row, and for a row more where its end
/// is not a line's (StencilKernel::whole_row_bytes), which is evaluated and stored by itself. An
/// update takes the longer of that and of the time of its memory, and a share of the shorter, since
/// neither hides all of the other.
struct StencilCore {
  std::string app;  ///< "diffusion" or "lbm"
  std::string precision;
  Quantity cell_s, row_s, broken_row_s;
  std::vector<ExposedShare> exposed{};  ///< ascending working sets; empty: not known, as if none
  std::vector<ExposedShare> exposed_cached{};   ///< the same of cached stores
  std::vector<ExposedShare> exposed_shifted{};  ///< and in shifted storage; empty: as in two
  /// Of a small cube, which a run's probe measures again.
  std::optional<Quantity> probed_cells_per_s{};

  /// Linear in the logarithm of the working set between those measured; 0 where none was.
  [[nodiscard]] double exposed_share(double working_set_bytes, UpdateWrites writes,
                                     Bound bound) const {
    const auto& known = writes == UpdateWrites::cached ? exposed_cached
                        : writes == UpdateWrites::shifted && !exposed_shifted.empty()
                            ? exposed_shifted
                            : exposed;
    if (known.empty()) return 0;
    return log_between(known, working_set_bytes, &ExposedShare::working_set_bytes,
                       [&](const ExposedShare& one) { return cost_at(one.share, bound); });
  }
  [[nodiscard]] double seconds(const KernelWork& work, Bound bound) const {
    return work.cells * cost_at(cell_s, bound) + work.rows * cost_at(row_s, bound) +
           work.broken_rows * cost_at(broken_row_s, bound);
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
