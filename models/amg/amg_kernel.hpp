// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <vector>

#include "models/amg/amg_parameters.hpp"

namespace bellwether {

/// What a rank's part of an operator takes: a value of 8 bytes and a column of 4 for each entry,
/// and for each row its start and three vectors.
double amg_operator_bytes(double rows, double entries);

/// What one operation costs a rank, at one bound of the machine's intervals.
///
/// Cold seconds are linear in the rows between two that were measured, beyond the last along the
/// last two and below the first along the first two. In the entries per row they are linear between
/// two that were measured and in proportion beyond. Rows or entries more are never faster: what
/// noise says otherwise is levelled.
///
/// A call in turn saves a share of the time, as far as its operands are still in the caches.
/// An operation that comes back to its operands after more bytes than their own saves the share
/// that it saves with operands of so many bytes. Between two that were measured the share is linear
/// in the logarithm of the bytes and in the entries per row; beyond them it is as there, and it
/// never grows with the bytes.
class AmgKernel {
 public:
  static constexpr double cold = std::numeric_limits<double>::infinity();

  AmgKernel(const AmgKernelTable& table, Bound bound);

  /// Seconds of a call on so many rows with `entries` in all, which need not be whole.
  /// `since_bytes`: how much memory was gone through since its operands were used last, they
  /// included.
  [[nodiscard]] double seconds(double rows, double entries, double since_bytes = cold) const;

  /// Whether rows and entries per row lie within the table, or a quarter beyond it.
  [[nodiscard]] bool covers(double rows, double entries) const;

 private:
  struct Point {
    double rows, cold_s;
    double bytes;
    double saved;  ///< share of the time, when called again in turn
  };
  struct Curve {
    double entries_per_row;
    std::vector<Point> points;
  };
  [[nodiscard]] double cold_seconds(double rows, double entries_per_row) const;
  [[nodiscard]] double saved(double bytes, double entries_per_row) const;

  std::vector<Curve> curves_;
};

}  // namespace bellwether
