// SPDX-License-Identifier: MIT
#pragma once

#include "models/hpl/hpl_problem.hpp"
#include "models/machine/machine.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// The refined form, with the terms of hpl_term_names: those of the process that ends last. Overlap
/// is look-ahead by one panel.
Prediction predict_hpl_refined(const Machine& machine, const HplProblem& problem,
                               int ranks_per_node, bool overlap);

}  // namespace bellwether
