// SPDX-License-Identifier: MIT
#include "miniapps/comm/session/session.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "kernels/launch/cpu/process_limits.hpp"
#include "miniapps/comm/session/launcher.hpp"
#include "miniapps/comm/session/test_session.hpp"

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

std::optional<int> local_rank_by(const std::map<std::string, const char*>& environment) {
  return launched_local_rank([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second;
  });
}

TEST(LaunchedLocalRank, IsReadFromTheLaunchersVariables) {
  EXPECT_FALSE(local_rank_by({}).has_value());
  EXPECT_FALSE(local_rank_by({{"OMPI_COMM_WORLD_RANK", "3"}}).has_value());
  for (const char* name :
       {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", "MPT_LRANK",
        "PALS_LOCAL_RANKID", "PMI_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_RANK", "FLUX_TASK_LOCAL_ID",
        "SLURM_LOCALID"})
    EXPECT_EQ(local_rank_by({{name, "3"}}), 3) << name;
  for (const char* nonsense : {"", "-1", "x", "2x", "99999999999"})
    EXPECT_FALSE(local_rank_by({{"SLURM_LOCALID", nonsense}}).has_value()) << nonsense;
}

TEST(LaunchedLocalRank, IsTheInnerLaunchers) {
  EXPECT_EQ(local_rank_by({{"SLURM_LOCALID", "0"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}}), 2);
  EXPECT_EQ(local_rank_by({{"SLURM_LOCALID", "0"}, {"MPI_LOCALRANKID", "1"}}), 1);
  EXPECT_EQ(local_rank_by({{"SLURM_LOCALID", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "?"}}), 4);
}

TEST(LaunchedLocalRank, IsTakenWhereItTellsRanksApart) {
  EXPECT_TRUE(detail::tells_apart({0}));
  EXPECT_TRUE(detail::tells_apart({2, 0, 1}));
  EXPECT_FALSE(detail::tells_apart({0, 0}));
  EXPECT_FALSE(detail::tells_apart({-1}));
  EXPECT_FALSE(detail::tells_apart({1, -1, 0}));
}

TEST(Session, RanksOfANodeTakeDevicesByDifferentNumbers) {
  const Session& session = test_session();
  std::vector<int> numbers(static_cast<std::size_t>(session.ranks_on_node()));
  const int mine = session.device_rank();
  MPI_Allgather(&mine, 1, MPI_INT, numbers.data(), 1, MPI_INT, session.node());
  EXPECT_TRUE(detail::tells_apart(numbers));
  EXPECT_FALSE(session.launcher_misleads());
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

TEST(ErrorStatus, WhatTheSystemRefusesIsTheEnvironments) {
  EXPECT_EQ(status_of(std::bad_alloc()), ExitStatus::bad_environment);
  EXPECT_EQ(status_of(OutOfMemory(1 << 30)), ExitStatus::bad_environment);
  EXPECT_EQ(status_of(std::system_error(EAGAIN, std::generic_category())),
            ExitStatus::bad_environment);
  EXPECT_EQ(status_of(std::system_error(EINVAL, std::generic_category())),
            ExitStatus::internal_fault);
  EXPECT_EQ(message_of(std::logic_error("x")), "a fault of its own: x");
  EXPECT_EQ(message_of(BadInput("x")), "x");
  EXPECT_NE(message_of(OutOfMemory(1 << 30)).find("1.00 GiB more are needed"), std::string::npos);
  const std::string plain = message_of(std::bad_alloc());
  EXPECT_TRUE(plain.starts_with("not enough memory")) << plain;
  EXPECT_NE(plain.find(" GiB are available"), std::string::npos) << plain;
}

TEST(AgreeOnErrors, OneRankWithoutMemoryIsAnEnvironmentOnAll) {
  EXPECT_EQ(agreed_message<BadEnvironment>([] {
              if (world_rank() == world_size() - 1) throw OutOfMemory("none is left");
            }),
            "none is left");
}

TEST(Mpi, SaysItsNameAndVersionInOneLine) {
  const std::string version = mpi_version();
  EXPECT_NE(version.find_first_of("0123456789"), std::string::npos) << version;
  EXPECT_EQ(version.find_first_of(",\n"), std::string::npos) << version;
}

}  // namespace
}  // namespace bellwether
