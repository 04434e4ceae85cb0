// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/fit/nonnegative_fit.hpp"
#include "models/machine/quantity.hpp"

namespace bellwether {

/// One measured time of a program or of one of its phases, on the slowest rank.
struct ScalingSample {
  double size = 0;  ///< n, whatever counts as size; > 0
  int ranks = 1;    ///< N
  double seconds = 0;
  double work = 0;  ///< f(n), in any unit; 0 in all samples: not known
};

/// How what is paid on more than one rank grows with their number: not at all, with log2 N as a
/// tree does, with the edge of a cube or a square of ranks, or with N as each to each other.
enum class OverheadGrowth { none, constant, tree, cube_root, square_root, linear };

/// What varies in the times, which decides what they can tell apart.
enum class Sweep { sizes_and_ranks, one_size, constant_share };

/// What a program's time is taken to be, of all forms that were tried the one that the times bear
/// out. With G(N) = growth(N) - growth(N_1):
///   sizes_and_ranks  T(n, N) = t_0 + s f^a + p f / (N E_p) + o f^b G(N), N_1 = 1
///   one_size         T(N) = t_0 + p f / N + o G(N)
///   constant_share   T(N) = t_0 + o G(N): of f in proportion to N
struct ScalingForm {
  Sweep sweep = Sweep::sizes_and_ranks;
  double work_exponent = 0;     ///< f is n to this power; 0: f is known, or 1 of one size
  double serial_exponent = 1;   ///< a: 1, or less for what is done on edges and columns alone
  bool own_efficiency = false;  ///< E_p is fitted; else 1
  OverheadGrowth growth = OverheadGrowth::none;
  double overhead_exponent = 0;  ///< b
  int first_ranks = 1;           ///< N_1: up to there the growth is in t_0
};

/// The rank counts that pay.
struct BestRanks {
  /// Where the time is least; absent where each further rank makes it less.
  std::optional<double> ranks;
  double seconds = 0;     ///< there, or what the time falls to
  double near_ranks = 0;  ///< fewest that come near it; 0: none do, as the time falls without end
};

/// The efficiency and start-up model (Orii, Eq. 1 to 6) of a whole program or of a phase. A
/// kernel's t_s0 is the start-up time t_0, R_a E_s is 1 / (s + p), and t_p0 and t_povh are the
/// overhead.
struct ScalingFit {
  ScalingForm form;
  NonnegativeFit constants;
  int most_ranks = 1;  ///< that were fitted
  /// Constants that these samples cannot tell apart and how they stand, a line each.
  std::vector<std::string> fitted_together;

  [[nodiscard]] double work(const ScalingSample& sample) const;
  [[nodiscard]] double seconds(double work, double ranks) const;
  /// The same with the ends that 95 % of measured times lie between, of the chosen form: the
  /// constants' errors, the scatter of the times, and that scatter once more for each doubling
  /// beyond the ranks that were fitted.
  [[nodiscard]] Quantity predicted_s(double work, double ranks) const;

  [[nodiscard]] const Quantity& start_up_s() const { return constants.coefficients[0]; }
  /// s, and o: seconds for the first unit of work, and p: for each unit on one rank; 0 where the
  /// form has none.
  [[nodiscard]] Quantity serial_s() const { return constant(serial_place()); }
  [[nodiscard]] Quantity overhead_s() const { return constant(overhead_place()); }
  [[nodiscard]] Quantity parallel_s() const { return constant(parallel_place()); }
  [[nodiscard]] std::optional<Quantity> parallel_efficiency() const;
  /// Work for each second of one rank, start-up left out where it is known.
  [[nodiscard]] Quantity rate_per_s(double work) const;
  /// P, the share of the time on one rank that further ranks shorten (Eq. 6), and 1 / (1 - P),
  /// which no speed-up exceeds but for an E_p above 1; infinite for P = 1.
  [[nodiscard]] Quantity parallel_fraction(double work) const;
  [[nodiscard]] Quantity speed_up_bound(double work) const;
  /// `within`: as a share of the least time.
  [[nodiscard]] BestRanks best_ranks(double work, double within) const;

  /// Where they stand among the constants; -1: nowhere.
  [[nodiscard]] int serial_place() const;
  [[nodiscard]] int parallel_place() const;
  [[nodiscard]] int efficiency_place() const;
  [[nodiscard]] int overhead_place() const;

 private:
  [[nodiscard]] Quantity constant(int place) const;
  /// What t_0 and s are multiplied with.
  [[nodiscard]] std::array<double, most_coefficients> rest_factors(double work) const;
  /// (T_1 - p f) / (p f), which has an interval as it is linear in nearly all.
  [[nodiscard]] Quantity serial_to_parallel(double work) const;
};

/// Least squares in relative error with all constants >= 0, of the form that misses each time least
/// when it is left out. Samples of one size, and such as have nearly the same work on each rank,
/// known or a power of n, are fitted by the forms that these bear; times without work that do not
/// fall with the ranks are of a constant share. Intervals are 95 %, Student's, of the chosen form.
/// Where all times are of two rank counts E_p is 1 and an overhead grows as a tree's, and where all
/// are of several ranks E_p is within p; fitted_together says so. Throws BadInput, `what` first,
/// for fewer than 4 samples, one rank count alone, times, sizes or work that are not above 0 and
/// finite, and samples that cannot tell the constants apart.
ScalingFit fit_scaling(std::span<const ScalingSample> samples, const std::string& what);

}  // namespace bellwether
