// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bellwether {

/// An entry of a sparse matrix; rows and columns are numbered from 0.
struct MatrixEntry {
  std::int64_t row = 0, column = 0;
  double value = 0;
  std::int64_t place = 0;  ///< of its line: the bytes before it
};

/// How a Matrix Market file begins: banner, comments and the line of sizes.
struct MatrixMarketHead {
  bool symmetric = false;     ///< the lower triangle stands for both
  bool whole_values = false;  ///< the field "integer"
  std::int64_t rows = 0;      ///< and columns
  std::int64_t entries = 0;   ///< lines that follow, at least as many as rows
  std::int64_t lines = 0;     ///< up to and with the sizes
  std::int64_t bytes = 0;     ///< the same
};

/// Bytes within which the sizes must have come.
inline constexpr std::int64_t longest_matrix_head = 1 << 20;
/// Bytes of the shortest line of an entry, "1 1 1" and its end.
inline constexpr std::int64_t shortest_entry_line = 6;

/// Reads it from a text that begins as the file of `file_bytes` does. Throws BadInput with file,
/// line, what was found and what is expected: only coordinates (no dense matrix) of real or integer
/// values, general or symmetric, are read, of a square matrix of at most `most_rows`, with a
/// diagonal's worth of entries at least and no more than the file's bytes have room for.
MatrixMarketHead parse_matrix_market_head(std::string_view beginning, std::int64_t file_bytes,
                                          std::int64_t most_rows, const std::string& file);

/// Rows, from 0, of one of the files that HYPRE_IJMatrixPrint writes, one by each rank.
struct IjHead {
  std::int64_t first = 0, end = 0;  ///< up to and without `end`
};

/// Reads it from a text that begins as the file of `file_bytes` does, with a line "first last first
/// last" of rows and columns; the rows of the files before are those up to `first_row`. Throws
/// BadInput like the above, also for rows that do not follow or whose columns are divided
/// otherwise.
IjHead parse_ij_head(std::string_view beginning, std::int64_t file_bytes, std::int64_t first_row,
                     std::int64_t most_rows, const std::string& file);

/// What the lines of entries, "row column value", must be.
struct EntryRules {
  std::int64_t base = 0;  ///< the number of the first row and column: 0, or 1 in Matrix Market
  std::int64_t first_row = 0, end_row = 0;  ///< numbered from 0
  std::int64_t columns = 0;
  bool whole_values = false;
  bool lower_triangle = false;
};

/// Longest line that can be an entry's: beyond, the file is no such text.
inline constexpr std::size_t longest_entry_line = 4096;

/// Reads a line into row, column and value. Returns what is expected instead where the line breaks
/// the rules; empty: none broken.
std::string parse_entry(std::string_view line, const EntryRules& rules, MatrixEntry& entry);

/// What messages call the file of a row, and where a place is: "file, line 3".
using NameNumber = std::function<std::string(std::int64_t number)>;

/// A stretch of a matrix' rows, row by row, each one's columns ascending.
class MatrixRows {
 public:
  /// Of `entries`, which come in any order and in pieces, are freed when they are no longer needed,
  /// and lie within the stretch. Throws BadInput for what multigrid cannot use: entries that are
  /// there twice, rows without entries, and diagonals that are missing or 0. Messages number rows
  /// from `base`.
  MatrixRows(std::int64_t first, std::int64_t end, std::vector<std::vector<MatrixEntry>> entries,
             std::int64_t base, const NameNumber& name_file, const NameNumber& name_place);

  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t end() const { return first_ + std::ssize(starts_) - 1; }
  /// Of row `i`, first() <= i < end().
  struct Row {
    const std::int64_t* columns;
    const double* values;
    std::int64_t count;
  };
  [[nodiscard]] Row row(std::int64_t i) const;

 private:
  std::int64_t first_;
  std::vector<std::int64_t> starts_, columns_;
  std::vector<double> values_;
};

/// Bytes that MatrixRows takes at most while it is made of so many entries.
inline double matrix_bytes(double entries) {
  constexpr double kept = sizeof(std::int64_t) + sizeof(double), places = sizeof(std::int64_t);
  return entries * (sizeof(MatrixEntry) + kept + places);
}

}  // namespace bellwether
