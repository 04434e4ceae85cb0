// SPDX-License-Identifier: MIT
// Files written by rank 0 and read by all: what each rank has, and what all are told of bad ones.
#include "miniapps/amg/matrices/matrix_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "miniapps/comm/session/test_session.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr long long most_rows = 2147483647;

/// What is not 0, by row and column.
using Matrix = std::map<std::pair<long long, long long>, double>;

Matrix scattered(long long rows) {
  Matrix matrix;
  for (long long i = 0; i < rows; ++i) {
    matrix[{i, i}] = 4 + 0.1 * static_cast<double>(i);
    for (const long long j : {(7 * i + 3) % rows, (i + rows / 2) % rows, i * i % rows})
      if (j != i) matrix[{i, j}] = -1 / (1 + static_cast<double>(i + 2 * j));
  }
  return matrix;
}

class MatrixFileTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fmt::format("{}amg_matrix_{}_{}", testing::TempDir(), session().size(), test);
    if (session().rank() == 0) {
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directory(folder_);
    }
    MPI_Barrier(session().world());
  }
  void TearDown() override {
    MPI_Barrier(session().world());
    if (session().rank() == 0) std::filesystem::remove_all(folder_);
  }

  static const Session& session() { return test_session(); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    if (session().rank() == 0) std::ofstream(path(name), std::ios::binary) << text;
    MPI_Barrier(session().world());
  }
  [[nodiscard]] std::unique_ptr<AmgRows> read(const std::string& name,
                                              long long most = most_rows) const {
    Heartbeat heartbeat;
    return read_matrix(session(), path(name), most, &heartbeat);
  }

  /// Each rank's rows are the matrix', and follow those of the ranks before.
  void expect(const AmgRows& rows, const Matrix& matrix, long long in_all) const {
    EXPECT_EQ(rows.rows(), in_all);
    std::vector<long long> begins(session().size()), ends(session().size());
    const long long begin = rows.begin(), end = rows.end();
    MPI_Allgather(&begin, 1, MPI_LONG_LONG, begins.data(), 1, MPI_LONG_LONG, session().world());
    MPI_Allgather(&end, 1, MPI_LONG_LONG, ends.data(), 1, MPI_LONG_LONG, session().world());
    EXPECT_EQ(begins.front(), 0);
    EXPECT_EQ(ends.back(), in_all);
    for (int rank = 1; rank < session().size(); ++rank) EXPECT_EQ(begins[rank], ends[rank - 1]);
    AmgStretch one{{99}, {99}, {99}};
    Matrix found, expected;
    for (long long i = begin; i < end; ++i) {
      rows.stretch(i, i + 1, one);
      ASSERT_EQ(one.counts, (std::vector{static_cast<int>(one.columns.size())}));
      ASSERT_EQ(one.columns.size(), one.values.size());
      for (std::size_t at = 0; at < one.columns.size(); ++at)
        found[{i, one.columns[at]}] = one.values[at];
    }
    for (const auto& [place, value] : matrix)
      if (place.first >= begin && place.first < end) expected[place] = value;
    EXPECT_EQ(found, expected);
  }

  /// What every rank is told; the folder's name is left out.
  [[nodiscard]] std::string refusal(const std::string& name, long long most = most_rows) const {
    std::string said = "none";
    try {
      (void)read(name, most);
    } catch (const BadInput& error) {
      said = error.what();
    }
    std::string first = said;
    first.resize(1000);
    MPI_Bcast(first.data(), 1000, MPI_CHAR, 0, session().world());
    EXPECT_EQ(first.c_str(), said);
    const std::string prefix = folder_ + "/";
    for (std::size_t at; (at = said.find(prefix)) != said.npos;) said.erase(at, prefix.size());
    return said;
  }

 private:
  std::string folder_;
};

std::string market(const Matrix& matrix, long long rows, bool symmetric = false,
                   const std::string& comments = "% by a test\n") {
  std::string text =
      fmt::format("%%MatrixMarket matrix coordinate real {}\n{}{} {} {}\n",
                  symmetric ? "symmetric" : "general", comments, rows, rows, matrix.size());
  // Column by column, as many writers do.
  std::map<std::pair<long long, long long>, double> by_column;
  for (const auto& [place, value] : matrix) by_column[{place.second, place.first}] = value;
  for (const auto& [place, value] : by_column)
    text += fmt::format("{} {} {:.17g}\n", place.second + 1, place.first + 1, value);
  return text;
}

