// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/hpl/hpl_problem.hpp"
#include "models/scaling/scaling_point.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// Block sizes that a search tries unless it is told which.
const std::vector<int>& usual_blocks();

/// What to predict: N, the NB, grids and broadcasts to choose from, and the request.
struct HplStudy {
  long size = 0;                    ///< N; 0: what fills 80 % of the ranks' memory
  std::vector<int> blocks;          ///< candidates; one: fixed
  std::optional<ProcessGrid> grid;  ///< absent: any of the rank count's
  std::vector<std::string> bcasts = {HplProblem().bcast};  ///< candidates, at least one
  /// How rows are swapped, and who is asked to factor panels; of it nothing else.
  HplProblem how;
  PredictionRequest request;

  [[nodiscard]] HplProblem problem(int block, const ProcessGrid& grid_chosen,
                                   const std::string& bcast) const {
    HplProblem chosen = how;
    chosen.bcast = bcast;
    chosen.size = size;
    chosen.block = block;
    chosen.grid = grid_chosen;
    return chosen;
  }
};

/// The fastest NB, grid and broadcast in the refined form with the machine's values, among equals
/// the grid nearest to a square, then the first NB and broadcast: all are estimated from a few
/// panels each, and the best eight, with all broadcasts, predicted. Of the usual NB those alone
/// whose panels were calibrated, if any were. Panels on a device stand on grids of one row alone.
HplProblem fastest_refined(const Machine& machine, const HplStudy& study, int ranks, bool overlap);

/// The fastest NB in the paper's form, which does not know the grid: it gets the nearest square.
HplProblem fastest_paper(const Machine& machine, const HplStudy& study, int ranks);

/// Every rank count, overlap mode and form; both forms with what the refined form finds fastest, if
/// it is among them. Throws BadInput if the grid does not have as many ranks, if panels are asked
/// of a device that cannot factor them, or if N follows from a memory that the machine does not
/// tell.
std::vector<ScalingPoint> hpl_curve(const Machine& machine, const HplStudy& study);

/// Factorizations with their solves (HplProgram); the study's request is of one rank count and
/// overlap mode. The machine must outlive it.
std::unique_ptr<Trace> hpl_trace(const Machine& machine, const HplStudy& study);

}  // namespace bellwether
