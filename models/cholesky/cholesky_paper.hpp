// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>

#include "models/cholesky/efficiency_model.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/machine/quantity.hpp"
#include "models/prediction.hpp"

namespace bellwether {

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
