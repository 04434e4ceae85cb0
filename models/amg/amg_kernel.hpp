// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/amg/amg_parameters.hpp"

namespace bellwether {

/// What a rank's part of an operator takes: a value of 8 bytes and a column of 4 for each entry,
/// and for each row its start and three vectors.
double amg_operator_bytes(double rows, double entries);

/// What one operation costs a rank, at one bound of the machine's intervals.
///
/// Seconds, cold and of calls over and over, are linear in the rows between two that were measured,
/// beyond the last along the last two and below the first along the first two. In the entries per
/// row they are linear between two that were measured and in proportion beyond. Rows or entries
/// more are never faster: what noise says otherwise is levelled; nor is a cold call.
class AmgKernel {
 public:
  AmgKernel(const AmgKernelTable& table, Bound bound);

  /// Seconds of a call on so many rows with `entries` in all, which need not be whole. `held`: how
  /// much of what it finds in the caches when called over and over they hold: 0 is cold, 1 in turn.
  [[nodiscard]] double seconds(double rows, double entries, double held = 0) const;

  /// Whether rows and entries per row lie within the table, or a quarter beyond it.
  [[nodiscard]] bool covers(double rows, double entries) const;

 private:
  friend class AmgCaches;
  struct Point {
    double rows, cold_s, again_s;
    double bytes;
    double saved;  ///< share of the time, when called over and over
  };
  struct Curve {
    double entries_per_row;
    std::vector<Point> points;
  };
  [[nodiscard]] double seconds_of(double Point::*which, double rows, double entries_per_row) const;

  std::vector<Curve> curves_;
};

/// Seconds of one sweep, by the name of an AmgRelaxation, as AmgKernel::seconds of its pass over
/// the rows. Of Gauss-Seidel as measured. l1-Jacobi's is a product's with 24 bytes more a row, of
/// three vectors, Chebyshev's two products' with 57 more: their vectors are 8 and 19.
double amg_sweep_s(const std::string& relax, const AmgKernel& product,
                   const std::optional<AmgKernel>& gauss_seidel, double rows, double entries,
                   double held);

/// How much of so many bytes a rank's caches hold when they are gone through over and over: what
/// products save at each size, of the most that they save anywhere beyond a megabyte, where what a
/// call itself takes no longer counts. It is linear in the logarithm of the bytes and never grows
/// with them.
class AmgCaches {
 public:
  explicit AmgCaches(const AmgKernel& products);

  /// For AmgKernel::seconds: an operation whose operands take `own_bytes` comes back to them after
  /// `since_bytes` were gone through, they included.
  [[nodiscard]] double held(double own_bytes, double since_bytes) const;

 private:
  [[nodiscard]] double share(double bytes) const;

  struct Size {
    double bytes, share;
  };
  std::vector<Size> sizes_;  ///< ascending
};

}  // namespace bellwether
