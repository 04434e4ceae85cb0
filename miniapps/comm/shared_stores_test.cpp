// SPDX-License-Identifier: MIT
#include "miniapps/comm/shared_stores.hpp"

#include <gtest/gtest.h>

#include "miniapps/comm/session/cores.hpp"
#include "miniapps/comm/session/test_session.hpp"

namespace bellwether {
namespace {

TEST(SharedStores, AreTheSameOnAllRanks) {
  const Session& session = test_session();
  const auto device = make_device("kokkos", session.local_rank());
  for (int again = 0; again < 3; ++again) {
    const auto chosen = static_cast<int>(faster_shared_stores(session, *device));
    int least = chosen, most = chosen;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, session.world());
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, session.world());
    EXPECT_EQ(least, most);
  }
}

TEST(SharedStores, AreCachedOnesWhereNobodyReadsOrRanksShareCores) {
  const Session& session = test_session();
  const auto device = make_device("kokkos", session.local_rank());
  if (session.size() > 1 && shared_cores(session).empty()) GTEST_SKIP() << "ranks have neighbours";
  EXPECT_EQ(faster_shared_stores(session, *device), Stores::cached);
}

}  // namespace
}  // namespace bellwether
