// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/machine/quantity.hpp"

namespace bellwether {

/// One measured time of a phase of any mini-app, over all its iterations, on the slowest rank.
struct PhaseSample {
  std::string phase;        ///< compute.interior, network, …
  double problem_size = 0;  ///< n, whatever counts as size
  int ranks = 1;            ///< N
  double seconds = 0;
  double work = 0;  ///< f(n), flops of all ranks; for communication g(n, N), bytes
  /// How often the phase's start-up is paid: t_s0, by one rank that does all, or t_c0.
  double starts = 1;
  /// How often t_p0 and the overhead are paid on more than one rank.
  double parallel_starts = 1;
  /// The phase was timed without synchronization, tasks and communication, as Orii times do 20
  /// without its summation: only such samples beside others tell the overhead from t_p0.
  bool without_overhead = false;
};

/// What a phase is in the model.
enum class PhaseRole {
  parallel,      ///< shared out: Eq. 1 on one rank, Eq. 2 on more
  serial,        ///< done whole by every rank, or by one while the others wait: Eq. 1 on any number
  communication  ///< Eq. 3, of more than one rank
};

/// The constants of one phase (Orii, Eq. 1 to 3) with 95 % intervals from the residuals' scatter.
/// Those of Eq. 2 take the fit of Eq. 1 as exact.
struct PhaseFit {
  std::string phase;
  PhaseRole role = PhaseRole::parallel;
  Quantity start_up_s;                 ///< t_s0 or t_c0, for each of `starts`
  Quantity rate_per_s;                 ///< R_a E_s or R_c E_c
  std::optional<Quantity> efficiency;  ///< E_s or E_c, where the peak is known
  /// t_p0, for each of `parallel_starts`, and E_p; absent where no time is of more than one rank.
  std::optional<Quantity> parallel_start_up_s;
  std::optional<Quantity> parallel_efficiency;
  std::optional<Quantity> overhead_s;  ///< t_povh; absent: in parallel_start_up_s, if anywhere
  double rms_residual = 0;             ///< relative, of the worse of the fits of Eq. 1 and 2
  double largest_residual = 0;         ///< relative, of any sample
  /// Constants that these samples cannot tell apart and how they stand, a line each.
  std::vector<std::string> fitted_together;

  /// Seconds the fit gives for the sample's size, ranks, work and starts.
  [[nodiscard]] double seconds(const PhaseSample& sample) const;
  [[nodiscard]] double one_processor_s(const PhaseSample& sample) const;
};

/// Fits one phase over (n, N), as Orii, Section 3.3: first t_s0 and R_a E_s to the times on one
/// rank, then t_p0, E_p and, where told apart, t_povh to those on more. Without times on one rank
/// E_s and E_p are one product (E_p = 1). `peak_per_s` is R_a or R_c; 0: unknown. All constants are
/// >= 0, least squares in relative error. Throws BadInput where a fit has no more samples than
/// constants (three for one constant pair), sizes or counts that cannot tell them apart, times that
/// are not positive, or a parallel phase whose time does not fall with N.
PhaseFit fit_phase(std::span<const PhaseSample> samples, PhaseRole role, double peak_per_s = 0);

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
