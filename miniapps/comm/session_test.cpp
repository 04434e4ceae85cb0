// SPDX-License-Identifier: MIT
#include "miniapps/comm/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

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

}  // namespace
}  // namespace bellwether
