// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/cholesky/cholesky_prediction.hpp"
#include "models/errors.hpp"

namespace bellwether {

std::vector<ScalingPoint> cholesky_curve(const Machine& machine, int size,
                                         const std::string& precision,
                                         const PredictionRequest& request) {
  std::map<std::pair<int, bool>, ColumnCosts> costs;  // by ranks on a node, and whether parallel
  const auto costs_of = [&](const CholeskyRun& run) -> const ColumnCosts& {
    const std::pair key(std::min(run.ranks, run.ranks_per_node), run.ranks > 1);
    const auto found = costs.find(key);
    if (found != costs.end()) return found->second;
    return costs.emplace(key, ColumnCosts(machine, precision, key.first, key.second)).first->second;
  };
  std::vector<ScalingPoint> points;
  for (const int ranks : request.ranks) {
    for (const bool overlap : request.overlap) {
      const CholeskyRun run{size, precision, ranks, request.ranks_per_node, overlap};
      for (const std::string& form : request.forms) {
        if (form != "paper" && form != "refined")
          throw BadInput(fmt::format("model form: found \"{}\", expected paper or refined", form));
        points.push_back({ranks,
                          overlap,
                          form,
                          form == "paper" ? predict_cholesky_paper(machine, run)
                                          : predict_cholesky_refined(machine, run, costs_of(run)),
                          "cyclic columns",
                          {{"distribution", "cyclic columns"}}});
      }
    }
  }
  return points;
}

}  // namespace bellwether
