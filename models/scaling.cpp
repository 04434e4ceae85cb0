// SPDX-License-Identifier: MIT
#include "models/scaling.hpp"

#include <fmt/format.h>

#include "models/errors.hpp"

namespace bellwether {
namespace {

auto predictor(const std::string& form) {
  if (form == "paper") return predict_stencil_paper;
  if (form == "refined") return predict_stencil_refined;
  throw BadInput(fmt::format("model form: found \"{}\", expected paper or refined", form));
}

}  // namespace

std::vector<ScalingPoint> scaling_curve(const Machine& machine, const StencilKernel& kernel,
                                        const ScalingStudy& study) {
  std::vector<ScalingPoint> points;
  for (const int ranks : study.ranks) {
    for (const bool overlap : study.overlap) {
      StencilVariant variant = study.variant;
      variant.overlap = overlap;
      const std::array<int, 3> parts =
          study.decomposition ? *study.decomposition
                              : fastest_decomposition(machine, kernel, study.cells, ranks,
                                                      study.periodic, variant, study.placement);
      const Decomposition decomposition(study.cells, parts, study.periodic);
      if (decomposition.size() != ranks)
        throw BadInput(fmt::format("decomposition {}: found {} ranks, expected {}",
                                   decomposition.name(), decomposition.size(), ranks));
      for (const std::string& form : study.forms)
        points.push_back({ranks,
                          overlap,
                          form,
                          predictor(form)(machine, kernel, decomposition, variant, study.placement,
                                          study.cells_per_s),
                          decomposition.name(),
                          {{"decomposition", decomposition.ranks()}}});
    }
  }
  return points;
}

}  // namespace bellwether