/// One of hypre's files: rows from `first` up to and without `end`.
std::string ij(const Matrix& matrix, long long first, long long end) {
  std::string text = fmt::format("{} {} {} {}\n", first, end - 1, first, end - 1);
  for (const auto& [place, value] : matrix)
    if (place.first >= first && place.first < end)
      text += fmt::format("{} {} {:.17e}\n", place.first, place.second, value);
  return text;
}

TEST_F(MatrixFileTest, MatrixMarket) {
  for (const long long rows : {1, 2, 3, 5, 64, 1001}) {
    const Matrix matrix = scattered(rows);
    write("a.mtx", market(matrix, rows));
    expect(*read("a.mtx"), matrix, rows);
  }
}

// Comments longer than what the ranks' parts are, blank lines, no line end at the file's end.
TEST_F(MatrixFileTest, MatrixMarketInUnusualForms) {
  const Matrix matrix = scattered(9);
  std::string text = market(matrix, 9, false, "%" + std::string(9000, 'c') + "\n\n%\n");
  const std::string unusual = " \r\n \n";
  for (std::size_t at = text.find('\n', text.find("\n9 9") + 1); at != text.npos;
       at = text.find('\n', at + unusual.size()))
    text.replace(at, 1, unusual);
  text.resize(text.find_last_not_of(unusual) + 1);
  text += " \r\n ";
  write("a.mtx", text);
  expect(*read("a.mtx"), matrix, 9);
}

TEST_F(MatrixFileTest, SymmetricMatrixMarket) {
  Matrix matrix, lower;
  for (const auto& [place, value] : scattered(57)) {
    const auto [i, j] = place;
    if (j > i) continue;
    lower[place] = value;
    matrix[{i, j}] = matrix[{j, i}] = value;
  }
  write("a.mtx", market(lower, 57, true));
  expect(*read("a.mtx"), matrix, 57);
}

