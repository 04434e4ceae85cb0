// SPDX-License-Identifier: MIT
#pragma once

#include "models/amg/amg_costs.hpp"
#include "models/amg/amg_program.hpp"

namespace bellwether {

/// The cycle as published (Gahvari et al., Section IV): each smoothing and the residual a third of
/// its 6 C/P s flops and 3 exchanges, on the coarsest level too; restriction with C_{i+1} rows. It
/// knows no overlap: all communication and all computation are beside one another.
AmgStep amg_cycle_paper(const AmgHierarchy& hierarchy, const AmgPlacement& placement,
                        const AmgCosts& costs, const AmgVariant& variant = {});

/// The same with the work of the processes that are active on a level, all the entries that
/// restriction multiplies by, fork and join of each parallel loop and a direct solve on the
/// coarsest level. Products can hide messages behind a process's own unknowns. Gauss-Seidel sweeps
/// need those of others first.
AmgStep amg_cycle_refined(const AmgHierarchy& hierarchy, const AmgPlacement& placement,
                          const AmgCosts& costs, const AmgVariant& variant = {});

}  // namespace bellwether
