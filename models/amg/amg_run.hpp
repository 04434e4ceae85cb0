// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/amg/amg_costs.hpp"
#include "models/amg/amg_program.hpp"

namespace bellwether {

/// A step as hypre runs it, from the machine's amg.kernels: each operation's seconds for the rows
/// and entries of the process that has most, with what of them the caches still hold (AmgKernel),
/// and its messages, some within a node and some between nodes. Products can hide messages behind
/// the entries in own columns; Gauss-Seidel needs its neighbours' values first. Without amg.kernels
/// it is amg_cycle_refined(). Throws BadInput for a relaxation or a link that it does not know;
/// `notes` may be null.
AmgStep amg_step(const Machine& machine, const AmgHierarchy& hierarchy,
                 const AmgPlacement& placement, const AmgVariant& variant,
                 std::vector<std::string>* notes = nullptr);

/// Seconds of one kind of work on one level.
struct AmgWork {
  double compute_s = 0;
  double network_s = 0;  ///< less what computation hides
};
struct AmgRunLevel {
  AmgWork relax;  ///< on both sides, all sweeps
  AmgWork residual, restriction, interpolation;
  AmgWork coarse_solve;  ///< on the coarsest level alone, in place of all others
};
/// Of a cycle with so many levels, finest first.
std::vector<AmgRunLevel> amg_run_levels(const AmgStep& step, std::size_t levels, bool overlap);

/// Seconds that predict_amg_run() has of a step, faster.
double amg_step_seconds(const Machine& machine, const AmgHierarchy& hierarchy,
                        const AmgPlacement& placement, const AmgVariant& variant,
                        const std::string& form, bool overlap);

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
