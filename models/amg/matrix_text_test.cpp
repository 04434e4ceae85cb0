// SPDX-License-Identifier: MIT
#include "models/amg/matrix_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr std::int64_t many = 2147483647;

template <class Body>
std::string refusal(const Body& body) {
  try {
    body();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}

MatrixMarketHead market(const std::string& text, std::int64_t bytes_behind = 1000) {
  return parse_matrix_market_head(text, std::ssize(text) + bytes_behind, many, "a.mtx");
}
std::string market_refusal(const std::string& text, std::int64_t bytes_behind = 1000) {
  return refusal([&] { (void)market(text, bytes_behind); });
}

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixText, TheHeadOfAMatrixMarketFile) {
  const std::string text =
      "%%MatrixMarket  Matrix\tCoordinate Integer SYMMETRIC\r\n% by hand\n\n%\n 3 3\t5 \n1 1 4\n";
  const MatrixMarketHead head = market(text);
  EXPECT_TRUE(head.symmetric);
  EXPECT_TRUE(head.whole_values);
  EXPECT_EQ(head.rows, 3);
  EXPECT_EQ(head.entries, 5);
  EXPECT_EQ(head.lines, 5);
  EXPECT_EQ(text.substr(head.bytes), "1 1 4\n");
  const MatrixMarketHead other = market(banner + "1 1 1");
  EXPECT_FALSE(other.symmetric);
  EXPECT_FALSE(other.whole_values);
  EXPECT_EQ(other.bytes, std::ssize(banner) + 6);
}

TEST(MatrixText, OtherKindsOfMatrixMarketFilesAreRefusedByWhatTheyAre) {
  const std::pair<const char*, const char*> kinds[] = {
      {"%%MatrixMarket matrix array real general", "a sparse matrix, coordinate"},
      {"%%MatrixMarket matrix coordinate pattern general",
       "values that are real or integer: multigrid needs real ones"},
      {"%%MatrixMarket matrix coordinate complex hermitian",
       "values that are real or integer: multigrid needs real ones"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric",
       "a matrix that is general or symmetric"},
      {"%%MatrixMarket vector coordinate real general", "the word matrix after the banner"}};
  for (const auto& [line, expected] : kinds)
    EXPECT_EQ(
        market_refusal(std::string(line) + "\n2 2 2\n"),
        fmt::format("a.mtx, line 1: found \"{}\", expected {}",
                    std::string(line).substr(0, 40) + (std::string(line).size() > 40 ? "…" : ""),
                    expected));
  for (const char* text : {"", "0 2 0 2\n",
                           "\x7f"
                           "ELF\n",
                           "%MatrixMarket matrix coordinate real general",
                           "%%MatrixMarket matrix coordinate real", "\n%%MatrixMarket"}) {
    const std::string found = market_refusal(text);
    EXPECT_EQ(found.find("a.mtx, line 1: found \""), 0u) << found;
    EXPECT_NE(found.find(", expected a Matrix Market file, which begins with "), found.npos)
        << found;
  }
}

TEST(MatrixText, SizesThatCannotBeAreRefused) {
  const std::pair<const char*, const char*> sizes[] = {
      {"3 4 5", "a square matrix, as many columns as rows"},
      {"0 0 0", "from 1 to 2147483647 rows"},
      {"-1 -1 3", "from 1 to 2147483647 rows"},
      {"2147483648 2147483648 1", "from 1 to 2147483647 rows"},
      {"4 4 3", "at least as many entries as rows, each of which needs its diagonal"},
      {"3 3", "the numbers of rows, columns and entries"},
      {"3 3 5 1", "the numbers of rows, columns and entries"},
      {"3 3 5.0", "the numbers of rows, columns and entries"},
      {"3 3 99999999999999999999", "the numbers of rows, columns and entries"}};
  for (const auto& [line, expected] : sizes)
    EXPECT_EQ(market_refusal(banner + "% x\n" + line + "\n"),
              fmt::format("a.mtx, line 3: found \"{}\", expected {}", line, expected));
  EXPECT_EQ(
      market_refusal(banner + "3 3 4\n", 22),
      "a.mtx, line 2: found \"3 3 4\", expected at most 3 entries, which is what the 22 bytes "
      "that follow have room for (a file that was cut off?)");
  EXPECT_EQ(market_refusal(banner + "3 3 4\n", 23), "none");
  EXPECT_EQ(
      market_refusal(banner + "% x\n", 0),
      "a.mtx, line 3: found the file's end, expected the numbers of rows, columns and entries");
  const std::string comments = banner + std::string(longest_matrix_head, '%');
  EXPECT_EQ(market_refusal(comments + "\n1 1 1\n"),
            "a.mtx, line 3: found no line but comments in a MiB, expected the numbers of rows, "
            "columns and entries");
}

