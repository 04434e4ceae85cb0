// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/amg/amg_cycle.hpp"

namespace bellwether {

/// What of BoomerAMG's options the time of a cycle depends on beyond the hierarchy, by the names of
/// the mini-app's options.
struct AmgVariant {
  std::string relax = "hybrid-gauss-seidel";  ///< or l1-gauss-seidel, l1-jacobi, chebyshev
  int sweeps = 1;                             ///< on each side of the cycle
  std::string solver = "amg";                 ///< or pcg: a step is one of its iterations
};

/// One level's operations in a cycle, in seconds. Those of the interpolation from the next coarser
/// level and of its transpose belong to the finer level. What computation hides of the
/// communication is not part of `network_s`.
struct AmgRunLevel {
  AmgWork relax;  ///< on both sides, all sweeps
  AmgWork residual, restriction, interpolation;
  AmgWork coarse_solve;  ///< on the coarsest level alone, in place of all others
};

/// The cycle as hypre runs it, finest level first, from the machine's amg.kernels: each operation's
/// seconds for the rows and entries of the process that has most, with what
/// of them the caches still hold (AmgKernel), and its messages, some within a node and some between
/// nodes. With `overlap` products hide messages behind the entries in own columns; Gauss-Seidel
/// needs its neighbours' values first. Without amg.kernels it is that of amg_cycle_refined, as in
/// predict_amg_run; fork and join are then part of relaxation. Throws BadInput for a relaxation or
/// a link that it does not know; `notes` may be null.
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
