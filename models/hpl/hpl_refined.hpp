// SPDX-License-Identifier: MIT
#pragma once

#include "models/hpl/hpl_problem.hpp"
#include "models/machine/machine.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// The refined form: HplProgram, evaluated at each bound, with its terms of the mean process.
/// Overlap is look-ahead by one panel. `wait` is for a panel's owner to send it, and for those that
/// the machine's noise makes late.
Prediction predict_hpl_refined(const Machine& machine, const HplProblem& problem,
                               int ranks_per_node, bool overlap);

}  // namespace bellwether
