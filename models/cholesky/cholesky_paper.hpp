// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <span>

#include "models/cholesky/start_up_parameters.hpp"
#include "models/machine/quantity.hpp"
#include "models/prediction.hpp"

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

/// How the partial sums of a column are added up over all processors.
enum class Summation { crossbar, tree };

/// The constants of Orii, Tables 1 and 2, as numbers at one bound. The program (its Figure 1)
/// computes column j by adding up products with all columns k < j (do 20, columns k dealt out
/// cyclically to the processors), summing these over the processors, and scaling the result (do 30,
/// on every processor, as all of them hold the whole matrix).
struct ColumnCholesky {
  OneProcessor update;             ///< do 20; t_s0 at each pair of columns
  ManyProcessors parallel_update;  ///< its E_p; t_p0 and overhead at each column
  OneProcessor scaling;            ///< do 30; t_s0 at each column
  Summation summation = Summation::tree;
  OneProcessor transfer;               ///< bytes over R_c E_c
  std::optional<OneProcessor> adding;  ///< additions within the summation; absent: neglected
  double value_bytes = 4;
};

/// The machine's constants at a bound. Efficiencies and rates are slow where they are low.
ColumnCholesky column_cholesky(const StartUpParameters& parameters, double value_bytes,
                               Bound bound = Bound::value);

/// Times of do 20 that grow with its flops and those that do not, in seconds over all columns; the
/// parts of Eq. 7 (one processor) and, on N, of Eq. 8.
struct UpdateTime {
  double arithmetic_s = 0;
  double start_up_s = 0;  ///< t_s0, t_p0 and overhead
  [[nodiscard]] double total() const { return arithmetic_s + start_up_s; }
};

/// n [ (n - 1)/2 t_s0 + (n^2 - 1)/3 / (R_a E_s) ]: Eq. 7.
UpdateTime update_time(const ColumnCholesky& model, double size);
/// n [ t_p0 + (Eq. 7)/n / (N E_p) + t_povh ]: Eq. 8.
UpdateTime update_time(const ColumnCholesky& model, double size, double processors);
/// n t_s0 + (n^2 + n) / (R_a E_s): Eq. 9.
UpdateTime scaling_time(const ColumnCholesky& model, double size);

/// Seconds of adding up n values over N processors, once for each of the n columns. Crossbar, two
/// transpose transfers: 2 { t_c0 + (N - 1)/N (4 n/N) / (R_c E_c) } N n (Eq. 10). Tree, there and
/// back over log2 N stages, rounded up: n { 2 [ t_c0 + n log2 N 4/(R_c E_c) ] + t_s0 +
/// n log2 N / (R_a E_s) } (Eq. 13, where N = 2^(l_r + l_c)).
double summation_time(const ColumnCholesky& model, double size, double processors);

/// do 20 and do 30, the kernels of Eq. 4 to 6; without the summation. On one processor the serial
/// program runs: Eq. 11.
std::array<KernelTotal, 2> cholesky_kernels(const ColumnCholesky& model, double size,
                                            double processors);

/// The speed-ups of Figures 3 and 5, T_1/T_N.
struct CholeskySpeedUp {
  double update = 0;             ///< circles: do 20 alone
  double without_summation = 0;  ///< plus signs: do 20 and do 30
  double whole = 0;              ///< squares: with the summation, Eq. 11 over Eq. 12
};
CholeskySpeedUp cholesky_speed_up(const ColumnCholesky& model, double size, double processors);

/// The column Cholesky factorization as Orii's program does it, Eq. 7 to 13, one processor by Eq.
/// 11. Terms, in seconds of the whole factorization: compute.scale (do 30, the scaling of
/// columns), compute.update (do 20, the updates), startup (all t_s0 and t_p0), network.broadcast
/// (the summation, which stands where ours broadcasts). The program knows neither overlap nor
/// blocks: the same times whatever is asked. A machine without a start_up section is taken as
/// start_up_of says.
Prediction predict_cholesky_paper(const Machine& machine, const CholeskyRun& run);

}  // namespace bellwether
