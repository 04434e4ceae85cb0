// SPDX-License-Identifier: MIT
#pragma once

#include "models/hpl/hpl_problem.hpp"
#include "models/machine/machine.hpp"
#include "models/noise/noise_wait.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// The refined form, with the terms of hpl_term_names: those of the process that ends last. Overlap
/// is look-ahead by one panel. Of the machine's `noise` the term `wait` holds what processes wait
/// for those that are late.
Prediction predict_hpl_refined(const Machine& machine, const NoiseWait& noise,
                               const HplProblem& problem, int ranks_per_node, bool overlap);

inline Prediction predict_hpl_refined(const Machine& machine, const HplProblem& problem,
                                      int ranks_per_node, bool overlap) {
  return predict_hpl_refined(machine, NoiseWait(machine), problem, ranks_per_node, overlap);
}

}  // namespace bellwether
