// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/airfoil/airfoil_work.hpp"
#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"
#include "miniapps/mesh/local_mesh.hpp"
#include "miniapps/mesh/loop_schedule.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

namespace bellwether {

/// What the loops of an iteration read and write. q is the first array; the second is q_old of
/// five loops, and the first stage's q of the fused ones and of gathers. These keep adt of both.
enum AirfoilData : int {
  airfoil_first_q,
  airfoil_second_q,
  airfoil_adt,
  airfoil_second_adt,
  airfoil_res,
};
inline constexpr int airfoil_values[] = {4, 4, 1, 1, 4};  ///< of each element

/// One call of a loop: the q that it takes and gives, an update's q_old, and what it demands of
/// this rank.
struct AirfoilCall {
  AirfoilKernel kernel{};
  AirfoilData in = airfoil_first_q, old = airfoil_first_q, out = airfoil_first_q;
  LoopPlan plan{};
};

/// The set that a loop goes over.
constexpr AirfoilSet set_of(AirfoilKernel kernel) {
  if (kernel == AirfoilKernel::res_calc) return airfoil_edge_set;
  return kernel == AirfoilKernel::bres_calc ? airfoil_bedges : airfoil_cells;
}

/// The phase that a loop's own elements are timed as: "compute.res_calc".
constexpr const char* phase_of(AirfoilKernel kernel) {
  constexpr const char* phases[] = {"compute.save_soln",  "compute.adt_calc", "compute.res_calc",
                                    "compute.bres_calc",  "compute.update",   "compute.update_adt",
                                    "compute.gather_res", "compute.stage"};
  return phases[static_cast<int>(kernel)];
}

/// The calls of an iteration, in order. Loops that read q and adt of cells beside an element, and
/// these alone, exchange them first: res_calc, whose halos bres_calc finds up to date, and stage.
/// Unless the sequence is of five loops, it expects adt of the q that it begins with.
std::vector<AirfoilCall> airfoil_iteration(const LocalMesh& mesh, AirfoilSequence sequence);

/// A call outside iterations, which finds all halos up to date: of a loop over cells, or of
/// bres_calc.
AirfoilCall lone_call(const LocalMesh& mesh, AirfoilKernel kernel, AirfoilData q);

/// The adt that a gather takes or gives with one of the two q.
constexpr AirfoilData gathered_adt(AirfoilData q) {
  return q == airfoil_second_q ? airfoil_second_adt : airfoil_adt;
}

}  // namespace bellwether
