// SPDX-License-Identifier: MIT
#include "kernels/stream/stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/launch/backend_test.hpp"
#include "kernels/launch/counting_test.hpp"
#include "kernels/launch/device.hpp"
#include "kernels/stream/stream_body.hpp"

namespace bellwether {
namespace {

constexpr std::array all_kernels{StreamKernel::copy, StreamKernel::scale, StreamKernel::add,
                                 StreamKernel::triad};
constexpr std::size_t guard = 64;

class StreamTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, StreamTest, every_backend(), backend_in_name);

/// STREAM's four kernels (McCalpin 1995) in double precision.
double reference(StreamKernel kernel, double a, double b, double scalar) {
  const double results[] = {a, scalar * a, a + b, a + scalar * b};
  return results[static_cast<int>(kernel)];
}
/// A copy does not round, scale and add round once, triad twice or, fused, once; terms are below 4.
double rounding(StreamKernel kernel) {
  const double roundings[] = {0, 1, 1, 2};
  return roundings[static_cast<int>(kernel)];
}

TEST_P(StreamTest, KernelsEqualPlainLoops) {
  Random random(1);
  each_precision([&]<class T>(T) {
    const auto kernels = make_kernels<StreamKernels<T>>(device());
    const T scalar = T(1.7), nothing = std::numeric_limits<T>::quiet_NaN();
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 1000u, 16384u, 70001u}) {
      auto a = random.values<T>(n + guard), b = random.values<T>(n + guard);
      std::fill(a.begin() + static_cast<std::ptrdiff_t>(n), a.end(), nothing);
      std::fill(b.begin() + static_cast<std::ptrdiff_t>(n), b.end(), nothing);
      const auto before = random.values<T>(n + guard);
      const Buffer<T> on_a = backend().upload(a), on_b = backend().upload(b);
      for (const StreamKernel kernel : all_kernels) {
        for (const SweepWay way :
             {SweepWay(Stores::cached), SweepWay(Stores::streaming, Prefetch::rows),
              SweepWay(Stores::streaming, Prefetch::rows_to_l2)}) {
          SCOPED_TRACE(testing::Message() << name_of(kernel) << ' ' << n);
          const Buffer<T> on_c = backend().upload(before);
          kernels->run(kernel, on_a.data(), on_b.data(), on_c.data(), scalar, n, way, stream());
          auto c = backend().download(on_c);
          const double bound =
              rounding(kernel) * 2 * static_cast<double>(std::numeric_limits<T>::epsilon());
          for (std::size_t i = 0; i < n; ++i) {
            ASSERT_NEAR(static_cast<double>(c[i]),
                        reference(kernel, static_cast<double>(a[i]), static_cast<double>(b[i]),
                                  static_cast<double>(scalar)),
                        bound)
                << i;
            c[i] = before[i];
          }
          ASSERT_TRUE(same_bits(c, before)) << "past the end";
        }
      }
    }
  });
}

TEST_P(StreamTest, UpdatesInPlace) {
  Random random(3);
  each_precision([&]<class T>(T) {
    const auto kernels = make_kernels<StreamKernels<T>>(device());
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 1000u, 16384u, 70001u}) {
      for (const auto& [arrays, prefetch] :
           {std::pair{1, Prefetch::rows}, {19, Prefetch::ahead}, {19, Prefetch::near}}) {
        const auto before = random.values<T>(n + guard);
        const Buffer<T> on_a = backend().upload(before);
        kernels->update(on_a.data(), T(-1.7), n, arrays, prefetch, stream());
        auto after = backend().download(on_a);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(after[i], T(-1.7) * before[i]) << i << " of " << n << ", " << arrays;
          after[i] = before[i];
        }
        ASSERT_TRUE(same_bits(after, before)) << "past the end";
      }
    }
  });
}