TEST(MatrixText, TheHeadOfAnIjFile) {
  const IjHead head = parse_ij_head("3 6 3 6\r\n3 3 1\n", 100, 3, many, "ij.00001");
  EXPECT_EQ(head.first, 3);
  EXPECT_EQ(head.end, 7);
  EXPECT_EQ(parse_ij_head("3 2 3 2\n", 8, 3, many, "f").end, 3);  // a rank without rows
  const auto said = [](const std::string& line) {
    return refusal([&] { (void)parse_ij_head(line + "\n", 100, 3, 10, "ij.00001"); });
  };
  EXPECT_EQ(said("4 6 4 6"),
            "ij.00001, line 1: found \"4 6 4 6\", expected rows from 3 on, which follow those of "
            "the files before");
  EXPECT_EQ(
      said("3 1 3 1").find("ij.00001, line 1: found \"3 1 3 1\", expected a last row from 2 to 9"),
      0u);
  EXPECT_EQ(said("3 10 3 10").find("ij.00001, line 1: found \"3 10 3 10\", expected a last row"),
            0u);
  EXPECT_EQ(said("3 6 3 7"),
            "ij.00001, line 1: found \"3 6 3 7\", expected columns divided as the rows, those of a "
            "square matrix");
  EXPECT_EQ(
      said("3 6 3").find("ij.00001, line 1: found \"3 6 3\", expected the first and last row"), 0u);
  EXPECT_EQ(said("3 6 3 6 1").find("ij.00001, line 1: found \"3 6 3 6 1\", expected no more than"),
            0u);
  EXPECT_EQ(
      refusal([] { (void)parse_ij_head("0 2 0 2\n", 25, 0, many, "f"); }),
      "f, line 1: found \"0 2 0 2\", expected fewer rows: 17 bytes follow (a file that was cut "
      "off?)");
  EXPECT_EQ(said("").find("ij.00001, line 1: found \"\", expected the first and last row"), 0u);
}

TEST(MatrixText, EntriesAsTheirFormatHasThem) {
  EntryRules rules;
  rules.first_row = 2;
  rules.end_row = 4;
  rules.columns = 9;
  MatrixEntry entry;
  EXPECT_EQ(parse_entry(" 3\t8  -1.50000000000000e+00 \r", rules, entry), "");
  EXPECT_EQ(entry.row, 3);
  EXPECT_EQ(entry.column, 8);
  EXPECT_EQ(entry.value, -1.5);
  rules.base = 1;
  EXPECT_EQ(parse_entry("3 9 2", rules, entry), "");
  EXPECT_EQ(entry.row, 2);
  EXPECT_EQ(entry.column, 8);
  const std::pair<const char*, const char*> wrong[] = {
      {"2 1 1", "a row from 3 to 4"},
      {"5 1 1", "a row from 3 to 4"},
      {"99999999999999999999 1 1", "a row, a column and a value"},
      {"3 0 1", "a column from 1 to 9"},
      {"3 10 1", "a column from 1 to 9"},
      {"3", "a row, a column and a value"},
      {"3 1.5 1", "a row, a column and a value"},
      {"3 1", "a value that is a finite number of double's normal range"},
      {"3 1 nan", "a value that is a finite number of double's normal range"},
      {"3 1 -inf", "a value that is a finite number of double's normal range"},
      {"3 1 1e400", "a value that is a finite number of double's normal range"},
      {"3 1 1d0", "a value that is a finite number of double's normal range"},
      {"3 1 1e-320", "a value that is a finite number of double's normal range"},
      {"3 1 1 0", "nothing behind row, column and value"},
      {"% 3 1 1", "a row, a column and a value"}};
  for (const auto& [line, expected] : wrong)
    EXPECT_EQ(parse_entry(line, rules, entry), expected) << line;
  rules.whole_values = rules.lower_triangle = true;
  EXPECT_EQ(parse_entry("3 3 -7", rules, entry), "");
  EXPECT_EQ(entry.value, -7);
  EXPECT_EQ(parse_entry("3 3 7.5", rules, entry), "a value that is a whole number, as line 1 says");
  EXPECT_EQ(parse_entry("3 4 7", rules, entry),
            "a column up to the row: a symmetric matrix has its lower triangle here");
}

MatrixRows rows_of(std::vector<std::vector<MatrixEntry>> entries, std::int64_t base = 0) {
  return {10,
          12,
          std::move(entries),
          base,
          [](std::int64_t) { return std::string("m"); },
          [](std::int64_t place) { return fmt::format("m, line {}", place); }};
}

TEST(MatrixText, RowsOfEntriesInAnyOrderAndInPieces) {
  const MatrixRows rows = rows_of(
      {{{11, 11, 4, 1}, {10, 12, -1, 2}}, {}, {{10, 3, -2, 3}, {10, 10, 5, 4}, {11, 0, 0, 5}}});
  EXPECT_EQ(rows.first(), 10);
  EXPECT_EQ(rows.end(), 12);
  const auto listed = [&](std::int64_t i) {
    std::string text;
    const MatrixRows::Row row = rows.row(i);
    for (std::int64_t at = 0; at < row.count; ++at)
      text += fmt::format("{}:{} ", row.columns[at], row.values[at]);
    return text;
  };
  EXPECT_EQ(listed(10), "3:-2 10:5 12:-1 ");
  EXPECT_EQ(listed(11), "0:0 11:4 ");
  const MatrixRows none(5, 5, {}, 0, {}, {});
  EXPECT_EQ(none.first(), none.end());
}

TEST(MatrixText, RowsThatMultigridCannotUseAreNamed) {
  const MatrixEntry first{10, 10, 5, 1}, second{11, 11, 4, 2};
  const auto said = [](std::vector<std::vector<MatrixEntry>> entries, std::int64_t base) {
    return refusal([&] { (void)rows_of(std::move(entries), base); });
  };
  EXPECT_EQ(said({{first, second}}, 0), "none");
  EXPECT_EQ(said({{first}}, 0), "m: found no entry of row 11, expected a diagonal that is not 0");
  EXPECT_EQ(said({{first, {11, 10, 1, 2}}}, 1),
            "m: found no diagonal of row 12, expected a diagonal that is not 0");
  EXPECT_EQ(said({{{10, 10, 0, 7}, second}}, 0),
            "m, line 7: found 0 on the diagonal of row 10, expected another value");
  EXPECT_EQ(said({{first, second, {11, 3, 1, 9}}, {{11, 3, 1, 4}}}, 1),
            "m, line 9: found row 12, column 4 a second time, expected each entry once (the first: "
            "m, line 4)");
}

}  // namespace
}  // namespace bellwether
