// SPDX-License-Identifier: MIT
#pragma once

#include "models/hpl/hpl_problem.hpp"
#include "models/hpl/hpl_schedule.hpp"
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

/// Adds what the machine's noise has processes wait, to the prediction of the same steps. Of a
/// factorization that is followed step by step, by delays drawn for it (DrawnDelays). Of a longer
/// one, or with more than 2^17 detours, panel by panel: a process column's update is as late as the
/// latest of its processes, its panels by the detours of them all, for which without look-ahead all
/// wait; that is the value. As the interval's high end all processes wait for the latest of all in
/// each panel, and for it.
void add_hpl_wait(const Machine& machine, const NoiseWait& noise, const HplSteps& steps,
                  int ranks_per_node, bool look_ahead, Prediction& prediction,
                  long most_steps = most_hpl_steps);

}  // namespace bellwether
