// SPDX-License-Identifier: MIT
#pragma once

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
/// tree does, or with N - 1 as each to each other.
enum class OverheadGrowth { none, constant, tree, linear };

/// What a program's time is taken to be, of all forms that were tried the one that the times bear
/// out:
///   T(n, N) = t_0 + s f^a + p f / (N E_p) + [N > 1] o f^b growth(N)
struct ScalingForm {
  double work_exponent = 0;     ///< f is n to this power; 0: f is known
  double serial_exponent = 1;   ///< a: 1, or less for what is done on edges and columns alone
  bool own_efficiency = false;  ///< E_p is fitted; else 1
  OverheadGrowth growth = OverheadGrowth::none;
  double overhead_exponent = 0;  ///< b
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
  int samples = 0;
  /// Constants that these samples cannot tell apart and how they stand, a line each.
  std::vector<std::string> fitted_together;

  [[nodiscard]] double work(const ScalingSample& sample) const;
  [[nodiscard]] double seconds(double work, double ranks) const;

  [[nodiscard]] const Quantity& start_up_s() const { return constants.coefficients[0]; }
  /// s, and o: seconds for the first unit of work; absent where the form has none.
  [[nodiscard]] const Quantity& serial_s() const { return constants.coefficients[1]; }
  [[nodiscard]] std::optional<Quantity> overhead_s() const;
  /// p: seconds for a unit of work on one rank.
  [[nodiscard]] const Quantity& parallel_s() const { return constants.coefficients[2]; }
  [[nodiscard]] std::optional<Quantity> parallel_efficiency() const;
  /// Work for each second of one rank, start-up left out.
  [[nodiscard]] Quantity rate_per_s(double work) const;
  /// P, the share of the time on one rank that further ranks shorten (Eq. 6), and 1 / (1 - P),
  /// which no speed-up exceeds but for an E_p above 1; infinite for P = 1.
  [[nodiscard]] Quantity parallel_fraction(double work) const;
  [[nodiscard]] Quantity speed_up_bound(double work) const;
  /// `within`: as a share of the least time.
  [[nodiscard]] BestRanks best_ranks(double work, double within) const;

  /// Where E_p and the overhead stand among the constants; -1: nowhere.
  [[nodiscard]] int efficiency_place() const;
  [[nodiscard]] int overhead_place() const;

 private:
  /// (T_1 - p f) / (p f), which has an interval as it is linear in nearly all.
  [[nodiscard]] Quantity serial_to_parallel(double work) const;
};

/// Least squares in relative error with all constants >= 0, and the form by Akaike's criterion for
/// few samples: a richer one must better it by more than 2. Intervals are 95 %, Student's, of the
/// chosen form. Where all times are of two rank counts E_p is 1 and an overhead grows as a tree's,
/// and where all are of several ranks E_p is within p; fitted_together says so. Throws BadInput,
/// `what` first, for fewer than 4 samples, one size or one rank count alone, times, sizes or work
/// that are not above 0 and finite, and samples that cannot tell t_0, s and p apart.
ScalingFit fit_scaling(std::span<const ScalingSample> samples, const std::string& what);

}  // namespace bellwether
