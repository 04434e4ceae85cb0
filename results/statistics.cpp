// SPDX-License-Identifier: MIT
#include "results/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <stdexcept>

namespace bellwether {
namespace {

/// The rank k (from 1) for which [x_(k), x_(n+1-k)] is the narrowest symmetric interval that holds
/// the median with at least 95 %: the largest k with P(B < k) <= 2.5 %, B binomial(n, 1/2) the
/// number of samples below the median (Conover, Practical Nonparametric Statistics, section 3.2).
/// 0 if there is none.
std::size_t interval_rank(std::size_t n) {
  using boost::math::policies::discrete_quantile;
  using Smallest =
      boost::math::policies::policy<discrete_quantile<boost::math::policies::integer_round_up>>;
  // The smallest k with P(B <= k) > 2.5 %.
  const boost::math::binomial_distribution<double, Smallest> below(static_cast<double>(n), 0.5);
  return static_cast<std::size_t>(boost::math::quantile(below, 0.025));
}

/// Four significant digits without an exponent.
std::string digits_of(double number) {
  const double size = std::abs(number);
  if (size >= 1000) return fmt::format("{:.0f}", number);
  return fmt::format("{:.{}f}", number, size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

}  // namespace

Summary summarize(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("a summary needs at least one sample");
  if (!std::all_of(samples.begin(), samples.end(), [](double x) { return std::isfinite(x); })) {
    throw std::invalid_argument("a sample is not a finite number");
  }
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  const double lower_middle = samples[(n - 1) / 2];
  const double upper_middle = samples[n / 2];
  const std::size_t rank = std::max<std::size_t>(interval_rank(n), 1);
  return {.median = lower_middle + (upper_middle - lower_middle) / 2,
          .low = samples[rank - 1],
          .high = samples[n - rank],
          .min = samples.front(),
          .max = samples.back(),
          .count = static_cast<int>(n)};
}

bool is_tight(const Summary& summary, double relative) {
  return summary.count >= 6 &&
         (summary.high - summary.low) / 2 <= relative * std::abs(summary.median);
}

std::string signed_percent(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  const double shown = std::abs(fraction) < 0.0005 ? 0.0 : fraction;
  return fmt::format("{:+.1f} %", 100 * shown);
}

std::string time_text(double seconds) {
  if (seconds == 0) return "0";
  const TimeUnit unit = time_unit(seconds);
  return fmt::format("{} {}", digits_of(seconds * unit.per_second), unit.name);
}

std::string interval_text(double seconds, double low, double high) {
  if (low == seconds && high == seconds) return "-";
  const double scale = time_unit(seconds).per_second;
  return fmt::format("[{}, {}]", digits_of(low * scale), digits_of(high * scale));
}

std::string with_prefix(double value, const std::string& unit, int digits) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  for (; value >= 1000 && prefix + 1 < std::size(prefixes); ++prefix) value /= 1000;
  const int decimals = digits - (value < 10 ? 1 : value < 100 ? 2 : 3);
  return fmt::format("{:.{}f} {}{}", value, decimals, prefixes[prefix], unit);
}

}  // namespace bellwether
