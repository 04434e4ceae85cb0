// SPDX-License-Identifier: MIT
#include "kernels/dense/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "kernels/launch/backend_test.hpp"
#include "kernels/launch/device.hpp"

namespace bellwether {
namespace {

class DenseTest : public BackendTest {
 protected:
  template <class T>
  std::vector<T> multiply_added(long repeats) {
    const auto kernels = make_kernels<DenseKernels<T>>(device());
    const Buffer<T> out =
        backend().upload(std::vector<T>(kernels->out_size(), std::numeric_limits<T>::quiet_NaN()));
    kernels->multiply_add(repeats, out.data(), stream());
    return backend().download(out);
  }
  /// How many chains one value of the output sums: every chain tends to 1.
  template <class T>
  int chains() {
    const auto limit = static_cast<double>(multiply_added<T>(20000).front());
    EXPECT_NEAR(limit, std::round(limit), 0.01);
    return static_cast<int>(std::round(limit));
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, DenseTest, every_backend(), backend_in_name);

TEST_P(DenseTest, MultiplyAddFollowsTheRecurrence) {
  each_precision([&]<class T>(T) {
    const int count = chains<T>();
    ASSERT_GT(count, 1);
    const double factor = static_cast<double>(T(0.999)), addend = static_cast<double>(T(0.001));
    const auto starts = multiply_added<T>(0);
    for (const T start : starts) {
      const double mean = static_cast<double>(start) / count;
      ASSERT_TRUE(mean > 1.1 && mean < 3) << mean;  // far from the limit, which never changes
    }
    for (const long repeats : {1, 2, 7, 100, 5000}) {
      const auto values = multiply_added<T>(repeats);
      std::map<T, double> expected;  // a sum of chains follows the recurrence of one, `count` times
      for (const T start : starts) {
        if (expected.count(start) != 0) continue;
        auto sum = static_cast<double>(start);
        for (long r = 0; r < repeats; ++r) sum = sum * factor + count * addend;
        expected[start] = sum;
      }
      // A repeat rounds twice at most and shrinks what came before by 0.999: a thousand repeats'
      // roundings are left in the end. The sums of the start and of the end round for each chain.
      const auto roundings = static_cast<double>(2 * (std::min(repeats, 1000L) + count));
      const double bound = roundings * 0.5 * static_cast<double>(std::numeric_limits<T>::epsilon());
      for (std::size_t n = 0; n < values.size(); ++n) {
        ASSERT_TRUE(std::isfinite(values[n]));
        ASSERT_NEAR(static_cast<double>(values[n]), expected[starts[n]],
                    bound * static_cast<double>(starts[n]))
            << n << " after " << repeats;
      }
    }
  });
}

TEST_P(DenseTest, FlopsAreThoseOfTheLoops) {
  each_precision([&]<class T>(T) {
    const auto kernels = make_kernels<DenseKernels<T>>(device());
    for (const long repeats : {0, 1, 3, 1000}) {
      const auto values = static_cast<double>(multiply_added<T>(repeats).size());
      long flops_of_a_value = 0;
      for (int c = 0, count = chains<T>(); c < count; ++c)
        for (long r = 0; r < repeats; ++r) flops_of_a_value += 2;
      EXPECT_EQ(kernels->multiply_add_flops(repeats),
                values * static_cast<double>(flops_of_a_value));
    }
  });
}

TEST_P(DenseTest, GemmEqualsATripleLoop) {
  Random random(1);
  each_precision([&]<class T>(T) {
    const auto kernels = make_kernels<DenseKernels<T>>(device());
    for (const int n : {1, 2, 17, 64}) {
      const auto size = static_cast<std::size_t>(n), count = size * size;
      const auto a = random.values<T>(count), b = random.values<T>(count);
      const auto before = random.values<T>(count + 64);
      const Buffer<T> on_a = backend().upload(a), on_b = backend().upload(b),
                      on_c = backend().upload(before);
      if (!device().is_host() && device().backend() == "kokkos") {  // CBLAS knows host memory only
        EXPECT_THROW(kernels->gemm(n, on_a.data(), on_b.data(), on_c.data(), stream()),
                     std::runtime_error);
        continue;
      }
      kernels->gemm(n, on_a.data(), on_b.data(), on_c.data(), stream());
      auto c = backend().download(on_c);
      for (std::size_t column = 0; column < size; ++column) {
        for (std::size_t row = 0; row < size; ++row) {
          double expected = 0, magnitude = 0;
          for (std::size_t k = 0; k < size; ++k) {
            const double product =
                static_cast<double>(a[row + size * k]) * static_cast<double>(b[k + size * column]);
            expected += product;
            magnitude += std::abs(product);
          }
          // Sums of n products in any order: gamma_n of the magnitudes, twice for f64's own sum.
          const double bound =
              n * static_cast<double>(std::numeric_limits<T>::epsilon()) * magnitude;
          ASSERT_NEAR(static_cast<double>(c[row + size * column]), expected, bound)
              << row << ' ' << column << " of " << n;
          c[row + size * column] = before[row + size * column];
        }
      }
      EXPECT_TRUE(same_bits(c, before)) << "past the end";
    }
  });
}

}  // namespace
}  // namespace bellwether
