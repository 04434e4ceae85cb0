// SPDX-License-Identifier: MIT
#include "kernels/cholesky/cholesky.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/cholesky/cholesky_body.hpp"
#include "kernels/launch/backend_test.hpp"
#include "kernels/launch/counting_test.hpp"

namespace bellwether {
namespace {

std::size_t as_size(long count) { return static_cast<std::size_t>(count); }

TEST(CholeskyBody, DoesWhatIsCounted) {
  WorkCount count;
  const std::vector<CountingNumber> numbers = CountingNumber::array(2, count);
  (void)updated(numbers[0], numbers[1], CountingNumber(count));
  EXPECT_EQ(count.flops, cholesky_update_flops);
  // The value, which is written again, and l, which stays in the cache.
  EXPECT_EQ(count.distinct_read.size(), 2u);
  EXPECT_EQ(cholesky_update_values, 2);
}

TEST(CholeskyElement, IsSymmetricAndDoesNotRepeat) {
  double sum = 0, squares = 0;
  constexpr long size = 200;
  for (long i = 0; i < size; ++i)
    for (long j = 0; j < i; ++j) {
      const double element = cholesky_element(i, j, 7);
      ASSERT_EQ(element, cholesky_element(j, i, 7));
      ASSERT_TRUE(element >= -0.5 && element < 0.5);
      ASSERT_NE(element, cholesky_element(i + 1, j, 7));
      sum += element;
      squares += element * element;
    }
  constexpr double count = size * (size - 1) / 2.;
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1 / 12., 0.003);
  EXPECT_EQ(cholesky_element(5, 5, 7), 7);
}

/// A process' columns, their places as a plain walk over them finds them, with a line of guard
/// before, behind and between the groups, which no kernel may touch.
template <class T>
struct OwnColumns {
  OwnColumns(long size, long block, int processes, int mine, long group_blocks, Random& random) {
    view.dealt = {block, processes, mine};
    view.size = size;
    view.group = group_blocks * block;
    for (long k = 0; k < size; ++k)
      if (k / block % processes == mine) globals.push_back(k);
    view.count = static_cast<long>(globals.size());
    constexpr long line = 64 / sizeof(T);
    end = (size + line - 1) / line * line;
    long at = line, first_row = 0;
    for (long c = 0; c < view.count; ++c) {
      if (c % view.group == 0) {
        if (c > 0) at += line;
        first_row = globals[as_size(c)] / line * line;
      }
      first_rows.push_back(first_row);
      starts.push_back(at - first_row);
      at += end - first_row;
    }
    values = random.values<T>(as_size(at + line));
  }
  [[nodiscard]] T& at(long row, long column) {
    return values[as_size(starts[as_size(column)] + row)];
  }
  CholeskyColumns<T> view;
  std::vector<long> globals, starts, first_rows;
  std::vector<T> values;
  long end = 0;
};

class CholeskyTest : public BackendTest {
 protected:
  /// Runs `work(kernels, the columns on the device)` and brings the values back.
  template <class T, class Work>
  void on_device(OwnColumns<T>& own, const Work& work) {
    const auto kernels = make_kernels<CholeskyKernels<T>>(device());
    const Buffer<T> values = backend().upload(own.values);
    const Buffer<long> starts = backend().upload(own.starts);
    CholeskyColumns<T> there = own.view;
    there.values = values.data();
    there.starts = starts.data();
    work(*kernels, there);
    device().fence(stream());
    own.values = backend().download(values);
  }
  template <class Check>
  void for_every_part(const Check& check) {
    each_precision([&](auto zero) {
      using T = decltype(zero);
      for (const long size : {1L, 2L, 7L, 16L, 17L, 130L, 900L, 7000L})
        for (const auto& [block, group] : {std::pair{1L, 1L}, {3L, 2L}, {8L, 4L}, {64L, 1L}})
          for (const auto& [processes, mine] : {std::pair{1, 0}, {2, 1}, {3, 0}, {600, 1}}) {
            if (size / processes > 900) continue;  // long columns, but few
            SCOPED_TRACE(testing::Message() << "n " << size << ", block " << block << ", "
                                            << processes << " processes, " << mine);
            OwnColumns<T> own(size, block, processes, mine, group, random_);
            check(own);
          }
    });
  }
  Random random_{29};
};
INSTANTIATE_TEST_SUITE_P(Backends, CholeskyTest, every_backend(), backend_in_name);

TEST_P(CholeskyTest, FillsTheLowerTriangle) {
  for_every_part([&](auto own) {
    using T = typename decltype(own.values)::value_type;
    auto expected = own;
    for (long c = 0; c < own.view.count; ++c) {
      const long k = own.globals[as_size(c)];
      for (long i = own.first_rows[as_size(c)]; i < own.end; ++i)
        expected.at(i, c) =
            i < k || i >= own.view.size ? T(0) : static_cast<T>(cholesky_element(i, k, 30.5));
    }
    on_device(own, [&](auto& kernels, const auto& there) { kernels.fill(there, 30.5, stream()); });
    EXPECT_TRUE(same_bits(own.values, expected.values));
  });
}

TEST_P(CholeskyTest, ScalesAColumn) {
  each_precision([&](auto zero) {
    using T = decltype(zero);
    constexpr long line = 64 / sizeof(T);
    for (const long row : {0L, 1L, line, 2 * line - 1, 3 * line + 2}) {
      const long first = row / line * line, end = first + 700 / line * line;
      std::vector<T> column = random_.values<T>(as_size(end + 5));
      column[as_size(row)] = T(7);
      std::vector<T> expected = column;
      for (long i = first; i < end; ++i)
        expected[as_size(i)] = i < row ? T(0) : column[as_size(i)] / std::sqrt(T(7));
      expected[as_size(row)] = std::sqrt(T(7));
      const Buffer<T> there = backend().upload(column);
      make_kernels<CholeskyKernels<T>>(device())->scale(there.data(), row, end, stream());
      device().fence(stream());
      EXPECT_TRUE(same_bits(backend().download(there), expected)) << "row " << row;
    }
  });
}

// To the bit: a product and a difference, each rounded.
TEST_P(CholeskyTest, SubtractsAColumn) {
  for_every_part([&](auto own) {
    using T = typename decltype(own.values)::value_type;
    if (own.view.group > 1 || own.view.count == 0) return;
    constexpr long line = 64 / sizeof(T);
    for (const auto& [first, end] : {std::pair{0L, own.view.count},
                                     {own.view.count / 2, own.view.count},
                                     {0L, 1L},
                                     {0L, 0L}}) {
      auto result = own, expected = own;
      const long l_row = own.globals[as_size(std::min(first, own.view.count - 1))] / line * line;
      const std::vector<T> l = random_.values<T>(as_size(own.end - l_row));
      for (long c = first; c < end; ++c)
        for (long i = own.first_rows[as_size(c)]; i < own.end; ++i) {
          const T product = l[as_size(i - l_row)] * l[as_size(own.globals[as_size(c)] - l_row)];
          expected.at(i, c) = own.at(i, c) - product;
        }
      const Buffer<T> from = backend().upload(l);
      on_device(result, [&, first = first, end = end](auto& kernels, const auto& there) {
        kernels.subtract_column(there, first, end, from.data(), l_row, stream());
      });
      EXPECT_TRUE(same_bits(result.values, expected.values)) << first << " to " << end;
    }
  });
}

TEST_P(CholeskyTest, TakesTheRowsOfItsColumns) {
  for_every_part([&](auto own) {
    using T = typename decltype(own.values)::value_type;
    const long count = own.view.count, block = own.view.dealt.block, width = 5;
    if (count == 0) return;
    const long first = count > block ? block : 0, taken = count - first, l_row = 0;
    const long ldw = taken + 3, ldl = own.end + 8;
    const std::vector<T> l = random_.values<T>(as_size(ldl * width));
    std::vector<T> expected = random_.values<T>(as_size(ldw * width));
    const Buffer<T> from = backend().upload(l), w = backend().upload(expected);
    for (long c = 0; c < taken; ++c)
      for (long q = 0; q < width; ++q)
        expected[as_size(q * ldw + c)] = l[as_size(q * ldl + own.globals[as_size(first + c)])];
    on_device(own, [&](auto& kernels, const auto& there) {
      kernels.take_rows(w.data(), ldw, there, first, taken, from.data(), ldl, l_row, width,
                        stream());
    });
    EXPECT_TRUE(same_bits(backend().download(w), expected));
  });
}

/// Within the rounding of so many terms of this size, and to the bit in the gaps between columns.
template <class T>
void expect_close(const std::vector<T>& found, std::vector<T> expected, long ld, long rows,
                  double bound) {
  for (long n = 0; n < static_cast<long>(found.size()); ++n) {
    if (n % ld >= rows) continue;
    ASSERT_LE(std::abs(static_cast<double>(found[as_size(n)] - expected[as_size(n)])), bound) << n;
    expected[as_size(n)] = found[as_size(n)];
  }
  EXPECT_TRUE(same_bits(found, expected));
}

TEST_P(CholeskyTest, MultipliesAndSolves) {
  each_precision([&](auto zero) {
    using T = decltype(zero);
    constexpr double epsilon = std::numeric_limits<T>::epsilon();
    const auto kernels = make_kernels<CholeskyKernels<T>>(device());
    if (!device().is_host() && device().backend() == "kokkos") {  // CBLAS knows host memory only
      EXPECT_THROW(kernels->prepare(stream()), std::runtime_error);
      return;
    }
    kernels->prepare(stream());
    kernels->use_threads(1);
    EXPECT_FALSE(kernels->library().empty());
    for (const auto& [rows, columns, inner] :
         {std::array{1L, 1L, 1L}, {50L, 7L, 3L}, {131L, 40L, 64L}, {0L, 3L, 2L}, {3L, 0L, 2L}}) {
      const long ld = rows + 5, ldl = rows + 2, ldw = columns + 1;
      const std::vector<T> c = random_.values<T>(as_size(ld * columns)),
                           l = random_.values<T>(as_size(ldl * inner)),
                           w = random_.values<T>(as_size(ldw * inner));
      std::vector<T> expected = c;
      for (long j = 0; j < columns; ++j)
        for (long i = 0; i < rows; ++i) {
          double sum = static_cast<double>(c[as_size(j * ld + i)]);
          for (long q = 0; q < inner; ++q)
            sum -= static_cast<double>(l[as_size(q * ldl + i)]) *
                   static_cast<double>(w[as_size(q * ldw + j)]);
          expected[as_size(j * ld + i)] = static_cast<T>(sum);
        }
      const Buffer<T> result = backend().upload(c), left = backend().upload(l),
                      right = backend().upload(w);
      kernels->subtract_product(result.data(), ld, left.data(), ldl, right.data(), ldw, rows,
                                columns, inner, stream());
      device().fence(stream());
      expect_close(backend().download(result), expected, ld, rows,
                   2 * epsilon * static_cast<double>(inner + 1));
    }
    for (const auto& [rows, width] :
         {std::pair{1L, 1L}, {37L, 3L}, {90L, 64L}, {41L, 17L}, {60L, 100L}, {0L, 4L}}) {
      const long ldb = rows + 3, ldl = width + 2;
      std::vector<T> l = random_.values<T>(as_size(ldl * width));
      for (long q = 0; q < width; ++q) l[as_size(q * ldl + q)] = T(width + 1);
      const std::vector<T> b = random_.values<T>(as_size(ldb * width));
      std::vector<T> expected = b;
      for (long i = 0; i < rows; ++i)
        for (long q = 0; q < width; ++q) {
          double sum = static_cast<double>(b[as_size(q * ldb + i)]);
          for (long k = 0; k < q; ++k)
            sum -= static_cast<double>(expected[as_size(k * ldb + i)]) *
                   static_cast<double>(l[as_size(k * ldl + q)]);
          expected[as_size(q * ldb + i)] =
              static_cast<T>(sum / static_cast<double>(l[as_size(q * ldl + q)]));
        }
      const Buffer<T> result = backend().upload(b), triangle = backend().upload(l);
      kernels->solve_triangle(result.data(), ldb, triangle.data(), ldl, rows, width, stream());
      device().fence(stream());
      expect_close(backend().download(result), expected, ldb, rows,
                   4 * epsilon * static_cast<double>(width));
    }
  });
}

/// In the lower triangle, to rounding; what stands in the gaps between columns is as it was.
template <class T>
void expect_factor(const std::vector<T>& l, const std::vector<T>& before, long ld, long n,
                   double diagonal) {
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  for (long j = 0; j < n; ++j) {
    for (long i = j; i < n; ++i) {
      double sum = 0;
      for (long k = 0; k <= j; ++k)
        sum += static_cast<double>(l[as_size(k * ld + i)]) *
               static_cast<double>(l[as_size(k * ld + j)]);
      ASSERT_NEAR(sum, static_cast<double>(before[as_size(j * ld + i)]),
                  epsilon * diagonal * static_cast<double>(n + 1))
          << n << ": " << i << ' ' << j;
    }
    for (long i = n; i < ld; ++i) ASSERT_EQ(l[as_size(j * ld + i)], before[as_size(j * ld + i)]);
  }
}

/// Where one is not positive, those before it are as they were and it is no number.
TEST_P(CholeskyTest, FactorsADiagonalBlock) {
  each_precision([&](auto zero) {
    using T = decltype(zero);
    const auto kernels = make_kernels<CholeskyKernels<T>>(device());
    if (!device().is_host() && device().backend() == "kokkos") return;  // has no BLAS
    kernels->prepare(stream());
    kernels->use_threads(1);
    for (const long n : {1L, 17L, 64L, 65L, 150L}) {
      const long ld = n + 3;
      const double diagonal = std::sqrt(static_cast<double>(n)) + 1;
      std::vector<T> before(as_size(ld * n), T(-3));
      for (long j = 0; j < n; ++j)
        for (long i = 0; i < n; ++i)
          before[as_size(j * ld + i)] = static_cast<T>(cholesky_element(i, j, diagonal));
      const auto factored = [&] {
        const Buffer<T> a = backend().upload(before);
        kernels->factor_block(a.data(), ld, n, stream());
        device().fence(stream());
        return backend().download(a);
      };
      const std::vector<T> l = factored();
      expect_factor(l, before, ld, n, diagonal);
      const long bad = n * 2 / 3;
      before[as_size(bad * ld + bad)] = T(-100);
      const std::vector<T> spoilt = factored();
      for (long j = 0; j < bad; ++j)
        ASSERT_EQ(spoilt[as_size(j * ld + j)], l[as_size(j * ld + j)]) << n << ": " << j;
      EXPECT_FALSE(spoilt[as_size(bad * ld + bad)] > 0);
    }
  });
}

TEST(CholeskyBlock, IsFactoredByHalves) {
  each_precision([](auto zero) {
    using T = decltype(zero);
    for (const long n : {1L, 2L, 15L, 16L, 17L, 33L, 64L, 100L, 129L}) {
      const long ld = n + 3;
      std::vector<T> a(as_size(ld * n), T(-3));
      const double diagonal = std::sqrt(static_cast<double>(n)) + 1;
      for (long j = 0; j < n; ++j)
        for (long i = 0; i < n; ++i)
          a[as_size(j * ld + i)] = static_cast<T>(cholesky_element(i, j, diagonal));
      const std::vector<T> before = a;
      factor_diagonal_block(a.data(), ld, n);
      expect_factor(a, before, ld, n, diagonal);
      for (long j = 0; j < n; ++j)
        for (long i = 0; i < j; ++i) ASSERT_EQ(a[as_size(j * ld + i)], T(0));
    }
  });
}

TEST(CholeskyBlock, LeavesTheColumnsBeforeOneThatIsNotPositive) {
  constexpr long n = 70;
  for (const long bad : {0L, 1L, 16L, 40L, 69L}) {
    std::vector<double> a(n * n, 0.), good(n * n, 0.);
    for (long j = 0; j < n; ++j)
      for (long i = 0; i < n; ++i)
        good[as_size(j * n + i)] = a[as_size(j * n + i)] = cholesky_element(i, j, 10);
    a[as_size(bad * n + bad)] = -100;
    factor_diagonal_block(a.data(), n, n);
    factor_diagonal_block(good.data(), n, n);
    for (long j = 0; j < bad; ++j)
      ASSERT_NEAR(a[as_size(j * n + j)], good[as_size(j * n + j)], 1e-12) << j;
    EXPECT_FALSE(a[as_size(bad * n + bad)] > 0);
  }
}

}  // namespace
}  // namespace bellwether
