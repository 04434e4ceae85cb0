// SPDX-License-Identifier: MIT
#include "kernels/airfoil/airfoil_checks.hpp"

#include "kernels/airfoil/airfoil_arrays_test.hpp"

namespace bellwether {
namespace {

class AirfoilChecksTest : public BackendTest {
 protected:
  template <class T>
  AirfoilSums sums_of(ElementRange cells, const std::vector<T>& values,
                      const std::vector<T>* weights = nullptr) {
    const auto kernels = make_kernels<AirfoilKernels<T>>(device());
    const Buffer<T> on_device = backend().upload(values);
    if (weights == nullptr) return kernels->sums(cells, on_device.data(), nullptr, stream());
    const Buffer<T> factors = backend().upload(*weights);
    return kernels->sums(cells, on_device.data(), factors.data(), stream());
  }
  template <class T>
  std::uint64_t fingerprint_of(ElementRange cells, const std::vector<T>& values,
                               const std::vector<std::int64_t>& global) {
    const Buffer<T> on_device = backend().upload(values);
    const Buffer<std::int64_t> numbers = backend().upload(global);
    return make_kernels<AirfoilKernels<T>>(device())->fingerprint(cells, on_device.data(),
                                                                  numbers.data(), stream());
  }
  /// Some, a part exactly, a little more, and several parts.
  static constexpr std::int32_t counts[] = {1, 7, airfoil_sum_part, airfoil_sum_part + 1, 5000};
};
INSTANTIATE_TEST_SUITE_P(Backends, AirfoilChecksTest, every_backend(), backend_in_name);

TEST_P(AirfoilChecksTest, SumsAreThoseOfALoop) {
  each_precision([&]<class T>(T) {
    Random random(1);
    for (const std::int32_t count : counts) {
      const ElementRange cells{random.below(count), count};
      const auto values = random.values<T>(4 * static_cast<std::size_t>(count));
      const auto weights = random.values<T>(static_cast<std::size_t>(count));
      for (const bool weighted : {false, true}) {
        const AirfoilSums sums = sums_of(cells, values, weighted ? &weights : nullptr);
        for (std::size_t k = 0; k < 4; ++k) {
          double total = 0, magnitude = 0;
          for (auto cell = static_cast<std::size_t>(cells.begin); cell < weights.size(); ++cell) {
            const double term = (weighted ? static_cast<double>(weights[cell]) : 1.0) *
                                static_cast<double>(values[4 * cell + k]);
            total += term;
            magnitude += std::abs(term);
          }
          const double bound = count * std::numeric_limits<double>::epsilon() * magnitude;
          EXPECT_NEAR(sums.total[k], total, bound);
          EXPECT_NEAR(sums.magnitude[k], magnitude, bound);
        }
        EXPECT_EQ(sums.not_finite, 0);
      }
    }
    const AirfoilSums none = sums_of({3, 3}, random.values<T>(16));
    EXPECT_EQ(none.magnitude[0], 0);
  });
}

TEST_P(AirfoilChecksTest, SumIsThatOfALoopAndTheSameAgain) {
  each_precision([&]<class T>(T) {
    Random random(2);
    const auto kernels = make_kernels<AirfoilKernels<T>>(device());
    for (const std::int32_t count : counts) {
      const ElementRange cells{random.below(count), count};
      const auto values = random.values<T>(static_cast<std::size_t>(count));
      double total = 0, magnitude = 0;
      for (auto cell = static_cast<std::size_t>(cells.begin); cell < values.size(); ++cell) {
        total += static_cast<double>(values[cell]);
        magnitude += std::abs(static_cast<double>(values[cell]));
      }
      const Buffer<T> on_device = backend().upload(values);
      const double sum = kernels->sum(cells, on_device.data(), stream());
      EXPECT_NEAR(sum, total, count * std::numeric_limits<double>::epsilon() * magnitude);
      EXPECT_EQ(kernels->sum(cells, on_device.data(), stream()), sum);
      EXPECT_EQ(kernels->sum({2, 2}, on_device.data(), stream()), 0);
    }
  });
}

TEST_P(AirfoilChecksTest, ValuesThatAreNotFiniteAreCounted) {
  each_precision([&]<class T>(T) {
    Random random(3);
    auto values = random.values<T>(4 * 5000);
    values[4 * 4321 + 2] = std::numeric_limits<T>::quiet_NaN();
    values[4 * 1234 + 3] = std::numeric_limits<T>::infinity();
    values[4 * 1234] = -std::numeric_limits<T>::infinity();
    EXPECT_EQ(sums_of({0, 5000}, values).not_finite, 2);
    EXPECT_EQ(sums_of({1235, 5000}, values).not_finite, 1);
    EXPECT_EQ(sums_of({0, 1234}, values).not_finite, 0);
  });
}

TEST_P(AirfoilChecksTest, FingerprintIsTheSameHoweverCellsAreNumberedAndDivided) {
  each_precision([&]<class T>(T) {
    Random random(4);
    constexpr std::int32_t count = 777;
    const auto order = shuffled_numbers(count, random);
    const auto values = random.values<T>(4 * count);
    std::vector<T> moved(values.size());
    std::vector<std::int64_t> in_order(count), global(count);
    for (std::size_t n = 0; n < count; ++n) {
      in_order[n] = static_cast<std::int64_t>(n) + (std::int64_t{1} << 40);
      const auto from = static_cast<std::size_t>(order[n]);
      global[n] = order[n] + (std::int64_t{1} << 40);
      for (std::size_t k = 0; k < 4; ++k) moved[4 * n + k] = values[4 * from + k];
    }
    const std::uint64_t whole = fingerprint_of({0, count}, values, in_order);
    EXPECT_EQ(fingerprint_of({0, count}, moved, global), whole);
    EXPECT_EQ(fingerprint_of({0, 300}, moved, global) + fingerprint_of({300, count}, moved, global),
              whole);
    EXPECT_NE(fingerprint_of({0, count}, moved, in_order), whole);
    std::swap(moved[4], moved[5]);
    EXPECT_NE(fingerprint_of({0, count}, moved, global), whole);
  });
}

}  // namespace
}  // namespace bellwether
