// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/amg/amg_cycle.hpp"
#include "models/amg/amg_neighbours.hpp"
#include "models/amg/amg_program.hpp"

namespace bellwether {

/// A step as hypre runs it, from the machine's amg.kernels: each operation's seconds for the rows
/// and entries of the process that has most, with what of them the caches still hold (AmgKernel),
/// and its messages, some within a node and some between nodes. Products can hide messages behind
/// the entries in own columns; Gauss-Seidel needs its neighbours' values first. Without amg.kernels
/// it is that of amg_cycle_refined, as in predict_amg_run, with what `overlap` hides of its
/// messages left out. Throws BadInput for a relaxation or a link that it does not know; `notes` may
/// be null.
AmgStep amg_step(const Machine& machine, const AmgHierarchy& hierarchy,
                 const AmgPlacement& placement, const AmgVariant& variant, bool overlap,
                 std::vector<std::string>* notes = nullptr);

/// One level's operations in a cycle, in seconds. What computation hides of the communication is
/// not part of `network_s`.
struct AmgRunLevel {
  AmgWork relax;  ///< on both sides, all sweeps
  AmgWork residual, restriction, interpolation;
  AmgWork coarse_solve;  ///< on the coarsest level alone, in place of all others
};
/// Of amg_step(), finest level first.
std::vector<AmgRunLevel> amg_run_levels(const Machine& machine, const AmgHierarchy& hierarchy,
                                        const AmgPlacement& placement, const AmgVariant& variant,
                                        bool overlap, std::vector<std::string>* notes = nullptr);

/// A step of a run by `form`, in the terms that a run measures: compute.<group> and network.<group>
/// for each amg_group() of levels, and with pcg compute.krylov and reduce; of one process those of
/// compute alone. The paper's form, and
/// the refined one of a machine without amg.kernels, are those of predict_amg, with more sweeps and
/// other relaxations counted in products with the level's matrix. A hierarchy that has no levels
/// takes no time; that the machine lacks a link for its processes is refused.
Prediction predict_amg_run(const Machine& machine, const AmgHierarchy& hierarchy,
                           const AmgPlacement& placement, const AmgVariant& variant,
                           const std::string& form, bool overlap);

/// Both forms, the paper's first.
std::vector<Prediction> predict_amg_run(const Machine& machine, const AmgHierarchy& hierarchy,
                                        const AmgPlacement& placement, const AmgVariant& variant,
                                        bool overlap);

}  // namespace bellwether
