// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

namespace bellwether {

/// A kernel on one processor, or a communication: work that takes a start-up time and then goes on
/// at a share of a peak. Work and peak are in flops and flop/s, or in bytes and bytes/s.
struct OneProcessor {
  double start_up_s = 0;  ///< t_s0, or t_c0
  double peak_per_s = 1;  ///< R_a, or R_c
  double efficiency = 1;  ///< E_s, or E_c

  [[nodiscard]] double rate_per_s() const { return peak_per_s * efficiency; }
};

/// The same kernel shared out among processors.
struct ManyProcessors {
  double start_up_s = 0;  ///< t_p0
  double efficiency = 1;  ///< E_p
  double overhead_s = 0;  ///< t_povh: communication, synchronization, tasks made and ended
};

/// t = t_0 + work / (R E): Orii, Eq. 1 with f(n) flops, Eq. 3 with g(n, N) bytes.
double one_processor_time(const OneProcessor& kernel, double work);

/// t_N = t_p0 + t_1 / (N E_p) + t_povh: Orii, Eq. 2; `one_processor_s` is t_1.
double many_processors_time(const ManyProcessors& kernel, double one_processor_s,
                            double processors);

/// A kernel's time over all its iterations: on one processor, and on N where it was parallelized.
struct KernelTotal {
  double one_processor_s = 0;
  std::optional<double> many_processors_s;  ///< absent: every processor does the whole of it
};

/// Seconds of the whole program on N processors (Eq. 4) and on one (Eq. 5).
double many_processors_total(std::span<const KernelTotal> kernels);
double one_processor_total(std::span<const KernelTotal> kernels);

/// P, the parallelized kernels' share of the one-processor time, 0 to 1 (Eq. 6); 0 of no time.
double parallel_fraction(std::span<const KernelTotal> kernels);

/// 1 / (1 - P), which no number of processors exceeds; infinite for P = 1.
double speed_up_bound(double parallel_fraction);

}  // namespace bellwether