// Several chunks of a rank, and lines that lie across them.
TEST_F(MatrixFileTest, ManyLines) {
  constexpr long long rows = 90'000;
  Matrix matrix;
  for (long long i = 0; i < rows; ++i) {
    matrix[{i, i}] = 2.5 + static_cast<double>(i);
    matrix[{i, (i + 40'000) % rows}] = -1. / 3 - static_cast<double>(i);
  }
  write("a.mtx", market(matrix, rows));
  expect(*read("a.mtx"), matrix, rows);
  write("b.00000", ij(matrix, 0, rows));
  expect(*read("b"), matrix, rows);
}

TEST_F(MatrixFileTest, HypresFilesAreReadByAnyNumberOfRanks) {
  const Matrix matrix = scattered(30);
  const std::vector<long long> starts{0, 11, 11, 12, 30};
  for (std::size_t file = 0; file + 1 < starts.size(); ++file)
    write(fmt::format("m.{:05}", file), ij(matrix, starts[file], starts[file + 1]));
  const auto rows = read("m");
  expect(*rows, matrix, 30);
  if (session().size() == 4) {
    EXPECT_EQ(rows->begin(), starts[session().rank()]) << "as the files divide them";
  }
}

TEST_F(MatrixFileTest, FilesThatAreNotThere) {
  EXPECT_EQ(refusal("none.mtx"),
            "--matrix: found no file 'none.mtx' and no 'none.mtx.00000', expected a Matrix Market "
            "file, or hypre's IJ files by the name that stands before .00000");
  EXPECT_EQ(refusal("").find("--matrix: found no file"), 0u);  // a folder
  write("m.00001", ij(scattered(3), 0, 3));
  EXPECT_EQ(refusal("m").find("--matrix: found no file 'm' and no 'm.00000'"), 0u);
  EXPECT_EQ(refusal("m.00001").find("m.00001, line 1: found \"0 2 0 2\", expected a Matrix Market"),
            0u);
}

TEST_F(MatrixFileTest, ABadLineIsNamedWhereverItIs) {
  const Matrix matrix = scattered(40);
  const std::string text = market(matrix, 40);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  for (const long line : {4L, 5L, lines / 2, lines}) {
    std::string bad = text;
    std::size_t at = 0;
    for (long before = 1; before < line; ++before) at = bad.find('\n', at) + 1;
    bad.replace(at, bad.find('\n', at) - at, "1 2 nan");
    write("a.mtx", bad);
    EXPECT_EQ(refusal("a.mtx"),
              fmt::format("a.mtx, line {}: found \"1 2 nan\", expected a value that is a finite "
                          "number of double's normal range",
                          line));
  }
  write("a.mtx", text + std::string(3'000'000, '7'));
  EXPECT_EQ(refusal("a.mtx"),
            fmt::format("a.mtx, line {}: found \"{}…\", expected a line of an entry", lines + 1,
                        std::string(40, '7')));
}

TEST_F(MatrixFileTest, FilesThatAreCutOff) {
  const Matrix matrix = scattered(40);
  const std::string text = market(matrix, 40);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  write("a.mtx", text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  EXPECT_EQ(refusal("a.mtx"),
            fmt::format("a.mtx, line {}: found the end after {} entries, expected {}, as line 3 "
                        "says (a file cut off?)",
                        lines, matrix.size() - 1, matrix.size()));
  write("a.mtx", text + "40 40 1\n");
  EXPECT_EQ(
      refusal("a.mtx"),
      fmt::format("a.mtx, line {}: found the end after {} entries, expected {}, as line 3 says",
                  lines + 2, matrix.size() + 1, matrix.size()));
  write("a.mtx", text.substr(0, text.size() - text.size() / 3));
  EXPECT_EQ(refusal("a.mtx").find("a.mtx, line "), 0u);

  std::string file = ij(matrix, 0, 40);
  write("m.00000", file.substr(0, file.size() - 3));
  EXPECT_NE(refusal("m").find(", expected a line with its end (a file cut off?)"),
            std::string::npos);
  write("m.00000", ij(matrix, 0, 20));
  write("m.00001", ij(matrix, 20, 30));
  EXPECT_NE(refusal("m").find(", expected a column from 0 to 29"), std::string::npos)
      << "the third file is not there";
  write("m.00001", "");
  EXPECT_EQ(refusal("m").find("m.00001, line 1: found \"\", expected the first and last row"), 0u);
  write("m.00001", ij(matrix, 21, 40));
  EXPECT_EQ(refusal("m"),
            "m.00001, line 1: found \"21 39 21 39\", expected rows from 20 on, which follow those "
            "of the files before");
}

TEST_F(MatrixFileTest, RowsThatMultigridCannotUse) {
  const auto changed = [](const std::function<void(Matrix&)>& change) {
    Matrix matrix = scattered(12);
    change(matrix);
    return matrix;
  };
  write("a.mtx", market(changed([](Matrix& matrix) { matrix.erase({7, 7}); }), 12));
  EXPECT_EQ(refusal("a.mtx"),
            "a.mtx: found no diagonal of row 8, expected a diagonal that is not 0");
  write("a.mtx", market(changed([](Matrix& matrix) { matrix[{0, 0}] = 0; }), 12));
  EXPECT_EQ(refusal("a.mtx"),
            "a.mtx, line 4: found 0 on the diagonal of row 1, expected another value");
  write("a.mtx", market(changed([](Matrix& matrix) {
                          std::erase_if(matrix, [](auto& one) { return one.first.first == 11; });
                        }),
                        12));
  EXPECT_EQ(refusal("a.mtx"), "a.mtx: found no entry of row 12, expected a diagonal that is not 0");

  const Matrix matrix = scattered(12);
  write("m.00000", ij(matrix, 0, 6));
  write("m.00001", ij(matrix, 6, 12) + "9 9 1.0\n");
  EXPECT_EQ(refusal("m").find("m.00001, line "), 0u);
  EXPECT_NE(refusal("m").find(": found row 9, column 9 a second time, expected each entry once "
                              "(the first: m.00001, line "),
            std::string::npos);
  write("m.00001", ij(changed([](Matrix& all) { all.erase({6, 6}); }), 6, 12));
  EXPECT_EQ(refusal("m"), "m.00001: found no diagonal of row 6, expected a diagonal that is not 0");
}

TEST_F(MatrixFileTest, MoreRowsThanCanBeNumbered) {
  write("a.mtx", market(scattered(12), 12));
  EXPECT_EQ(refusal("a.mtx", 11).find("a.mtx, line 3: found \"12 12 "), 0u);
  EXPECT_EQ(refusal("a.mtx", 12), "none");
  write("m.00000", ij(scattered(12), 0, 12));
  EXPECT_EQ(refusal("m", 11),
            "m.00000, line 1: found \"0 11 0 11\", expected a last row from -1 to 10");
}

}  // namespace
}  // namespace bellwether
