// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace bellwether {

/// Order statistics of repeated measurements, in the unit of the samples. [low, high] is the
/// nonparametric 95 % interval of the median (binomial order statistics); with fewer than six
/// samples no such interval exists and it is [min, max].
struct Summary {
  double median = 0;
  double low = 0;
  double high = 0;
  double min = 0;
  double max = 0;
  int count = 0;
};

/// Throws std::invalid_argument on no samples or a non-finite one.
Summary summarize(std::vector<double> samples);

/// Half the interval's width is at most `relative` of the median, from at least six samples.
bool is_tight(const Summary& summary, double relative);

/// A difference as text, "+1.5 %": what rounds to zero has no sign, what is not finite is "-".
std::string signed_percent(double fraction);

/// Unit in which times of about one size are printed.
struct TimeUnit {
  double per_second;
  const char* name;
};

inline TimeUnit time_unit(double seconds) {
  if (seconds >= 1) return {1, "s"};
  if (seconds >= 1e-3) return {1e3, "ms"};
  return {1e6, "us"};
}

/// "12.34 ms": four digits and a unit that fits.
std::string time_text(double seconds);
/// "[12.01, 13.20]" in the unit in which time_text(seconds) is; "-" where both ends are `seconds`.
std::string interval_text(double seconds, double low, double high);
/// So many digits and the prefix of a unit: 1.98e9, "cells/s" gives "1.98 Gcells/s".
std::string with_prefix(double value, const std::string& unit, int digits = 3);

}  // namespace bellwether
