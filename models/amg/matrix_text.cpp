// SPDX-License-Identifier: MIT
#include "models/amg/matrix_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "models/errors.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

constexpr std::string_view banner = "%%MatrixMarket";

/// The line's words in lower case, as Matrix Market compares them.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool within = false;
  for (const char c : line) {
    if (is_blank(c)) {
      within = false;
      continue;
    }
    if (!std::exchange(within, true)) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

/// Takes banner and kind: five words, and as in NIST's reader whatever stands behind them.
void parse_banner(const TextLine& line, MatrixMarketHead& head) {
  const std::vector<std::string> words = words_of(line.text);
  if (!line.text.starts_with(banner) || words.size() < 5)
    line.refuse(
        "a Matrix Market file, which begins with \"%%MatrixMarket matrix coordinate real general\" "
        "(hypre's IJ files are named without .00000)");
  const auto require = [&](std::size_t word, const char* one, const char* other, const char* why) {
    if (words[word] != one && words[word] != other) line.refuse(why);
    return words[word] == other;
  };
  require(1, "matrix", "matrix", "the word matrix after the banner");
  require(2, "coordinate", "coordinate", "a sparse matrix, coordinate");
  head.whole_values =
      require(3, "real", "integer", "values that are real or integer: multigrid needs real ones");
  head.symmetric = require(4, "general", "symmetric", "a matrix that is general or symmetric");
}

void parse_sizes(const TextLine& line, std::int64_t bytes_behind, std::int64_t most_rows,
                 MatrixMarketHead& head) {
  std::string_view rest = line.text;
  std::int64_t columns = 0;
  if (!take_number(rest, head.rows) || !take_number(rest, columns) ||
      !take_number(rest, head.entries) || !is_blank(rest))
    line.refuse("the numbers of rows, columns and entries");
  if (head.rows != columns) line.refuse("a square matrix, as many columns as rows");
  if (head.rows < 1 || head.rows > most_rows)
    line.refuse(fmt::format("from 1 to {} rows", most_rows));
  if (head.entries < head.rows)
    line.refuse("at least as many entries as rows, each of which needs its diagonal");
  const std::int64_t room =
      (bytes_behind + 1) / shortest_entry_line;  // the last line's end may lack
  if (head.entries > room)
    line.refuse(fmt::format(
        "at most {} entries, which is what the {} bytes that follow have room for (a file that was "
        "cut off?)",
        room, bytes_behind));
}

/// "a whole number" or "a number".
bool take_value(std::string_view& rest, bool whole, double& value) {
  if (!whole) return take_number(rest, value) && std::isfinite(value);
  std::int64_t number = 0;
  const bool taken = take_number(rest, number);
  value = static_cast<double>(number);
  return taken;
}

/// Throws BadInput unless each column of a row, which ascend, is there once, the diagonal among
/// them and not 0.
void require_usable(std::int64_t row, const std::vector<MatrixEntry>& entries, std::int64_t base,
                    const NameNumber& name_file, const NameNumber& name_place) {
  const auto twice = std::adjacent_find(
      entries.begin(), entries.end(),
      [](const MatrixEntry& one, const MatrixEntry& next) { return one.column == next.column; });
  if (twice != entries.end())
    throw BadInput(fmt::format(
        "{}: found row {}, column {} a second time, expected each entry once (the first: {})",
        name_place(twice[1].place), row + base, twice->column + base, name_place(twice->place)));
  const auto diagonal = std::find_if(entries.begin(), entries.end(),
                                     [&](const MatrixEntry& entry) { return entry.column == row; });
  if (diagonal == entries.end())
    throw BadInput(fmt::format("{}: found no {} of row {}, expected a diagonal that is not 0",
                               name_file(row), entries.empty() ? "entry" : "diagonal", row + base));
  if (diagonal->value == 0)
    throw BadInput(fmt::format("{}: found 0 on the diagonal of row {}, expected another value",
                               name_place(diagonal->place), row + base));
}

}  // namespace

MatrixMarketHead parse_matrix_market_head(std::string_view beginning, std::int64_t file_bytes,
                                          std::int64_t most_rows, const std::string& file) {
  MatrixMarketHead head;
  std::string_view rest = beginning.substr(0, static_cast<std::size_t>(std::min<std::int64_t>(
                                                  std::ssize(beginning), longest_matrix_head)));
  const auto take_line = [&] {
    const std::size_t length = std::min(rest.find('\n'), rest.size());
    const TextLine line{rest.substr(0, length), ++head.lines, file};
    rest.remove_prefix(std::min(length + 1, rest.size()));
    head.bytes =
        std::min<std::int64_t>(head.bytes + static_cast<std::int64_t>(length) + 1, file_bytes);
    return line;
  };
  parse_banner(take_line(), head);
  while (!rest.empty()) {
    const TextLine line = take_line();
    if (line.text.starts_with('%') || is_blank(line.text)) continue;
    parse_sizes(line, file_bytes - head.bytes, most_rows, head);
    return head;
  }
  throw BadInput(fmt::format(
      "{}, line {}: found {}, expected the numbers of rows, columns and entries", file,
      head.lines + 1,
      file_bytes > longest_matrix_head ? "no line but comments in a MiB" : "the file's end"));
}

