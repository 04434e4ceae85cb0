// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace bellwether {

/// Calls visit(line) for each line of a text, without its end; the last may lack one.
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_blank(std::string_view line) {
  return std::all_of(line.begin(), line.end(), [](char c) { return is_blank(c); });
}

/// How many lines there are, and the number from 1 of the last one that is not blank, 0 if all are.
struct LineCount {
  std::int64_t lines = 0;
  std::int64_t last_filled = 0;
};
inline LineCount count_lines(std::string_view text) {
  LineCount count;
  for_each_line(text, [&](std::string_view line) {
    ++count.lines;
    if (!is_blank(line)) count.last_filled = count.lines;
  });
  return count;
}

}  // namespace bellwether
