// SPDX-License-Identifier: MIT
#include "miniapps/driver/constant_arrays.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>

#include "miniapps/comm/session/test_session.hpp"

namespace bellwether {
namespace {

TEST(Checksum, IsAnotherForEachFlippedBitAndEachOrder) {
  std::array<unsigned char, 21> bytes{};
  std::iota(bytes.begin(), bytes.end(), 0);
  std::set<std::uint64_t> sums{checksum(bytes.data(), bytes.size())};
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= 1U << bit % 8;
    EXPECT_TRUE(sums.insert(checksum(bytes.data(), bytes.size())).second) << bit;
    bytes[bit / 8] ^= 1U << bit % 8;
  }
  std::swap(bytes[0], bytes[16]);
  EXPECT_TRUE(sums.insert(checksum(bytes.data(), bytes.size())).second);
}

TEST(ConstantArrays, NameTheOneThatChangedAndItsRank) {
  const Session& session = test_session();
  const auto device = make_device("kokkos", session.local_rank());
  const auto stream = device->make_stream(false);
  std::vector<int> sides(4099, 7), none;
  std::vector<double> coordinates(1000, 0.5);
  ConstantArrays constants(*device, *stream);
  constants.add("coordinates", coordinates);
  constants.add("nothing", none);
  constants.add("sides", sides);
  EXPECT_TRUE(constants.unchanged(session.world()).passed);
  const int last = session.size() - 1;
  if (session.rank() == last) sides.back() = 6;
  const Verification found = constants.unchanged(session.world());
  EXPECT_FALSE(found.passed);
  EXPECT_EQ(found.what, "constant arrays that changed: sides on rank " + std::to_string(last));
  EXPECT_EQ(found.value, 1);
  sides.back() = 7;
  EXPECT_TRUE(constants.unchanged(session.world()).passed);
}

}  // namespace
}  // namespace bellwether