IjHead parse_ij_head(std::string_view beginning, std::int64_t file_bytes, std::int64_t first_row,
                     std::int64_t most_rows, const std::string& file) {
  const TextLine line{beginning.substr(0, beginning.find('\n')), 1, file};
  std::array<std::int64_t, 4> numbers{};
  std::string_view rest = line.text;
  for (std::int64_t& number : numbers)
    if (!take_number(rest, number))
      line.refuse("the first and last row and the first and last column of a rank");
  if (!is_blank(rest)) line.refuse("no more than the first and last row and column of a rank");
  const auto [first, last, first_column, last_column] = numbers;
  if (first != first_row)
    line.refuse(fmt::format("rows from {} on, which follow those of the files before", first_row));
  if (last < first - 1 || last >= most_rows)
    line.refuse(fmt::format("a last row from {} to {}", first - 1, most_rows - 1));
  if (first_column != first || last_column != last)
    line.refuse("columns divided as the rows, those of a square matrix");
  const std::int64_t bytes_behind =
      std::max<std::int64_t>(0, file_bytes - std::ssize(line.text) - 1);
  if (last - first + 1 > bytes_behind / shortest_entry_line)
    line.refuse(
        fmt::format("fewer rows: {} bytes follow (a file that was cut off?)", bytes_behind));
  return {first, last + 1};
}

std::string parse_entry(std::string_view line, const EntryRules& rules, MatrixEntry& entry) {
  std::string_view rest = line;
  if (!take_number(rest, entry.row) || !take_number(rest, entry.column))
    return "a row, a column and a value";
  const auto unfit = [&](std::int64_t number, std::int64_t first, std::int64_t end) {
    return number < first + rules.base || number >= end + rules.base;
  };
  if (unfit(entry.row, rules.first_row, rules.end_row))
    return fmt::format("a row from {} to {}", rules.first_row + rules.base,
                       rules.end_row + rules.base - 1);
  if (unfit(entry.column, 0, rules.columns))
    return fmt::format("a column from {} to {}", rules.base, rules.columns + rules.base - 1);
  if (rules.lower_triangle && entry.column > entry.row)
    return "a column up to the row: a symmetric matrix has its lower triangle here";
  if (!take_value(rest, rules.whole_values, entry.value))
    return rules.whole_values ? "a value that is a whole number, as line 1 says"
                              : "a value that is a finite number of double's normal range";
  if (!is_blank(rest)) return "nothing behind row, column and value";
  entry.row -= rules.base;
  entry.column -= rules.base;
  return "";
}

MatrixRows::MatrixRows(std::int64_t first, std::int64_t end,
                       std::vector<std::vector<MatrixEntry>> entries, std::int64_t base,
                       const NameNumber& name_file, const NameNumber& name_place)
    : first_(first), starts_(static_cast<std::size_t>(end - first) + 1) {
  for (const auto& piece : entries)
    for (const MatrixEntry& entry : piece) ++starts_[entry.row - first + 1];
  for (std::size_t row = 1; row < starts_.size(); ++row) starts_[row] += starts_[row - 1];
  columns_.resize(starts_.back());
  values_.resize(starts_.back());
  std::vector<std::int64_t> places(starts_.back());
  // Each start moves to its row's end while the row fills, and so to the next one's start.
  for (auto& piece : entries) {
    for (const MatrixEntry& entry : piece) {
      const std::int64_t at = starts_[entry.row - first]++;
      columns_[at] = entry.column;
      values_[at] = entry.value;
      places[at] = entry.place;
    }
    std::vector<MatrixEntry>().swap(piece);
  }
  std::rotate(starts_.begin(), starts_.end() - 1, starts_.end());
  starts_.front() = 0;

  std::vector<MatrixEntry> sorted;
  for (std::int64_t row = first; row < end; ++row) {
    const std::int64_t from = starts_[row - first], to = starts_[row - first + 1];
    sorted.clear();
    for (std::int64_t at = from; at < to; ++at)
      sorted.push_back({row, columns_[at], values_[at], places[at]});
    std::sort(sorted.begin(), sorted.end(), [](const MatrixEntry& one, const MatrixEntry& other) {
      return std::pair(one.column, one.place) < std::pair(other.column, other.place);
    });
    require_usable(row, sorted, base, name_file, name_place);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      columns_[from + static_cast<std::int64_t>(i)] = sorted[i].column;
      values_[from + static_cast<std::int64_t>(i)] = sorted[i].value;
    }
  }
}

MatrixRows::Row MatrixRows::row(std::int64_t i) const {
  const std::int64_t from = starts_[i - first_];
  return {columns_.data() + from, values_.data() + from, starts_[i - first_ + 1] - from};
}

}  // namespace bellwether
