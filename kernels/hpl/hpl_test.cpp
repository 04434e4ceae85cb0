// SPDX-License-Identifier: MIT
#include "kernels/hpl/hpl.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/dense/host_blas.hpp"
#include "kernels/launch/backend_test.hpp"

namespace bellwether {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::size_t as_size(long count) { return static_cast<std::size_t>(count); }

/// Rows of doubles (or columns) with what lies between and behind them, which no kernel may touch.
struct Lines {
  Lines(Random& random, long count, long length, long ld)
      : values(random.values<double>(as_size(count * ld + 3))),
        count_(count),
        length_(length),
        ld_(ld) {}
  [[nodiscard]] double& at(long line, long n) { return values[as_size(line * ld_ + n)]; }
  [[nodiscard]] double at(long line, long n) const { return values[as_size(line * ld_ + n)]; }
  template <class Change>
  void each(const Change& change) {
    for (long line = 0; line < count_; ++line)
      for (long n = 0; n < length_; ++n) change(line, n, at(line, n));
  }
  std::vector<double> values;

 private:
  long count_, length_, ld_;
};

/// Whether a result is the expected one within `bound(line, n)`, and to the bit in the gaps.
template <class Bound>
testing::AssertionResult close(const std::vector<double>& found, Lines expected,
                               const Bound& bound) {
  Lines result = expected;
  result.values = found;
  testing::AssertionResult told = testing::AssertionSuccess();
  expected.each([&](long line, long n, double& value) {
    const double error = std::abs(result.at(line, n) - value);
    if (!(error <= bound(line, n)) && told)
      told = testing::AssertionFailure() << line << ' ' << n << ": " << result.at(line, n)
                                         << ", not " << value << " within " << bound(line, n);
    value = result.at(line, n);
  });
  return told ? same_bits(found, expected.values) : told;
}

class HplTest : public BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    kernels_ = make_kernels<HplKernels>(device());
    if (!device().is_host() && device().backend() == "kokkos") {  // CBLAS knows host memory only
      EXPECT_THROW(kernels_->prepare(stream()), std::runtime_error);
      GTEST_SKIP() << "no matrix products in device memory";
    }
    kernels_->prepare(stream());
    use_blas_threads(1);
  }
  void TearDown() override { kernels_.reset(); }
  [[nodiscard]] HplKernels& kernels() { return *kernels_; }
  [[nodiscard]] Random& random() { return random_; }

 private:
  std::unique_ptr<HplKernels> kernels_;
  Random random_{17};
};
INSTANTIATE_TEST_SUITE_P(Backends, HplTest, every_backend(), backend_in_name);

/// Parts of matrices: of one process and of several, blocks of which the last is not whole, none.
std::vector<HplPart> parts() {
  const auto part = [](long rows, long columns, long block, int p, int row, int q, int column) {
    HplPart made{.rows = {block, p, row}, .columns = {block, q, column}};
    made.row_count = made.rows.count(rows);
    made.column_count = made.columns.count(columns);
    return made;
  };
  return {part(1, 1, 1, 1, 0, 1, 0),     part(37, 38, 8, 1, 0, 1, 0),
          part(37, 38, 8, 2, 1, 3, 2),   part(100, 1101, 7, 3, 0, 1, 0),
          part(9, 2600, 64, 1, 0, 1, 0), part(5, 6, 8, 2, 1, 1, 0),
          part(6, 5, 8, 1, 0, 2, 1)};
}

TEST(HplMatrix, IndicesAreDealtOutBlockByBlock) {
  for (const long block : {1, 3, 8}) {
    for (const int processes : {1, 2, 5}) {
      std::vector<std::vector<long>> has(as_size(processes));
      for (long n = 0; n < 70; ++n) {
        for (int mine = 0; mine < processes; ++mine) {
          const DealtOut dealt{block, processes, mine};
          ASSERT_EQ(dealt.count(n), static_cast<long>(has[as_size(mine)].size()))
              << n << " in blocks of " << block;
        }
        const auto owner = as_size(n / block % processes);
        const DealtOut dealt{block, processes, static_cast<int>(owner)};
        ASSERT_EQ(dealt.global(static_cast<long>(has[owner].size())), n);
        has[owner].push_back(n);
      }
    }
  }
}