/// The mean in double precision of every cell of the box and its neighbours that count.
template <class T>
void expect_means(int rereads, const GridLayout& layout, const Box& box, const std::vector<T>& from,
                  const std::vector<T>& before, std::vector<T> after) {
  constexpr int neighbours[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  const double bound =  // sums below 5, then a weight and a product rounded
      (rereads * 5 * 0.5 + 2) * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (int k = box.low[2]; k < box.high[2]; ++k)
    for (int j = box.low[1]; j < box.high[1]; ++j)
      for (int i = box.low[0]; i < box.high[0]; ++i) {
        const auto at = static_cast<std::size_t>(layout.at(i, j, k));
        double sum = static_cast<double>(from[at]);
        for (int n = 0; n < rereads; ++n)
          sum += static_cast<double>(from[static_cast<std::size_t>(
              layout.at(i, j + neighbours[n][0], k + neighbours[n][1]))]);
        ASSERT_NEAR(static_cast<double>(after[at]), sum / (rereads + 1), bound)
            << i << ' ' << j << ' ' << k;
        after[at] = before[at];
      }
  ASSERT_TRUE(same_bits(after, before)) << "outside of the box";
}

TEST_P(StreamTest, NeighboursAreAveraged) {
  Random random(2);
  each_precision([&]<class T>(T) {
    const auto kernels = make_kernels<StreamKernels<T>>(device());
    for (const std::array<int, 3>& cells :
         {std::array<int, 3>{1, 1, 1}, {5, 3, 1}, {17, 13, 11}, {131, 9, 6}}) {
      const GridLayout layout(cells, sizeof(T));
      const auto from = random.values<T>(layout.elements());
      const auto before = random.values<T>(layout.elements());
      const Buffer<T> source = backend().upload(from);
      for (const Box& box :
           {layout.interior(), Box{{cells[0] / 3, cells[1] / 2, cells[2] / 2}, cells}}) {
        for (int rereads = 0; rereads <= 4; ++rereads) {
          for (const SweepWay way : {SweepWay(Stores::cached), SweepWay(Stores::streaming),
                                     SweepWay(Stores::streaming, Prefetch::rows_to_l2),
                                     SweepWay(Stores::streaming, Prefetch::ahead)}) {
            const Buffer<T> target = backend().upload(before);
            kernels->neighbours(rereads, source.data(), target.data(), layout, box, way, stream());
            expect_means(rereads, layout, box, from, before, backend().download(target));
          }
        }
      }
    }
  });
}

TEST_P(StreamTest, NeighboursRefuseAFifth) {
  each_precision([&]<class T>(T) {
    const GridLayout layout({2, 2, 2}, sizeof(T));
    const Buffer<T> from = backend().upload(std::vector<T>(layout.elements(), T(1)));
    const Buffer<T> to = backend().upload(std::vector<T>(layout.elements(), T(2)));
    const auto kernels = make_kernels<StreamKernels<T>>(device());
    for (const int rereads : {-1, 5})
      EXPECT_THROW(kernels->neighbours(rereads, from.data(), to.data(), layout, layout.interior(),
                                       Stores::cached, stream()),
                   std::invalid_argument);
    EXPECT_EQ(backend().download(to), std::vector<T>(layout.elements(), T(2)));
  });
}

TEST_P(StreamTest, FillsWithScatteredValues) {
  TestBackend kokkos("kokkos");
  each_precision([&]<class T>(T) {
    const auto filled = [](TestBackend& on, std::size_t n, unsigned seed) {
      const Buffer<T> buffer = on.upload(std::vector<T>(n + guard, T(-1)));
      make_kernels<StreamKernels<T>>(on.device())->fill(buffer.data(), n, seed, on.stream());
      return on.download(buffer);
    };
    for (const std::size_t n : {1u, 17u, 70001u}) {
      const auto values = filled(backend(), n, 3);
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(values[i] >= 1 && values[i] < 2) << i << ": " << values[i];
        sum += static_cast<double>(values[i]) - 1.5;
        squares += std::pow(static_cast<double>(values[i]) - 1.5, 2);
      }
      for (std::size_t i = n; i < n + guard; ++i) ASSERT_EQ(values[i], T(-1)) << i;
      const auto count = static_cast<double>(n);
      // Mean 1.5 and variance 1/12 of an even distribution, within five standard errors.
      EXPECT_LE(std::abs(sum), 5 * std::sqrt(count / 12));
      if (n > 1000) {
        EXPECT_NEAR(squares / count, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / count));
      }
      EXPECT_TRUE(same_bits(filled(kokkos, n, 3), values));
      EXPECT_FALSE(same_bits(filled(backend(), n, 4), values));
    }
  });
}

template <StreamKernel kernel>
WorkCount work_of() {
  WorkCount count;
  const auto a = CountingNumber::array(1, count), b = CountingNumber::array(1, count);
  (void)StreamRow<kernel, CountingNumber>{a.data(), b.data(), CountingNumber(count)}(0);
  return count;
}

TEST(StreamWorkTest, IsWhatTheBodiesDo) {
  const WorkCount counts[] = {work_of<StreamKernel::copy>(), work_of<StreamKernel::scale>(),
                              work_of<StreamKernel::add>(), work_of<StreamKernel::triad>()};
  constexpr int flops[] = {0, 1, 1, 2};  // STREAM's own table
  for (const StreamKernel kernel : all_kernels) {
    const WorkCount& count = counts[static_cast<int>(kernel)];
    EXPECT_EQ(count.reads + 1, values_moved(kernel)) << name_of(kernel);
    EXPECT_EQ(count.flops, flops[static_cast<int>(kernel)]) << name_of(kernel);
  }
}

template <int rereads>
void expect_neighbour_work() {
  WorkCount count;
  const GridLayout layout({1, 1, 1}, 8);
  const auto field = CountingNumber::array(layout.elements(), count);
  const NeighbourBody<rereads, CountingNumber> body{field.data() + layout.origin(),
                                                    layout.row_pitch(), layout.plane_pitch(),
                                                    CountingNumber(count)};
  (void)body.row(0, 0)(0);
  EXPECT_EQ(count.reads, 1 + rereads);
  EXPECT_EQ(count.distinct_read.size(), 1u + rereads);
  EXPECT_EQ(count.flops, rereads > 0 ? rereads + 1 : 0);
}

TEST(StreamWorkTest, NeighboursReadOnceMoreForEachReread) {
  expect_neighbour_work<0>();
  expect_neighbour_work<1>();
  expect_neighbour_work<2>();
  expect_neighbour_work<3>();
  expect_neighbour_work<4>();
}

/// The first numbers of splitmix64 from seed 0 (Steele, Lea, Flood 2014).
TEST(MixedBitsTest, IsSplitmix64) {
  EXPECT_EQ(mixed_bits(0), 0xe220a8397b1dcdafull);
  EXPECT_EQ(mixed_bits(0x9e3779b97f4a7c15ull), 0x6e789e6aa1b965f4ull);
}

}  // namespace
}  // namespace bellwether
