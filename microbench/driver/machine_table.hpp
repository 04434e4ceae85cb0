// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/machine/machine.hpp"

namespace bellwether {

/// Three significant digits, without exponents where people would not write them.
std::string number(double value);

/// "[low, high]" times scale; empty where the two are one.
std::string interval(const Quantity& quantity, double scale);

/// Both, in a column of a table.
std::string table_cell(const Quantity& quantity, double scale);

/// Whether samples tell a bandwidth: where times hardly grow with size, its interval spans more
/// than a factor of ten.
bool is_resolved(const Quantity& bandwidth);
/// Of one that is not, in GB/s: "not resolved, above 7.58".
std::string unresolved_text(const Quantity& bandwidth);

/// In binary units: "64 KiB".
std::string size_text(double bytes);

std::string ranks_text(int ranks);

/// Parameters for people, under headings, one to a line.
class ParameterTable {
 public:
  void line(const std::string& text);
  void heading(const std::string& text);
  /// Name, value and 95 % interval times scale, unit and meaning.
  void row(const std::string& name, const Quantity& quantity, double scale, const char* unit,
           const std::string& meaning);
  /// All lines, none of which ends in spaces. Ends with a newline.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A machine for people: each parameter with its unit, its 95 % interval where it has one, and what
/// it means; warnings last, where they are seen. Ends with a newline.
std::string machine_table(const Machine& machine);

/// A machine in some 25 lines: its limits, each link in one, what it was calibrated for, and all
/// warnings. Ends with a newline.
std::string machine_summary(const Machine& machine);

}  // namespace bellwether