TEST(HplMatrix, ElementsLieEvenlyAroundZero) {
  double sum = 0, squares = 0, neighbours = 0, before = 0;
  constexpr int size = 300;
  for (std::uint64_t row = 0; row < size; ++row) {
    for (std::uint64_t column = 0; column < size; ++column) {
      const double element = hpl_element(row, column);
      ASSERT_TRUE(element >= -0.5 && element < 0.5) << row << ' ' << column;
      sum += element;
      squares += element * element;
      neighbours += element * before;
      before = element;
    }
  }
  // Within five standard deviations of means over as many independent, even numbers.
  constexpr double count = size * size;
  EXPECT_NEAR(sum / count, 0, 5 * std::sqrt(1 / 12.0 / count));
  EXPECT_NEAR(squares / count, 1 / 12.0, 5 * std::sqrt(1 / 180.0 / count));
  EXPECT_NEAR(neighbours / count, 0, 5 / 12.0 / std::sqrt(count));
  EXPECT_NE(hpl_element(1, 2), hpl_element(2, 1));
}

TEST_P(HplTest, NamesItsLibrary) { EXPECT_FALSE(kernels().library().empty()); }

TEST_P(HplTest, FillMakesThePartsElements) {
  for (const HplPart& part : parts()) {
    Lines expected(random(), part.row_count, part.column_count, part.column_count + 5);
    const Buffer<double> a = backend().upload(expected.values);
    kernels().fill(a.data(), part.column_count + 5, part, stream());
    expected.each([&](long i, long j, double& value) {
      value = hpl_element(static_cast<std::uint64_t>(part.rows.global(i)),
                          static_cast<std::uint64_t>(part.columns.global(j)));
    });
    EXPECT_TRUE(same_bits(backend().download(a), expected.values));
  }
}

TEST_P(HplTest, PanelsAreTurned) {
  for (const long rows : {0, 1, 2, 31, 33, 200}) {
    for (const long columns : {0, 1, 8, 33, 64, 100}) {
      for (const long gap : {0, 3}) {
        const long ld = columns + gap + 1, ldl = rows + gap + 2;
        const Lines a(random(), rows, columns, ld);
        Lines l(random(), columns, rows, ldl);
        const Buffer<double> on_a = backend().upload(a.values), on_l = backend().upload(l.values);
        kernels().take_panel(on_l.data(), ldl, on_a.data(), ld, rows, columns, stream());
        l.each([&](long j, long i, double& value) { value = a.at(i, j); });
        EXPECT_TRUE(same_bits(backend().download(on_l), l.values)) << rows << " x " << columns;

        Lines back(random(), rows, columns, ld);
        const Buffer<double> on_back = backend().upload(back.values);
        kernels().put_panel(on_back.data(), ld, on_l.data(), ldl, rows, columns, stream());
        back.each([&](long i, long j, double& value) { value = a.at(i, j); });
        EXPECT_TRUE(same_bits(backend().download(on_back), back.values))
            << rows << " x " << columns;
      }
    }
  }
}

TEST_P(HplTest, RowsAreCopiedByListOrInOrder) {
  for (const long count : {0, 1, 7, 40}) {
    for (const long columns : {0, 1, 2, 63, 500, 2051}) {
      for (const int lists : {0, 1, 2, 3}) {
        for (const long shift : {0, 1}) {  // the second: rows aligned to no pair of doubles
          const long ld = columns + 2 + columns % 2 + shift, ld_from = ld + 4;
          // `to`: every other one of twice as many rows, from the last; `from`: with repetitions.
          std::vector<int> to_list(as_size(count)), from_list(as_size(count));
          for (long n = 0; n < count; ++n) {
            to_list[as_size(n)] = static_cast<int>(2 * (count - n) - 1);
            from_list[as_size(n)] = random().below(static_cast<int>(2 * count));
          }
          Lines to(random(), 2 * count, columns, ld);
          const Lines from(random(), 2 * count, columns, ld_from);
          const Buffer<double> on_to = backend().upload(to.values),
                               on_from = backend().upload(from.values);
          const Buffer<int> on_to_list = backend().upload(to_list),
                            on_from_list = backend().upload(from_list);
          kernels().copy_rows(
              {on_to.data() + shift, ld, (lists & 1) != 0 ? on_to_list.data() : nullptr},
              {on_from.data() + shift, ld_from, (lists & 2) != 0 ? on_from_list.data() : nullptr},
              count, columns, stream());
          for (long n = 0; n < count; ++n) {
            const long row = (lists & 1) != 0 ? to_list[as_size(n)] : n;
            const long source = (lists & 2) != 0 ? from_list[as_size(n)] : n;
            for (long j = 0; j < columns; ++j) to.at(row, j + shift) = from.at(source, j + shift);
          }
          EXPECT_TRUE(same_bits(backend().download(on_to), to.values))
              << count << " x " << columns << ", lists " << lists << ", shift " << shift;
        }
      }
    }
  }
}

