// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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

/// What stands between the separators; of an empty text one empty word.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words(1);
  for (const char letter : text)
    if (letter == separator)
      words.emplace_back();
    else
      words.back() += letter;
  return words;
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

/// A number in front of a text, and where it ends. A plus before it is read, as C does; one below
/// double's normal range is out of range as one above is.
template <class Number>
std::from_chars_result read_number(std::string_view text, Number& number) {
  const char *first = text.data(), *const end = first + text.size();
  if (end - first > 1 && *first == '+' && first[1] != '-') ++first;
  std::from_chars_result read = std::from_chars(first, end, number);
  if constexpr (std::is_floating_point_v<Number>)
    if (read.ec == std::errc() && std::fpclassify(number) == FP_SUBNORMAL)
      read.ec = std::errc::result_out_of_range;
  return read;
}

/// The number that a whole word stands for, if it does; as read_number.
template <class Number>
std::optional<Number> parse_number(std::string_view word) {
  Number number{};
  const auto [end, error] = read_number(word, number);
  if (error != std::errc() || end != word.data() + word.size()) return {};
  return number;
}

/// Takes the next number of a line, up to a blank or the end; false if there is none.
template <class Number>
bool take_number(std::string_view& rest, Number& number) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  const auto [end, error] = read_number(rest, number);
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

/// Bytes of the byte-order mark in front of a text, 0 if it has none. Throws BadInput, naming the
/// file, where it begins as no text does: compressed, UTF-16, bytes that are 0.
std::size_t byte_order_mark(std::string_view beginning, const std::string& file);

/// Throws BadInput unless it is a plain file, which can be read by parts, and not compressed. What
/// cannot be opened is left to whoever reads it.
void require_plain_file(const std::string& path);

/// A file or pipe open for reading, closed with its owner. Throws BadInput with path and reason.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Appends some of what follows; false at the end.
  bool append_to(std::string& text) const;
  /// The beginning of a text file, some bytes at least if it has them, without its byte-order mark.
  [[nodiscard]] std::string beginning() const;

 private:
  std::string path_;
  int descriptor_;
};

/// A text file or pipe, line by line. Throws BadInput for what cannot be read, is no text, or has a
/// line of more than `longest` bytes.
class LinesOfFile {
 public:
  static constexpr std::size_t longest_line = std::size_t{64} << 20;

  explicit LinesOfFile(const std::string& path, std::size_t longest = longest_line)
      : file_(path), longest_(longest), buffer_(file_.beginning()) {}

  /// Goes to the next line; false at the file's end.
  bool next();
  /// The line that next() went to will be the next one again.
  void step_back() { again_ = true; }
  [[nodiscard]] TextLine line() const { return {line_, number_, file_.path()}; }
  /// False for a last line without a newline, which may have been cut off.
  [[nodiscard]] bool has_end() const { return has_end_; }

 private:
  InputFile file_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t next_ = 0;
  std::string_view line_;
  std::int64_t number_ = 0;
  bool has_end_ = false, again_ = false;
};

/// A whole text file or pipe, without a byte-order mark. Throws BadInput for what cannot be read,
/// is no text, or is longer than `most_bytes`.
std::string read_text(const std::string& path, std::size_t most_bytes = std::size_t{1} << 26);

}  // namespace bellwether
