// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "models/airfoil/airfoil_curve.hpp"
#include "results/reproduce/papers.hpp"

namespace bellwether {

/// A mesh of the published document.
AirfoilMesh mudalige_mesh(const nlohmann::json& mesh);

/// Seconds of one iteration in the paper's form, on a counted partition.
double mudalige_seconds(const Machine& machine, const AirfoilMesh& mesh, int ranks,
                        bool overlap = true);

/// GPUs whose loops cost a n + c a call.
struct LoopStartUp {
  double start_up_s = 0;  ///< c, the same of all loops
  Machine machine;        ///< a: the machine's costs times one factor
};

/// Such that one GPU takes `single_s` for an iteration of `mesh` and `number` of them `cluster_s`
/// for one of `large`. Absent where no c from 0 on does. The machine has airfoil.loops.f64.
std::optional<LoopStartUp> fit_loop_start_up(const Machine& gpus, const AirfoilMesh& mesh,
                                             double single_s, const AirfoilMesh& large, int number,
                                             double cluster_s);

/// Section 4 and the curves of Figures 3 and 5.
void add_mudalige_section_4(const nlohmann::json& paper, const PaperMachines& machines,
                            Reproduction& result);

}  // namespace bellwether
