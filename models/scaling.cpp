// SPDX-License-Identifier: MIT
#include "models/scaling.hpp"

#include <fmt/format.h>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Seconds of a communication that overlaps the interior update, its hidden part included: messages
/// and copies in the paper form; in the refined form "network", which on a GPU holds the copies.
double overlapped_communication(const Prediction& prediction) {
  double exposed = 0;
  for (const Term& term : prediction.terms)
    if (term.name == "network" || term.name == "copy") exposed += term.seconds;
  return prediction.hidden_fraction < 1 ? exposed / (1 - prediction.hidden_fraction) : 0;
}

double interior_update(const Prediction& prediction) {
  for (const Term& term : prediction.terms)
    if (term.name == "compute.interior") return term.seconds;
  return 0;
}

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
        points.push_back({ranks, overlap, form,
                          predictor(form)(machine, kernel, decomposition, variant, study.placement,
                                          study.cells_per_s),
                          decomposition});
    }
  }
  return points;
}

std::optional<int> communication_bound_from(const std::vector<ScalingPoint>& points,
                                            const std::string& form) {
  std::optional<int> least;
  for (const ScalingPoint& point : points) {
    if (!point.overlap || point.form != form || (least && *least <= point.ranks)) continue;
    // A part in a million of slack: where both are equal, rounding must not decide.
    const double communication = overlapped_communication(point.prediction);
    if (communication > interior_update(point.prediction) * (1 + 1e-6)) least = point.ranks;
  }
  return least;
}

}  // namespace bellwether
