// SPDX-License-Identifier: MIT
#include "kernels/hpl/hpl_split.hpp"

#include <array>
#include <limits>

#include "kernels/launch/backend_test.hpp"

namespace bellwether {
namespace {

std::size_t as_size(long count) { return static_cast<std::size_t>(count); }

/// The host's Kokkos and each backend as the device, itself among them.
class SplitHplTest : public BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    host_ = make_device("kokkos", 0);
    host_stream_ = host_->make_stream(false);
    if (!host_->is_host()) GTEST_SKIP() << "Kokkos has no products on the host";
  }
  [[nodiscard]] Device& host() { return *host_; }
  [[nodiscard]] Stream& host_stream() { return *host_stream_; }

  /// Random values where the device's copies are hidden.
  Buffer<double> values(long count) {
    Buffer<double> made(device(), as_size(count), true);
    for (long n = 0; n < count; ++n) made.data()[n] = random_.value<double>();
    return made;
  }

  /// c -= l u of random matrices with gaps between their rows, once for each share if there are
  /// some; every value of c and of its gaps is looked at.
  void check_product(const HplSplit& split, long rows, long columns, long inner,
                     std::vector<double> shares = {}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns << " x " << inner << ", share "
                                    << split.device_share << ", blocks of " << split.block_columns);
    SplitHpl kernels(host(), device(), split);
    kernels.prepare(host_stream());
    const long ldc = columns + 5, ldl = rows + 2, ldu = columns + 3;
    if (shares.empty()) shares = {split.device_share};
    for (const double share : shares) {
      kernels.take_share(share);
      EXPECT_EQ(kernels.device_share(), share);
      const Buffer<double> c = values(rows * ldc), l = values(inner * ldl), u = values(inner * ldu);
      std::vector<double> expected(c.data(), c.data() + c.size());
      kernels.subtract_product(c.data(), ldc, l.data(), ldl, u.data(), ldu, rows, columns, inner,
                               host_stream());
      const auto terms = static_cast<double>(inner + 1);
      const double bound = inner == 0 ? 0 : std::numeric_limits<double>::epsilon() * terms * terms;
      for (long i = 0; i < rows; ++i) {
        for (long j = 0; j < columns; ++j) {
          double& value = expected[as_size(i * ldc + j)];
          long double sum = value;
          for (long k = 0; k < inner; ++k)
            sum -= static_cast<long double>(l.data()[k * ldl + i]) * u.data()[k * ldu + j];
          value = c.data()[i * ldc + j];
          ASSERT_NEAR(value, static_cast<double>(sum), bound) << i << ' ' << j;
        }
      }
      EXPECT_TRUE(same_bits(std::vector<double>(c.data(), c.data() + c.size()), expected));
    }
  }

 private:
  std::unique_ptr<Device> host_;
  std::unique_ptr<Stream> host_stream_;
  Random random_{23};
};
INSTANTIATE_TEST_SUITE_P(Backends, SplitHplTest, every_backend(), backend_in_name);

HplSplit split_of(double share, long rows, long inner, long block_columns) {
  return {.device_share = share,
          .most_rows = rows,
          .most_inner = inner,
          .block_columns = block_columns};
}

TEST_P(SplitHplTest, AnyShareGivesTheProduct) {
  for (const double share : {0.0, 0.01, 0.3, 0.5, 0.77, 1.0})
    for (const long columns : {0, 1, 7, 8, 64, 201})
      check_product(split_of(share, 33, 9, 24), 33, columns, 9);
}

TEST_P(SplitHplTest, BlocksMayBeWiderAndNarrowerThanTheMatrix) {
  for (const long block : {1, 8, 13, 40, 199, 1000})
    for (const long rows : {0, 1, 2, 40})
      check_product(split_of(0.9, rows, 16, block), rows, 200, 16);
}

TEST_P(SplitHplTest, ProductsFollowOneAnother) {
  const HplSplit split = split_of(0.8, 50, 16, 16);
  check_product(split, 50, 150, 16, std::vector(5, 0.8));
  check_product(split, 17, 150, 5, std::vector(5, 0.8));  // of less than there is room for
  check_product(split, 17, 150, 0);
}

TEST_P(SplitHplTest, TheShareMayChange) {
  check_product(split_of(0.5, 33, 9, 24), 33, 150, 9, {0.5, 1, 0, 0.3, 1});
}

TEST_P(SplitHplTest, NarrowProductsAreTheHosts) {
  HplSplit split = split_of(1, 20, 8, 16);
  split.least_columns = 30;
  check_product(split, 20, 29, 8);
  check_product(split, 20, 30, 8);
  // Where the device has no room for a block, only these can be had.
  split.most_rows = split.most_inner = 0;
  check_product(split, 20, 29, 8);
}

TEST_P(SplitHplTest, ItsMemoryIsWhatItSays) {
  for (const long rows : {1L, 100L, 3000L}) {
    HplSplit split = split_of(0.5, rows, 64, 1);
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{1} << 20, std::size_t{1} << 26}) {
      split.block_columns = most_block_columns(split, bytes);
      if (split.block_columns > 0) {
        EXPECT_LE(device_bytes(split), bytes);
        if (!device().is_host()) {
          const std::size_t before = device().memory_available();
          const SplitHpl kernels(host(), device(), split);
          // A device rounds up: CUDA to 2 MiB, for each of seven.
          const std::size_t taken = before - device().memory_available();
          EXPECT_GE(taken, device_bytes(split));
          EXPECT_LE(taken, device_bytes(split) + (std::size_t{14} << 20));
        }
      }
      ++split.block_columns;
      EXPECT_GT(device_bytes(split), bytes);
    }
  }
}

TEST_P(SplitHplTest, AllElseIsTheHosts) {
  SplitHpl kernels(host(), device(), split_of(0.5, 8, 8, 8));
  const auto plain = make_kernels<HplKernels>(host());
  kernels.prepare(host_stream());
  plain->prepare(host_stream());
  const auto of_device = make_kernels<HplKernels>(device());
  of_device->prepare(stream());
  EXPECT_EQ(kernels.library(), plain->library() + " and " + of_device->library());
  constexpr long size = 12, ld = 16;
  const HplPart part{{4, 1, 0}, {4, 1, 0}, size, size};
  const std::vector<int> list{3, 1};
  const auto results = [&](HplKernels& of) {
    std::array<std::vector<double>, 8> all;
    all.fill(std::vector<double>(size * ld, 1));
    auto& [a, l, back, u, solved, x, product, sizes] = all;
    Stream& stream = host_stream();
    of.fill(a.data(), ld, part, stream);
    of.take_panel(l.data(), ld, a.data(), ld, size, size, stream);
    of.put_panel(back.data(), ld, l.data(), ld, size, size, stream);
    of.copy_rows({back.data(), ld}, {a.data(), ld, list.data()}, 2, size, stream);
    of.multiply_triangle(u.data(), ld, l.data(), size, a.data(), ld, size, stream);
    of.solve_triangle(solved.data(), ld, l.data(), ld, size, size, stream);
    of.subtract_from(x.data(), a.data(), ld, l.data(), size, size, stream);
    of.solve_upper(x.data(), a.data(), ld, size, stream);
    of.row_sums(product.data(), sizes.data(), x.data(), part, stream);
    return all;
  };
  const auto expected = results(*plain), found = results(kernels);
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_NE(expected[n], std::vector<double>(size * ld, 1)) << n;
    EXPECT_TRUE(same_bits(found[n], expected[n])) << n;
  }
}

}  // namespace
}  // namespace bellwether
