// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/airfoil/airfoil_work.hpp"
#include "miniapps/mesh/local_mesh.hpp"
#include "miniapps/mesh/loops.hpp"

namespace bellwether {

/// What the loops of an iteration read and write. q is the first array; the second is q_old of
/// five loops, and the first stage's q of the fused ones.
enum AirfoilData : int {
  airfoil_first_q,
  airfoil_second_q,
  airfoil_adt,
  airfoil_res,
  airfoil_positions,
};
inline constexpr int airfoil_values[] = {4, 4, 1, 4, 2};  ///< of each element

/// One call of a loop: the q that it takes and gives, an update's q_old, what it does with which
/// data, and what that demands of this rank.
struct AirfoilCall {
  AirfoilKernel kernel{};
  AirfoilData in = airfoil_first_q, old = airfoil_first_q, out = airfoil_first_q;
  ParallelLoop loop{};
  LoopPlan plan{};
};

/// The phase that a loop's own elements are timed as: "compute.res_calc".
constexpr const char* phase_of(AirfoilKernel kernel) {
  constexpr const char* phases[] = {"compute.save_soln", "compute.adt_calc", "compute.res_calc",
                                    "compute.bres_calc", "compute.update",   "compute.update_adt"};
  return phases[static_cast<int>(kernel)];
}

/// The calls of an iteration in their order, as of the second iteration on. Which halos they need
/// follows from what the loops are declared to read and write. Fused, an iteration expects adt of
/// the q that it begins with. The mesh is one of Airfoil's.
std::vector<AirfoilCall> airfoil_iteration(const LocalMesh& mesh, bool fused);

/// A call outside iterations, of a loop over cells, which needs no halos.
AirfoilCall cells_call(const LocalMesh& mesh, AirfoilKernel kernel, AirfoilData q);

}  // namespace bellwether