/// Some rows of a matrix go to others of the same one, as a panel's interchanges do.
TEST_P(HplTest, RowsAreCopiedWithinAMatrix) {
  constexpr long columns = 300, ld = 302;
  Lines a(random(), 50, columns, ld);
  const std::vector<int> to_list{3, 49, 0}, from_list{7, 12, 48};
  const Buffer<double> on_a = backend().upload(a.values);
  const Buffer<int> on_to = backend().upload(to_list), on_from = backend().upload(from_list);
  kernels().copy_rows({on_a.data(), ld, on_to.data()}, {on_a.data(), ld, on_from.data()}, 3,
                      columns, stream());
  for (std::size_t n = 0; n < 3; ++n)
    for (long j = 0; j < columns; ++j) a.at(to_list[n], j) = a.at(from_list[n], j);
  EXPECT_TRUE(same_bits(backend().download(on_a), a.values));
}

TEST_P(HplTest, TheTriangleIsMultiplied) {
  for (const long size : {0, 1, 2, 8, 31, 33, 64, 100, 257}) {
    for (const long columns : {0, 1, 5, 64, 130}) {
      const long ldu = columns + 3, ldw = columns + 6;
      Lines x(random(), size, size, size);  // a line is a column
      x.each([](long j, long i, double& value) { value = i < j ? 0 : value; });
      const Lines w(random(), size, columns, ldw);
      Lines u(random(), size, columns, ldu);
      u.each([](long, long, double& value) { value = nan; });
      const Buffer<double> on_x = backend().upload(x.values), on_w = backend().upload(w.values),
                           on_u = backend().upload(u.values);
      kernels().multiply_triangle(on_u.data(), ldu, on_x.data(), size, on_w.data(), ldw, columns,
                                  stream());
      u.each([&](long i, long n, double& value) {
        long double sum = 0;
        for (long j = 0; j <= i; ++j) sum += static_cast<long double>(x.at(j, i)) * w.at(j, n);
        value = static_cast<double>(sum);
      });
      // Factors are below 1 in size.
      const auto rows = static_cast<double>(size + 1);
      EXPECT_TRUE(
          close(backend().download(on_u), u, [&](long, long) { return epsilon * rows * rows; }))
          << size << " x " << columns;
    }
  }
}

TEST_P(HplTest, TheTriangleIsSolved) {
  for (const long size : {0, 1, 2, 31, 64, 100, 257}) {
    for (const long columns : {0, 1, 5, 64, 130}) {
      const long ldu = columns + 3, ldl = size + 9;
      Lines l(random(), size, size, ldl);  // a line is a column
      // Small multipliers keep the solution as large as the right-hand side. What is not below the
      // diagonal belongs to another matrix.
      l.each([&](long j, long i, double& value) {
        value = i > j ? value / static_cast<double>(size) : nan;
      });
      Lines u(random(), size, columns, ldu);
      const Buffer<double> on_l = backend().upload(l.values), on_u = backend().upload(u.values);
      kernels().solve_triangle(on_u.data(), ldu, on_l.data(), ldl, size, columns, stream());
      for (long n = 0; n < columns; ++n) {
        std::vector<long double> x(as_size(size));
        for (long i = 0; i < size; ++i) {
          x[as_size(i)] = u.at(i, n);
          for (long j = 0; j < i; ++j) x[as_size(i)] -= x[as_size(j)] * l.at(j, i);
          u.at(i, n) = static_cast<double>(x[as_size(i)]);
        }
      }
      // |L| and |L^-1| are below e, in any norm that counts here; u is below e.
      const double bound = 32 * epsilon * static_cast<double>(size + 1);
      EXPECT_TRUE(close(backend().download(on_u), u, [&](long, long) { return bound; }))
          << size << " x " << columns;
    }
  }
}

TEST_P(HplTest, AProductIsSubtracted) {
  for (const long rows : {0, 1, 3, 65}) {
    for (const long columns : {0, 1, 2, 97}) {
      for (const long inner : {0, 1, 8, 33}) {
        const long ldc = columns + 1, ldl = rows + 7, ldu = columns + 4;
        Lines c(random(), rows, columns, ldc);
        const Lines l(random(), inner, rows, ldl), u(random(), inner, columns, ldu);
        const Buffer<double> on_c = backend().upload(c.values), on_l = backend().upload(l.values),
                             on_u = backend().upload(u.values);
        kernels().subtract_product(on_c.data(), ldc, on_l.data(), ldl, on_u.data(), ldu, rows,
                                   columns, inner, stream());
        c.each([&](long i, long j, double& value) {
          long double sum = value;
          for (long k = 0; k < inner; ++k) sum -= static_cast<long double>(l.at(k, i)) * u.at(k, j);
          value = static_cast<double>(sum);
        });
        const auto terms = static_cast<double>(inner + 1);
        EXPECT_TRUE(close(backend().download(on_c), c,
                          [&](long, long) { return inner == 0 ? 0 : epsilon * terms * terms; }))
            << rows << " x " << columns << " x " << inner;
      }
    }
  }
}

