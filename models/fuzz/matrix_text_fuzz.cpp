// SPDX-License-Identifier: MIT
// libFuzzer: a text is read as a Matrix Market file, or as one of hypre's IJ files, or refused with
// BadInput that names file, and line where there is one; nothing else. What was read is a matrix
// that multigrid can use, and memory stays in proportion to the text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "models/amg/matrix_text.hpp"
#include "models/errors.hpp"
#include "models/text_lines.hpp"

namespace {

using namespace bellwether;

const std::string file = "fuzzed";
constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "not kept: %s\n", what);
  std::abort();
}

EntryRules rules_of_market(const MatrixMarketHead& head, std::string_view text) {
  require(head.bytes <= std::ssize(text), "the head's end");
  require(head.entries >= head.rows && head.rows >= 1, "sizes");
  EntryRules rules;
  rules.base = 1;
  rules.end_row = rules.columns = head.rows;
  rules.whole_values = head.whole_values;
  rules.lower_triangle = head.symmetric;
  return rules;
}

EntryRules rules_of_ij(const IjHead& head) {
  require(head.first == 0 && head.end <= most_rows, "rows");
  EntryRules rules;
  rules.end_row = rules.columns = head.end;
  return rules;
}

void check(const MatrixRows& rows) {
  for (std::int64_t i = rows.first(); i < rows.end(); ++i) {
    const MatrixRows::Row row = rows.row(i);
    bool diagonal = false;
    for (std::int64_t at = 0; at < row.count; ++at) {
      require(at == 0 || row.columns[at - 1] < row.columns[at], "ascending columns");
      require(std::isfinite(row.values[at]), "finite values");
      diagonal = diagonal || (row.columns[at] == i && row.values[at] != 0);
    }
    require(diagonal, "a diagonal");
  }
}

void read(std::string_view text) {
  const bool is_market = text.starts_with('%');
  EntryRules rules;
  std::int64_t line_number = 1, place = 0;
  if (is_market) {
    const auto head = parse_matrix_market_head(text, std::ssize(text), most_rows, file);
    rules = rules_of_market(head, text);
    line_number = head.lines;
    place = head.bytes;
  } else {
    rules = rules_of_ij(parse_ij_head(text, std::ssize(text), 0, most_rows, file));
    place = static_cast<std::int64_t>(std::min(text.find('\n') + 1, text.size()));
  }
  std::vector<MatrixEntry> entries;
  for_each_line(text.substr(static_cast<std::size_t>(place)), [&](std::string_view line) {
    ++line_number;
    if (is_blank(line)) return;
    MatrixEntry entry;
    if (const std::string expected = parse_entry(line, rules, entry); !expected.empty())
      TextLine{line, line_number, file}.refuse(expected);
    entry.place = line_number;
    entries.push_back(entry);
    if (!rules.lower_triangle || entry.row == entry.column) return;
    std::swap(entry.row, entry.column);
    entries.push_back(entry);
  });
  check(MatrixRows(
      0, rules.end_row, {std::move(entries)}, rules.base, [](std::int64_t) { return file; },
      [](std::int64_t line) { return fmt::format("{}, line {}", file, line); }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read({reinterpret_cast<const char*>(data), size});
  } catch (const bellwether::BadInput& refusal) {
    const std::string message = refusal.what();
    require(message.starts_with(file) && message.find("found ") != message.npos &&
                message.find(", expected ") != message.npos,
            message.c_str());
  }
  return 0;
}
