// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "miniapps/amg/amg_solver.hpp"
#include "models/amg/amg_hierarchy.hpp"
#include "models/amg/amg_run.hpp"
#include "results/record.hpp"

namespace bellwether {

/// Each level's and operation's seconds, in the samples since it was cleared.
class LevelSamples {
 public:
  void add(const AmgLevelSeconds& cycle);
  void finish_sample();
  void clear() { *this = {}; }
  /// Collective: of each level the seconds of its operations, `compute` and `network`, medians over
  /// the samples of the rank that takes longest in all.
  [[nodiscard]] nlohmann::json levels(MPI_Comm comm) const;

 private:
  /// Compute and network of each operation of each level.
  [[nodiscard]] std::vector<double> medians() const;

  long cycles_ = 0;
  std::vector<double> sums_;
  std::vector<std::vector<double>> samples_;
};

/// Predicted ones, in the same form.
nlohmann::json predicted_levels(const std::vector<AmgRunLevel>& predicted);

/// Complexities, and the hierarchy as `predict amg --hierarchy` reads it.
nlohmann::json hierarchy_result(const AmgHierarchy& hierarchy);

/// That the cycle is hypre's: to the bit. On a GPU, where sums may go in another order each time,
/// also by 1e-12 of the iterate, which the text then says.
Verification beside_hypres_solve(const AmgDifference& difference, bool on_gpu);

/// Of a solve of one step at least: how it went, and where it succeeded the figure of merit of
/// AMG2023's problem 2 (its amg.c): (entries of all A and P) / (setup + 3 solve).
nlohmann::json solve_result(const AmgSolve& solve, const AmgHierarchy& hierarchy, double setup_s);

}  // namespace bellwether
