// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/workload.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// What a CPU's core needs for a stencil application's update where its data is at hand, all ranks
/// of a node at once: seconds for each cell, for each row, and for a row more where its end is not
/// a line's (StencilKernel::whole_row_bytes), which is evaluated and stored by itself.
struct StencilCore {
  std::string app;  ///< "diffusion": what it takes beyond the memory curves' row kernel; "lbm": all
  std::string precision;
  Quantity cell_s, row_s, broken_row_s;

  [[nodiscard]] double seconds(const KernelWork& work, Bound bound) const {
    return work.cells * cost_at(cell_s, bound) + work.rows * cost_at(row_s, bound) +
           work.broken_rows * cost_at(broken_row_s, bound);
  }
};

/// A machine's section of them.
struct StencilCores {
  static constexpr const char* section_name = "stencils";
  std::vector<StencilCore> kernels;

  /// Null where it was not measured.
  [[nodiscard]] const StencilCore* of(const std::string& app, const std::string& precision) const;
};

/// How the section stands in a machine file.
JsonType<StencilCores> stencil_cores_type();

}  // namespace bellwether
