// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

namespace bellwether {

/// For tests: a number in double precision, and how far another computation of the same expression
/// may be from it, in units of its own rounding: running error analysis to first order (Higham
/// 2002, section 3.3), with what each operation inherits and its own half unit counted whole.
class RunningError {
 public:
  RunningError(double value = 0) : value_(value) {}
  /// A constant that is rounded before it is used.
  static RunningError rounded(double value) { return {value, std::abs(value)}; }

  [[nodiscard]] double value() const { return value_; }
  /// Largest difference of a computation whose numbers have the unit `epsilon`. Twice the estimate:
  /// another order of additions passes through other sums.
  [[nodiscard]] double bound(double epsilon) const { return 2 * epsilon * error_; }

  friend RunningError operator+(const RunningError& a, const RunningError& b) {
    return result(a.value_ + b.value_, a.error_ + b.error_);
  }
  friend RunningError operator-(const RunningError& a, const RunningError& b) {
    return result(a.value_ - b.value_, a.error_ + b.error_);
  }
  friend RunningError operator*(const RunningError& a, const RunningError& b) {
    return result(a.value_ * b.value_,
                  std::abs(a.value_) * b.error_ + std::abs(b.value_) * a.error_);
  }
  friend RunningError operator/(const RunningError& a, const RunningError& b) {
    const double value = a.value_ / b.value_;
    return result(value, (a.error_ + std::abs(value) * b.error_) / std::abs(b.value_));
  }
  friend RunningError sqrt(const RunningError& a) {
    const double value = std::sqrt(a.value_);
    return result(value, value > 0 ? a.error_ / (2 * value) : 0);
  }
  friend RunningError abs(const RunningError& a) { return {std::abs(a.value_), a.error_}; }
  RunningError& operator+=(const RunningError& b) { return *this = *this + b; }
  RunningError& operator-=(const RunningError& b) { return *this = *this - b; }

 private:
  RunningError(double value, double error) : value_(value), error_(error) {}
  static RunningError result(double value, double inherited) {
    return {value, inherited + std::abs(value)};
  }
  double value_, error_ = 0;
};

}  // namespace bellwether
