// SPDX-License-Identifier: MIT
#include "microbench/driver/parameter_table.hpp"

#include <fmt/format.h>

namespace bellwether {

std::string number(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  if (value >= 0.0995 || value == 0) return fmt::format("{:.2f}", value);
  return fmt::format("{:.2g}", value);
}

std::string interval(const Quantity& quantity, double scale) {
  if (quantity.low == quantity.high) return {};
  return fmt::format("[{}, {}]", number(quantity.low * scale), number(quantity.high * scale));
}

std::string table_cell(const Quantity& quantity, double scale) {
  return fmt::format("{:>6} {:<16}", number(quantity.value * scale), interval(quantity, scale));
}

bool is_resolved(const Quantity& bandwidth) { return bandwidth.high <= 10 * bandwidth.low; }

std::string unresolved_text(const Quantity& bandwidth, double scale) {
  return "not resolved, above " + number(bandwidth.low * scale);
}

std::string size_text(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 3; ++unit) bytes /= 1024;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string ranks_text(int ranks) { return ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks); }

void ParameterTable::line(const std::string& text) {
  text_ += text;
  text_.erase(text_.find_last_not_of(' ') + 1);
  text_ += '\n';
}

void ParameterTable::heading(const std::string& text) { text_ += '\n' + text + '\n'; }

void ParameterTable::row(const std::string& name, const Quantity& quantity, double scale,
                         const char* unit, const std::string& meaning) {
  line(fmt::format("  {:<26}{:>9} {:<20} {:<8} {}", name, number(quantity.value * scale),
                   interval(quantity, scale), unit, meaning));
}

}  // namespace bellwether
