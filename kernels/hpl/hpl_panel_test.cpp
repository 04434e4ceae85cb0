// SPDX-License-Identifier: MIT
#include "kernels/hpl/hpl_panel.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace bellwether {
namespace {

/// Column-major, without gaps.
struct Matrix {
  long rows = 0, columns = 0;
  std::vector<double> values;
  Matrix(long m, long n) : rows(m), columns(n), values(static_cast<std::size_t>(m * n)) {}
  double& operator()(long i, long j) { return values[static_cast<std::size_t>(j * rows + i)]; }
  double operator()(long i, long j) const { return values[static_cast<std::size_t>(j * rows + i)]; }
};

Matrix random_matrix(long rows, long columns, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> number(-0.5, 0.5);
  Matrix matrix(rows, columns);
  for (double& value : matrix.values) value = number(engine);
  return matrix;
}

/// Row by row and column by column, as in any textbook. Returns the row that each column took.
std::vector<long> eliminate(Matrix& a) {
  std::vector<long> taken;
  for (long k = 0; k < a.columns; ++k) {
    long pivot = k;
    for (long i = k + 1; i < a.rows; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    taken.push_back(pivot);
    for (long j = 0; j < a.columns; ++j) std::swap(a(k, j), a(pivot, j));
    for (long i = k + 1; i < a.rows; ++i) {
      if (a(k, k) != 0) a(i, k) /= a(k, k);
      for (long j = k + 1; j < a.columns; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return taken;
}

/// Processes that are threads.
class Meeting {
 public:
  explicit Meeting(int processes) : processes_(processes), all_(processes), offers_(processes) {}

  struct Offer {
    double size;
    int row;
    std::vector<double> values;
  };
  PanelPivot choose(int process, double size, int row, double* values, int width) {
    offers_[process] = {size, row, {values, values + width}};
    all_.arrive_and_wait();
    int best = 0;
    // The rows that all have stand first in the matrix; the others in the order of processes here.
    for (int other = 1; other < processes_; ++other) {
      const Offer& one = offers_[other];
      const Offer& least = offers_[best];
      if (one.size > least.size ||
          (one.size == least.size && one.row < width && least.row >= width))
        best = other;
    }
    const PanelPivot chosen{best, offers_[best].row};
    std::copy_n(offers_[best].values.begin(), width, values);
    all_.arrive_and_wait();
    return chosen;
  }

 private:
  int processes_;
  std::barrier<> all_;
  std::vector<Offer> offers_;
};

class ThreadsChoice final : public PivotChoice {
 public:
  ThreadsChoice(Meeting& meeting, int process) : meeting_(meeting), process_(process) {}
  [[nodiscard]] int process() const override { return process_; }
  PanelPivot choose(double size, int row, double* values, int width) override {
    return meeting_.choose(process_, size, row, values, width);
  }

 private:
  Meeting& meeting_;
  int process_;
};

/// A process' panel: the first rows and its part of the others.
struct Part {
  std::vector<double> values;
  long ld = 0, rows = 0;
  std::vector<PanelPivot> pivots;
  int no_pivot = -2;
};

/// The rows beyond the first `width` dealt out in turn.
std::vector<Part> deal_out(const Matrix& a, int processes) {
  std::vector<Part> parts(static_cast<std::size_t>(processes));
  const long width = a.columns;
  for (int p = 0; p < processes; ++p) {
    Part& part = parts[static_cast<std::size_t>(p)];
    std::vector<long> rows;
    for (long i = 0; i < std::min(width, a.rows); ++i) rows.push_back(i);
    for (long i = width + p; i < a.rows; i += processes) rows.push_back(i);
    part.rows = static_cast<long>(rows.size());
    part.ld = (part.rows + 7) / 8 * 8;
    part.values.assign(static_cast<std::size_t>(part.ld * width), -99);
    for (long j = 0; j < width; ++j)
      for (long i = 0; i < part.rows; ++i)
        part.values[static_cast<std::size_t>(j * part.ld + i)] = a(rows[i], j);
    part.pivots.resize(static_cast<std::size_t>(width));
  }
  return parts;
}

void factor(std::vector<Part>& parts, int width, int threads_of_each = 1) {
  const int processes = static_cast<int>(parts.size());
  Meeting meeting(processes);
  std::vector<std::thread> threads;
  for (int p = 0; p < processes; ++p)
    threads.emplace_back([&, p] {
      Part& part = parts[static_cast<std::size_t>(p)];
      ThreadsChoice choice(meeting, p);
      HplPanel panel(width, threads_of_each);
      part.no_pivot = panel.factor(part.values.data(), part.ld, part.rows, width,
                                   part.pivots.data(), processes > 1 ? &choice : nullptr);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(HplPanel, IsAPlainEliminationOnAnyNumberOfProcesses) {
  for (const int processes : {1, 2, 3})
    for (const int width : {1, 2, 7, 8, 9, 16, 23, 64, 130})
      for (const long beyond : {0L, 1L, 3L, 50L, 301L}) {
        const Matrix a = random_matrix(width + beyond, width, 17);
        Matrix expected = a;
        const std::vector<long> taken = eliminate(expected);
        std::vector<Part> parts = deal_out(a, processes);
        factor(parts, width);
        const auto global = [&](const PanelPivot& pivot) {
          return pivot.row < width
                     ? pivot.row
                     : width + static_cast<long>(pivot.row - width) * processes + pivot.process;
        };
        for (int p = 0; p < processes; ++p) {
          const Part& part = parts[static_cast<std::size_t>(p)];
          ASSERT_EQ(part.no_pivot, -1);
          for (int j = 0; j < width; ++j) {
            ASSERT_EQ(global(part.pivots[static_cast<std::size_t>(j)]), taken[j])
                << processes << " processes, width " << width << ", column " << j;
            for (long i = 0; i < part.ld; ++i) {
              const double value = part.values[static_cast<std::size_t>(j * part.ld + i)];
              if (i >= part.rows) {
                ASSERT_EQ(value, -99) << "behind the panel's rows";
                continue;
              }
              const long row = i < width ? i : width + (i - width) * processes + p;
              ASSERT_NEAR(value, expected(row, j), 1e-10) << row << ' ' << j;
            }
          }
        }
      }
}

TEST(HplPanel, AmongEqualsTakesTheFirstRow) {
  Matrix a(40, 3);
  for (long i = 0; i < a.rows; ++i)
    for (long j = 0; j < a.columns; ++j)
      a(i, j) = static_cast<double>(i % 2 == 0 ? 1 + j * i : -1 + j);
  Matrix expected = a;
  const std::vector<long> taken = eliminate(expected);
  std::vector<Part> parts = deal_out(a, 1);
  factor(parts, 3);
  EXPECT_EQ(parts[0].pivots[0].row, taken[0]);
}

/// With 1 thread, and with more: the same bits everywhere, of NaN as well, and the same pivots.
void expect_the_same_with_threads(const Matrix& a, int processes, const std::string& what) {
  const int width = static_cast<int>(a.columns);
  std::vector<Part> alone = deal_out(a, processes);
  factor(alone, width);
  for (const int threads : {2, 3, 5}) {
    std::vector<Part> parts = deal_out(a, processes);
    factor(parts, width, threads);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Part &found = parts[p], &expected = alone[p];
      EXPECT_EQ(found.no_pivot, expected.no_pivot) << what << ", " << threads << " threads";
      for (std::size_t j = 0; j < found.pivots.size(); ++j) {
        ASSERT_EQ(found.pivots[j].process, expected.pivots[j].process) << what << ", column " << j;
        ASSERT_EQ(found.pivots[j].row, expected.pivots[j].row) << what << ", column " << j;
      }
      ASSERT_EQ(std::memcmp(found.values.data(), expected.values.data(),
                            found.values.size() * sizeof(double)),
                0)
          << what << ", " << a.rows << " x " << width << ", " << threads << " threads";
    }
  }
}

TEST(HplPanel, HasTheSameBitsWithAnyNumberOfThreads) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  // Few rows for one thread, for two, and for all of five; the last part with part of a tile.
  for (const long rows : {40L, 4103L, 10300L}) {
    constexpr int width = 20, column = 10;
    const Matrix random = random_matrix(rows, width, 7);
    expect_the_same_with_threads(random, 1, "random");
    Matrix a = random;
    for (double& value : a.values) value = std::round(4 * value);
    expect_the_same_with_threads(a, 1, "ties");
    a = random;
    for (long i = 0; i < rows; ++i) a(i, column) = 0;
    expect_the_same_with_threads(a, 1, "a column of zeros");
    for (long i = rows / 3; i < rows; ++i) a(i, column) = nan;
    expect_the_same_with_threads(a, 1, "not a number from a row on");
    for (long i = 0; i < rows; ++i) a(i, column) = nan;
    expect_the_same_with_threads(a, 1, "nothing but not a number");
  }
  expect_the_same_with_threads(random_matrix(8300, 9, 8), 2, "two processes");
}

TEST(HplPanel, FindsAPivotInEveryThreadsRows) {
  constexpr long rows = 10300;
  HplPanel panel(1, 5);
  for (long largest = 0; largest < rows; largest += 787) {
    std::vector<double> column(rows, 1.);
    column[static_cast<std::size_t>(largest)] = column[rows - 1] = -2;
    PanelPivot pivot;
    EXPECT_EQ(panel.factor(column.data(), rows, rows, 1, &pivot, nullptr), -1);
    EXPECT_EQ(pivot.row, largest);
  }
}

TEST(HplPanel, NamesTheFirstColumnWithoutAPivot) {
  for (const int processes : {1, 2}) {
    Matrix nothing = random_matrix(60, 20, 4);
    for (long i = 0; i < nothing.rows; ++i) nothing(i, 11) = 0;
    std::vector<Part> parts = deal_out(nothing, processes);
    factor(parts, 20);
    for (const Part& part : parts) EXPECT_EQ(part.no_pivot, 11);
    Matrix infinite = random_matrix(60, 20, 4);
    infinite(7, 2) = std::numeric_limits<double>::infinity();
    parts = deal_out(infinite, processes);
    factor(parts, 20);
    for (const Part& part : parts) EXPECT_EQ(part.no_pivot, 2);
  }
}

TEST(HplPanel, InvertsATriangle) {
  for (const int width : {1, 5, 8, 24, 25, 40, 129}) {
    const long ld = width + 3;
    Matrix l = random_matrix(ld, width, 5);
    std::vector<double> x(static_cast<std::size_t>(width) * width, 7);
    HplPanel panel(width);
    const double largest = panel.invert(x.data(), l.values.data(), ld, width);
    double expected_largest = 0;
    for (int j = 0; j < width; ++j)
      for (int i = 0; i < width; ++i) {
        const auto at = [&](int row, int column) {
          return x[static_cast<std::size_t>(column) * width + row];
        };
        expected_largest = std::max(expected_largest, std::abs(at(i, j)));
        if (i < j) {
          ASSERT_EQ(at(i, j), 0);
          continue;
        }
        double product = at(i, j);  // (L x)(i, j), L's diagonal being 1
        for (int k = j; k < i; ++k) product += l(i, k) * at(k, j);
        ASSERT_NEAR(product, i == j ? 1 : 0, 1e-9 * expected_largest) << width;
      }
    EXPECT_EQ(largest, expected_largest);
  }
}

TEST(HplPanel, SaysHowFarAnInverseGrows) {
  constexpr int width = 30;  // -1 below the diagonal: the inverse holds powers of 2
  Matrix l(width, width);
  for (int j = 0; j < width; ++j)
    for (int i = j + 1; i < width; ++i) l(i, j) = -1;
  std::vector<double> x(width * width);
  EXPECT_EQ(HplPanel(width).invert(x.data(), l.values.data(), width, width), std::ldexp(1, 28));
}

}  // namespace
}  // namespace bellwether
