// SPDX-License-Identifier: MIT
#include <algorithm>

#include "models/stencil/stencil_model.hpp"

namespace bellwether {

std::unique_ptr<StencilModel> searching_stencil_model(const Machine& machine,
                                                      const StencilKernel& kernel,
                                                      const StencilVariant& variant,
                                                      int ranks_on_node) {
  return machine.device.memory.empty()
             ? paper_stencil_model(machine, kernel, variant, ranks_on_node)
             : refined_stencil_model(machine, kernel, variant, ranks_on_node);
}

std::array<int, 3> fastest_decomposition(const Machine& machine, const StencilKernel& kernel,
                                         std::array<int, 3> cells, int ranks, bool periodic,
                                         const StencilVariant& variant,
                                         const RankPlacement& placement) {
  const std::vector<std::array<int, 3>> all = candidates(ranks, cells);
  if (all.empty()) return least_surface(ranks, cells);  // says why
  const auto model =
      searching_stencil_model(machine, kernel, variant, std::min(ranks, placement.ranks_per_node));
  return fastest_of(*model, cells, periodic, placement, all);
}

}  // namespace bellwether
