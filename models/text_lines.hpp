// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
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

/// What was found, fit to be printed: short, and bytes that are no text as their codes.
std::string shown(std::string_view text);

/// The text with what a terminal obeys, or what turns the direction of writing, as \\u001b, which
/// is the same text in JSON. Line ends and tabs stay.
std::string printable(std::string_view text);

/// One line of a file and where it stands.
struct TextLine {
  std::string_view text;
  std::int64_t number;
  const std::string& file;

  /// Throws BadInput: "file, line 3: found "text", expected …".
  [[noreturn]] void refuse(const std::string& expected) const;
};

/// Takes the next number of a line, up to a blank or the end; false if there is none.
template <class Number>
bool take_number(std::string_view& rest, Number& number) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return false;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return rest.empty() || is_blank(rest.front());
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
