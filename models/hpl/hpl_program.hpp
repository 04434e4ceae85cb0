// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/hpl/hpl_step.hpp"
#include "models/network/trees.hpp"
#include "models/step/engine.hpp"

namespace bellwether {

/// What the mini-app's processes do in a factorization (LuFactorization::run), at one bound; an
/// actor is a process column. In each stage a panel comes to be and travels along the rows, while
/// all update by the panel before, or after that; in the last one they update alone.
class HplProgram final : public StepProgram {
 public:
  HplProgram(HplSteps steps, bool look_ahead, int ranks_per_node);

  [[nodiscard]] const HplSteps& steps() const { return steps_; }
  [[nodiscard]] int actors() const override { return problem().grid.columns; }
  [[nodiscard]] int members() const override { return problem().grid.rows; }
  [[nodiscard]] int stages() const override { return static_cast<int>(problem().panels()) + 1; }
  [[nodiscard]] const ExchangeRoutes& routes() const override { return routes_; }
  [[nodiscard]] bool has_hosts() const override { return steps_.costs().panels_beside(); }
  [[nodiscard]] WorkGroup group(int column) const override;
  [[nodiscard]] Stage stage(int turn, int panel, double each) const override;
  /// The back substitution.
  void finish(int rank, TraceSink& sink) const override;

 private:
  [[nodiscard]] const HplProblem& problem() const { return steps_.problem(); }

  HplSteps steps_;
  bool look_ahead_;
  int nodes_of_column_;
  ExchangeRoutes routes_;             ///< between the nodes of a row
  std::vector<BroadcastTree> trees_;  ///< by distance from the owner, and of distances
  std::vector<HplEdge> edges_;        ///< that messages between nodes have
  std::vector<std::size_t> edge_of_;  ///< by how far the receiver is behind the sender
};

/// The program, evaluated; the back substitution is part of the total, but of no term. Of more than
/// about `most_parts` panels x process columns some are followed.
inline constexpr double most_hpl_parts = 1 << 14;
StepTimes evaluate_hpl(const HplProgram& program, DrawnDelays* delays = nullptr,
                       double most_parts = most_hpl_parts);

/// About what that takes, of a few panels: the longer of a process column's work and of a panel's
/// way from owner to owner.
double estimated_hpl_s(const HplSteps& steps, bool look_ahead);

}  // namespace bellwether
