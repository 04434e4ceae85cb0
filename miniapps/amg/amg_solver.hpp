// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "miniapps/amg/amg_case.hpp"
#include "miniapps/amg/amg_pcg.hpp"
#include "miniapps/amg/hypre/hypre_cycle.hpp"
#include "miniapps/amg/hypre/hypre_solver.hpp"
#include "miniapps/amg/matrices/amg_product.hpp"
#include "miniapps/comm/phase_clock.hpp"

namespace bellwether {

/// How a solve from 0 to the tolerance went.
struct AmgSolve {
  std::vector<double> residuals;  ///< relative, after so many steps: 1 at first
  double seconds = 0;             ///< of the steps alone, the slowest rank's
  std::string failure;            ///< "diverges", "stalls", "is too slow"; empty: it is solved
  /// Of the solution, in the 2-norm and relative to the known one; absent where none is known.
  std::optional<double> error = {};
};

/// Of two iterates, on all ranks.
struct AmgDifference {
  double values = 0;    ///< that are not the same to the bit
  double relative = 0;  ///< of the 2-norms of the difference and of the second
};

/// A x = b, a cycle or an iteration of conjugate gradients with it as preconditioner a step; b is A
/// times a known vector, or all ones. All members are collective.
class AmgSolver {
 public:
  /// Rows and session outlive it; `gpu` as HypreLibrary's. Throws as HypreLibrary, on all ranks
  /// alike, and HypreVector do.
  AmgSolver(const Session& session, const AmgRows& rows, const AmgOptions& options, bool overlap,
            Device* gpu);

  /// The matrix given to hypre, and the hierarchy made. Throws as HypreAmg::setup does. Ends at 0.
  void setup(PhaseClock& clock);

  void begin_at_zero();
  /// One step. The numbers that conjugate gradients go on with become too small to compute with far
  /// beyond convergence: then they begin at 0 again.
  void advance();
  /// Since it began at 0.
  [[nodiscard]] long steps() const { return steps_; }

  /// Of b - A x, relative to b, by the suite's own product.
  [[nodiscard]] double residual();
  /// Of x, relative to the known solution; where none is known, to b.
  [[nodiscard]] double size() const;
  /// Ranks whose part of b has other bits than it began with: x would solve another problem.
  [[nodiscard]] double ranks_with_another_b() const;
  /// Of x's bits.
  [[nodiscard]] std::uint64_t fingerprint() const;
  /// From 0 to the residual that is asked for; where that cannot be, as far as it went.
  [[nodiscard]] AmgSolve solve(double tolerance, Heartbeat* heartbeat);
  /// The iterate after some steps from 0 beside that of hypre's own solve.
  [[nodiscard]] AmgDifference difference_from_hypres();
  /// Seconds that the messages of a step take when each is waited for at once; the slowest rank's.
  [[nodiscard]] double bare_communication();
  /// A cycle whose result nobody takes.
  void run_cycle_aside() { cycle_->run_from_zero(b_.get(), scratch_.get()); }

  /// The last step's cycle, and what conjugate gradients took beside it; null without them.
  [[nodiscard]] const AmgLevelSeconds& cycle_seconds() const { return cycle_->seconds(); }
  [[nodiscard]] const PcgSeconds* pcg_seconds() const { return pcg_ ? &pcg_->seconds() : nullptr; }
  [[nodiscard]] const AmgHierarchy& hierarchy() const { return hierarchy_; }  ///< since setup()
  [[nodiscard]] double setup_s() const { return setup_s_; }  ///< of the hierarchy, slowest rank's
  [[nodiscard]] double right_hand_side_norm() const { return b_norm_; }
  [[nodiscard]] double solution_norm() const { return solution_norm_; }
  [[nodiscard]] int threads() const { return library_->threads(); }

 private:
  [[nodiscard]] double residual_by_hypre();
  [[nodiscard]] std::optional<double> error();

  const Session& session_;
  const AmgRows& rows_;
  bool overlap_, uses_pcg_;
  std::unique_ptr<HypreLibrary> library_;
  AmgProduct product_;
  bool knows_solution_;
  std::vector<double> solution_;
  HypreVector b_, x_, scratch_;
  HypreAmg amg_;
  std::uint64_t b_sum_ = 0;
  double b_norm_ = 0, solution_norm_ = 0;
  std::optional<HypreMatrix> matrix_;  // from here on since setup()
  std::optional<HypreCycle> cycle_;
  std::optional<AmgPcg> pcg_;
  AmgHierarchy hierarchy_;
  double setup_s_ = 0;
  long steps_ = 0;
};

}  // namespace bellwether
