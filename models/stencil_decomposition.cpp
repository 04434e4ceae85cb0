// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "models/errors.hpp"
#include "models/stencil.hpp"

namespace bellwether {

std::array<int, 3> fastest_decomposition(const Machine& machine, const StencilKernel& kernel,
                                         std::array<int, 3> cells, int ranks, bool periodic,
                                         const StencilVariant& variant,
                                         const RankPlacement& placement) {
  // least_surface throws where there is no factorization, and leads among equals.
  std::array<int, 3> best = least_surface(ranks, cells);
  const auto total = [&](const std::array<int, 3>& parts) {
    const Decomposition decomposition(cells, parts, periodic);
    const auto predict =
        machine.device.memory.empty() ? predict_stencil_paper : predict_stencil_refined;
    return predict(machine, kernel, decomposition, variant, placement, std::nullopt).total_s;
  };
  double least = total(best);
  for (const std::array<int, 3>& parts : factorizations(ranks, cells)) {
    const double seconds = total(parts);
    if (seconds < least) {
      least = seconds;
      best = parts;
    }
  }
  return best;
}

}  // namespace bellwether
