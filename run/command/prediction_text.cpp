// SPDX-License-Identifier: MIT
#include "run/command/prediction_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "results/time_unit.hpp"

namespace bellwether {
namespace {

/// Four significant digits without an exponent.
std::string digits(double number) {
  const double size = std::abs(number);
  if (size >= 1000) return fmt::format("{:.0f}", number);
  return fmt::format("{:.{}f}", number, size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

}  // namespace

std::string time_text(double seconds) {
  if (seconds == 0) return "0";
  const TimeUnit unit = time_unit(seconds);
  return fmt::format("{} {}", digits(seconds * unit.per_second), unit.name);
}

std::string interval_text(double seconds, double low, double high) {
  if (low == seconds && high == seconds) return "-";
  const double scale = time_unit(seconds).per_second;
  return fmt::format("[{}, {}]", digits(low * scale), digits(high * scale));
}

std::string rate_text(double per_s, const std::string& unit) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  int prefix = 0;
  for (; per_s >= 1000 && prefix < 6; ++prefix) per_s /= 1000;
  return fmt::format("{:.2f} {}{}", per_s, prefixes[prefix], unit);
}

std::string total_text(const ScalingPoint* point) {
  return point == nullptr ? "-" : time_text(point->prediction.total_s);
}

const char* overlap_text(bool overlap) { return overlap ? "on" : "off"; }

std::string percent_text(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

}  // namespace bellwether
