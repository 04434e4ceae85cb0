// SPDX-License-Identifier: MIT
#include "miniapps/comm/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "miniapps/comm/test_session.hpp"

namespace bellwether {
namespace {

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

template <class Error>
std::string agreed_message(void (*body)()) {
  try {
    agree_on_errors(MPI_COMM_WORLD, body);
  } catch (const Error& error) {
    EXPECT_NE(dynamic_cast<const ThrownByAll*>(&error), nullptr);
    return error.what();
  }
  return "nothing thrown";
}

TEST(LowestOnKernel, NodesUnderOneKernelAreTogether) {
  using detail::lowest_on_kernel;
  EXPECT_EQ(lowest_on_kernel({"a", "a", "a", "a"}, {0, 0, 1, 1}), (std::vector{0, 0, 0, 0}));
  EXPECT_EQ(lowest_on_kernel({"a", "a", "b", "b"}, {0, 0, 1, 1}), (std::vector{0, 0, 2, 2}));
  EXPECT_EQ(lowest_on_kernel({"a", "b", "a", "b"}, {0, 1, 2, 3}), (std::vector{0, 1, 0, 1}));
}

TEST(LowestOnKernel, WithoutNamesANodeIsAKernel) {
  using detail::lowest_on_kernel;
  EXPECT_EQ(lowest_on_kernel({"", "", "", ""}, {0, 0, 1, 1}), (std::vector{0, 0, 2, 2}));
  EXPECT_EQ(lowest_on_kernel({"a", "", "a", ""}, {0, 1, 2, 1}), (std::vector{0, 1, 0, 1}));
}

TEST(Session, ANodeIsUnderOneKernel) {
  const Session& session = test_session();
  EXPECT_GE(session.ranks_on_kernel(), session.ranks_on_node());
  EXPECT_GE(session.nodes_on_kernel(), 1);
  EXPECT_LE(session.nodes_on_kernel(), session.nodes());
}

TEST(AgreeOnErrors, PassesWhenNoRankThrows) {
  int calls = 0;
  agree_on_errors(MPI_COMM_WORLD, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(AgreeOnErrors, ThrowsOnAllRanksWhatTheLastOneThrew) {
  const std::string last = "rank " + std::to_string(world_size() - 1);
  EXPECT_EQ(agreed_message<BadInput>([] {
              if (world_rank() == world_size() - 1) {
                throw BadInput("rank " + std::to_string(world_rank()));
              }
            }),
            last);
  EXPECT_EQ(agreed_message<BadEnvironment>([] {
              if (world_rank() == world_size() - 1) {
                throw BadEnvironment("rank " + std::to_string(world_rank()));
              }
            }),
            last);
  EXPECT_EQ(agreed_message<std::runtime_error>([] {
              if (world_rank() == world_size() - 1) {
                throw std::logic_error("rank " + std::to_string(world_rank()));
              }
            }),
            last);
}

TEST(AgreeOnErrors, TheLowestRankIsHeard) {
  EXPECT_EQ(agreed_message<BadEnvironment>([] {
              if (world_rank() == 0) {
                throw BadEnvironment("short");
              }
              throw BadInput("a much longer message than that of rank 0");
            }),
            "short");
}

TEST(AgreeOnErrors, AnEmptyMessageIsAnErrorToo) {
  EXPECT_EQ(agreed_message<BadInput>([] { throw BadInput(""); }), "");
}

TEST(Mpi, SaysItsNameAndVersionInOneLine) {
  const std::string version = mpi_version();
  EXPECT_NE(version.find_first_of("0123456789"), std::string::npos) << version;
  EXPECT_EQ(version.find_first_of(",\n"), std::string::npos) << version;
}

}  // namespace
}  // namespace bellwether
