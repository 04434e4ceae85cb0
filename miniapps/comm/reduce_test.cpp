// SPDX-License-Identifier: MIT
#include "miniapps/comm/reduce.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

TEST(Reduce, SlowestRankBringsItsOwnValues) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int slow = size / 2;
  const double total = rank == slow ? 100 : rank;
  const Slowest found = slowest_rank(MPI_COMM_WORLD, total, {10.0 * rank, -1.0 * rank});
  EXPECT_EQ(found.rank, slow);
  EXPECT_EQ(found.total, 100);
  EXPECT_EQ(found.values, (std::vector<double>{10.0 * slow, -1.0 * slow}));
}

TEST(Reduce, LowestRankAmongEquals) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Slowest found = slowest_rank(MPI_COMM_WORLD, 1, {static_cast<double>(rank)});
  EXPECT_EQ(found.rank, 0);
  EXPECT_EQ(found.values, std::vector<double>{0});
}

TEST(Reduce, LowestRankWhereSomethingIsFound) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int first = 0; first < size; ++first)
    EXPECT_EQ(lowest_rank_where(MPI_COMM_WORLD, rank >= first), first);
  EXPECT_EQ(lowest_rank_where(MPI_COMM_WORLD, false), -1);
}

TEST(Reduce, SumsOverTheRanksOfAName) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  // The first rank has a name less, and the names that ranks share stand at different places.
  std::vector<std::string> names{"all", ""};
  if (rank > 0) names = {"others", "", "all"};
  const std::vector<Shared> sums = sums_by_name(MPI_COMM_WORLD, names, 1 + rank);
  ASSERT_EQ(sums.size(), names.size());
  EXPECT_EQ(sums[rank > 0 ? 2 : 0].sum, size * (size + 1) / 2);
  EXPECT_EQ(sums[rank > 0 ? 2 : 0].ranks, size);
  EXPECT_EQ(sums[1].sum, 1 + rank);
  EXPECT_EQ(sums[1].ranks, 1);
  if (rank > 0) {
    EXPECT_EQ(sums[0].ranks, size - 1);
  }
}

TEST(Reduce, LargestOfEachValue) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(largest(MPI_COMM_WORLD, {1.0 * rank, -1.0 * rank}),
            (std::vector<double>{size - 1.0, 0.0}));
  EXPECT_TRUE(largest(MPI_COMM_WORLD, std::vector<double>{}).empty());
  EXPECT_EQ(largest(MPI_COMM_WORLD, 1.0 * rank), size - 1.0);
  EXPECT_EQ(least(MPI_COMM_WORLD, -1.0 * rank), 1.0 - size);
  EXPECT_EQ(least(MPI_COMM_WORLD, (std::size_t{1} << 60) + static_cast<std::size_t>(rank)),
            std::size_t{1} << 60);
}

TEST(Reduce, ARanksValueOnEveryRank) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(from_first_rank(MPI_COMM_WORLD, rank + 5), 5);
  EXPECT_EQ(from_rank(MPI_COMM_WORLD, size - 1, std::string(static_cast<std::size_t>(rank), 'x')),
            std::string(static_cast<std::size_t>(size) - 1, 'x'));
}

}  // namespace
}  // namespace bellwether
