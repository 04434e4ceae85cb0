// SPDX-License-Identifier: MIT
#include "miniapps/mesh/parcels.hpp"

#include <gtest/gtest.h>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/comm/session/test_session.hpp"

namespace bellwether {
namespace {

double value_of(std::int64_t element, int d) { return static_cast<double>(10 * element + d); }

std::vector<double> own_block(const Blocks& blocks, int dim) {
  std::vector<double> block;
  const int rank = test_session().rank();
  for (std::int64_t element = blocks.first(rank); element < blocks.end(rank); ++element)
    for (int d = 0; d < dim; ++d) block.push_back(value_of(element, d));
  return block;
}

TEST(Fetch, AnyElementsInAnyOrder) {
  const MPI_Comm world = test_session().world();
  Random random(100 + test_session().rank());
  for (const int total : {1, 2, 3, 50}) {
    const Blocks blocks(total, test_session().size());
    for (const int dim : {1, 4}) {
      std::vector<std::int64_t> wanted;
      for (int n = random.below(40); n > 0; --n) wanted.push_back(random.below(total));
      const std::vector<double> got = fetch(world, blocks, wanted, own_block(blocks, dim), dim);
      ASSERT_EQ(got.size(), wanted.size() * dim);
      for (std::size_t n = 0; n < got.size(); ++n)
        EXPECT_EQ(got[n], value_of(wanted[n / dim], static_cast<int>(n % dim)));
    }
  }
}

/// Told on all ranks, though it may be one that sends or gets too much; no item is looked at.
TEST(ExchangeParcels, MoreThanMpiCountsIsRefused) {
  const int rank = test_session().rank(), ranks = test_session().size();
  for (const int giver : {0, ranks - 1}) {
    std::vector<std::int64_t> counts(ranks);
    if (rank == giver) counts[0] = std::int64_t{1} << 31;
    try {
      (void)exchange_parcels(test_session().world(), std::vector<char>(), counts);
      ADD_FAILURE() << "accepted";
    } catch (const BadEnvironment& error) {
      EXPECT_EQ(std::string(error.what()),
                "2147483648 items of a mesh on their way from or to one rank, and MPI counts up to "
                "2147483647: more ranks are needed");
    }
  }
}

TEST(ToBlocks, EveryElementArrivesAtItsHolder) {
  const int rank = test_session().rank(), ranks = test_session().size();
  for (const int total : {1, 2, 3, 50}) {
    const Blocks blocks(total, ranks);
    for (const int dim : {1, 3}) {
      std::vector<std::int64_t> brought;  // dealt out like cards, from the last to the first
      std::vector<double> values;
      for (int element = total - 1; element >= 0; --element) {
        if (element % ranks != rank) continue;
        brought.push_back(element);
        for (int d = 0; d < dim; ++d) values.push_back(value_of(element, d));
      }
      EXPECT_EQ(to_blocks(test_session().world(), blocks, brought, values, dim),
                own_block(blocks, dim));
    }
  }
}

}  // namespace
}  // namespace bellwether
