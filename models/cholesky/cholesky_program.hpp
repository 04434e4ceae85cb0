// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/cholesky/panel_costs.hpp"
#include "models/network/trees.hpp"
#include "models/prediction.hpp"
#include "models/step/program.hpp"

namespace bellwether {

/// What the mini-app's ranks do in a factorization (ColumnFactorization::run), at one bound. In
/// each stage a panel, a column or a block of them, comes to be and travels to all, nearest first,
/// while they update by the one before it, or after that.
class CholeskyProgram final : public StepProgram {
 public:
  enum Term : int { scale = own_terms, update, to_host, to_device };

  CholeskyProgram(const Machine& machine, const CholeskyRun& run, const ColumnCosts& costs,
                  Bound bound, std::vector<std::string>& notes);

  [[nodiscard]] int actors() const override { return run_.ranks; }
  [[nodiscard]] int stages() const override { return costs_.count(); }
  [[nodiscard]] const ExchangeRoutes& routes() const override { return costs_.routes(); }
  [[nodiscard]] Stage stage(int turn, int panel, double each) const override;

 private:
  CholeskyRun run_;
  PanelCosts costs_;
  std::vector<BroadcastTree> trees_;  ///< by distance from the owner, and of distances
};

/// The refined form: the program, evaluated at each bound. Terms of the mean rank: compute.scale,
/// wait (for a panel's owner to send it), network.broadcast, compute.update; copy.to_host and
/// copy.to_device are a GPU's copies of each panel, which with overlap count under
/// network.broadcast. `costs` are the machine's, for the run's precision and min(ranks,
/// ranks_per_node). Throws BadInput where a link is missing.
Prediction predict_cholesky_refined(const Machine& machine, const CholeskyRun& run,
                                    const ColumnCosts& costs);

}  // namespace bellwether