TEST_P(HplTest, AMatrixTimesAVectorIsSubtracted) {
  for (const long rows : {0, 1, 2, 33, 300}) {
    for (const long columns : {0, 1, 5, 64}) {
      const long ld = columns + 9;
      const Lines a(random(), rows, columns, ld), x(random(), 1, columns, columns);
      Lines y(random(), 1, rows, rows);
      const Buffer<double> on_a = backend().upload(a.values), on_x = backend().upload(x.values),
                           on_y = backend().upload(y.values);
      kernels().subtract_from(on_y.data(), on_a.data(), ld, on_x.data(), rows, columns, stream());
      y.each([&](long, long i, double& value) {
        long double sum = value;
        for (long j = 0; j < columns; ++j) sum -= static_cast<long double>(a.at(i, j)) * x.at(0, j);
        value = static_cast<double>(sum);
      });
      const auto terms = static_cast<double>(columns + 1);
      EXPECT_TRUE(close(backend().download(on_y), y,
                        [&](long, long) { return columns == 0 ? 0 : epsilon * terms * terms; }))
          << rows << " x " << columns;
    }
  }
}

TEST_P(HplTest, TheUpperTriangleIsSolved) {
  for (const long size : {0, 1, 2, 31, 64, 100, 257}) {
    const long ld = size + 9;
    Lines a(random(), size, size, ld);
    // Rows whose diagonal is twice what stands beside it; below stand the multipliers.
    a.each([&](long i, long j, double& value) {
      value = i > j ? nan : i < j ? value / static_cast<double>(2 * size) : 1 + value / 4;
    });
    Lines x(random(), 1, size, size);
    const Buffer<double> on_a = backend().upload(a.values), on_x = backend().upload(x.values);
    kernels().solve_upper(on_x.data(), on_a.data(), ld, size, stream());
    std::vector<long double> solved(as_size(size));
    for (long i = size - 1; i >= 0; --i) {
      long double sum = x.at(0, i);
      for (long j = i + 1; j < size; ++j) sum -= solved[as_size(j)] * a.at(i, j);
      solved[as_size(i)] = sum / a.at(i, i);
      x.at(0, i) = static_cast<double>(solved[as_size(i)]);
    }
    const double bound = 32 * epsilon * static_cast<double>(size + 1);
    EXPECT_TRUE(close(backend().download(on_x), x, [&](long, long) { return bound; })) << size;
  }
}

TEST_P(HplTest, RowSumsAreThoseOfTheFilledPart) {
  for (const HplPart& part : parts()) {
    const Lines x(random(), 1, part.column_count, part.column_count);
    Lines product(random(), 1, part.row_count, part.row_count);
    Lines sizes(random(), 1, part.row_count, part.row_count);
    const Buffer<double> on_x = backend().upload(x.values),
                         on_product = backend().upload(product.values),
                         on_sizes = backend().upload(sizes.values);
    kernels().row_sums(on_product.data(), on_sizes.data(), on_x.data(), part, stream());
    const auto sum = [&](long i, auto term) {
      long double total = 0;
      for (long j = 0; j < part.column_count; ++j)
        total += term(static_cast<long double>(
                          hpl_element(static_cast<std::uint64_t>(part.rows.global(i)),
                                      static_cast<std::uint64_t>(part.columns.global(j)))),
                      j);
      return static_cast<double>(total);
    };
    product.each([&](long, long i, double& value) {
      value = sum(i, [&](long double element, long j) { return element * x.at(0, j); });
    });
    sizes.each([&](long, long i, double& value) {
      value = sum(i, [](long double element, long) { return std::abs(element); });
    });
    const auto terms = static_cast<double>(part.column_count + 1);
    const auto bound = [&](long, long) { return epsilon * terms * terms; };
    const auto found = backend().download(on_product);
    EXPECT_TRUE(close(found, product, bound));
    EXPECT_TRUE(close(backend().download(on_sizes), sizes, bound));
    // The same bits in every run.
    kernels().row_sums(on_product.data(), on_sizes.data(), on_x.data(), part, stream());
    EXPECT_TRUE(same_bits(backend().download(on_product), found));
  }
}

}  // namespace
}  // namespace bellwether
