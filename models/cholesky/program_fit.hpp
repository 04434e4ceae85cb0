// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/cholesky/phase_fit.hpp"

namespace bellwether {

/// What is known of a phase beside its times.
struct PhaseDescription {
  std::string phase;
  PhaseRole role = PhaseRole::parallel;
  double peak_per_s = 0;  ///< R_a or R_c; 0: unknown
};

/// A program at one problem size, from its fitted phases (Orii, Eq. 4 to 6).
struct SizeSummary {
  double problem_size = 0;
  double one_processor_s = 0;
  double parallel_fraction = 0;  ///< P
  double speed_up_bound = 0;     ///< 1 / (1 - P); infinite for P = 1
};

/// All phases of a program, in the order of their descriptions, and what follows from them at each
/// size at which every compute phase was timed, ascending.
struct ProgramFit {
  std::vector<PhaseFit> phases;
  std::vector<SizeSummary> sizes;
};

/// Fits every described phase to its samples. Throws BadInput as fit_phase does, and for samples of
/// a phase that is not described.
ProgramFit fit_program(std::span<const PhaseSample> samples,
                       std::span<const PhaseDescription> descriptions);

}  // namespace bellwether
