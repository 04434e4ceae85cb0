// SPDX-License-Identifier: MIT
#include "miniapps/comm/device_checks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/watched_device_test.hpp"

namespace bellwether {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

class DeviceMemory : public testing::Test {
 protected:
  std::string refusal(std::size_t bytes, std::size_t available,
                      const std::optional<std::string>& pool = {}) {
    const WatchedDevice device = with_memory(pool, available);
    try {
      require_device_memory(test_session(), device, bytes, "the fields");
    } catch (const BadEnvironment& error) {
      return error.what();
    }
    return "granted";
  }
  WatchedDevice with_memory(const std::optional<std::string>& pool, std::size_t available = gib) {
    WatchedDevice device(*real_);
    device.pool = pool;
    device.memory = available;
    return device;
  }
  std::size_t part_of(std::size_t available, const std::optional<std::string>& pool) {
    return memory_of_a_rank(test_session(), with_memory(pool, available));
  }
  int sharing(const std::optional<std::string>& pool) {
    return ranks_sharing(test_session(), with_memory(pool));
  }
  int most(const std::optional<std::string>& pool) {
    return most_ranks_on_a_gpu(test_session(), with_memory(pool));
  }

 private:
  std::unique_ptr<Device> real_ = make_device("kokkos", test_session().local_rank());
};

TEST_F(DeviceMemory, RanksOfANodeShareTheHostsMemory) {
  const int ranks = test_session().ranks_on_node();
  EXPECT_EQ(refusal(gib, static_cast<std::size_t>(ranks) * gib), "granted");
  EXPECT_NE(refusal(gib, static_cast<std::size_t>(ranks) * gib - 1), "granted");
}

TEST_F(DeviceMemory, TheMessageHasBothFiguresAndIsTheSameOnAllRanks) {
  // Only the last rank is asked for more than there is: it is refused on all of them.
  const int ranks = test_session().ranks_on_node();
  const bool last = test_session().rank() == test_session().size() - 1;
  EXPECT_EQ(refusal(last ? 3 * gib : 0, gib),
            fmt::format("not enough memory on {}: the fields {} 3.00 GiB, and 1.00 GiB are "
                        "available (a smaller problem, or more nodes)",
                        test_session().hosts()[0], ranks > 1 ? "of all its ranks need" : "need"));
}

TEST_F(DeviceMemory, RanksThatShareAGpuShareItsMemory) {
  const auto ranks = static_cast<std::size_t>(test_session().ranks_on_node());
  EXPECT_EQ(refusal(gib, ranks * gib, "one"), "granted");
  EXPECT_EQ(refusal(gib, ranks * gib - gib / 2, "one"),
            fmt::format(
                "not enough memory on {}: the fields {} {}.00 GiB on the device, and {}.50 GiB "
                "are available (a smaller problem, or more nodes)",
                test_session().hosts()[0],
                ranks > 1 ? "of the ranks that share its device need" : "need", ranks, ranks - 1));
  // Two GPUs, which the ranks take in turn.
  const int mine = test_session().local_rank() % 2;
  const std::size_t most = (ranks + 1) / 2;
  EXPECT_EQ(refusal(gib, most * gib, mine == 0 ? "one" : "two"), "granted");
  EXPECT_NE(refusal(gib, most * gib - 1, mine == 0 ? "one" : "two"), "granted");
  // A device that does not name its memory is taken for the rank's own.
  EXPECT_EQ(refusal(gib, gib, ""), "granted");
}

TEST_F(DeviceMemory, IsDividedAmongTheRanksThatShareIt) {
  const Session& session = test_session();
  const auto on_host = static_cast<std::size_t>(session.ranks_on_kernel());
  EXPECT_EQ(part_of(on_host * gib + on_host - 1, {}), gib);
  EXPECT_EQ(sharing({}), session.ranks_on_kernel());
  EXPECT_EQ(most({}), 0);

  const int ranks = session.ranks_on_node(), local = session.local_rank();
  EXPECT_EQ(part_of(static_cast<std::size_t>(ranks) * gib, "one"), gib);
  EXPECT_EQ(most("one"), ranks);
  // The first has a GPU of its own, and the others share one.
  const std::string mine = local == 0 ? "one" : "two";
  const int expected = local == 0 ? 1 : ranks - 1;
  EXPECT_EQ(sharing(mine), expected);
  EXPECT_EQ(part_of(6 * gib, mine), 6 * gib / static_cast<std::size_t>(expected));
  EXPECT_EQ(most(mine), std::max(1, ranks - 1));
  EXPECT_EQ(most(""), 1);
}

TEST_F(DeviceMemory, EveryPoolMustHaveItAndARanksOwnIsNotShared) {
  const Session& session = test_session();
  const auto ranks = static_cast<std::size_t>(session.ranks_on_kernel());
  WatchedDevice device = with_memory({}, 0);
  const auto part = [&](std::vector<MemoryPool> pools) {
    device.pools = std::move(pools);
    return memory_of_a_rank(session, device);
  };
  const MemoryPool machine{"machine", 100 * ranks * gib};
  EXPECT_EQ(part({machine, {"job", 2 * ranks * gib, "job's"}}), 2 * gib);
  EXPECT_EQ(part({machine, {"job", 2 * ranks * gib, "job's"}, {"", gib, "ulimit"}}), gib);
  // A group of each rank's own, of another size.
  const auto mine = static_cast<std::size_t>(session.rank()) + 1;
  EXPECT_EQ(part({machine, {"task" + std::to_string(session.rank()), mine * gib, "task's"}}),
            mine * gib);
  EXPECT_EQ(ranks_sharing(session, device), session.ranks_on_kernel());
  device.pools = {machine, {"", 2 * gib, "2.50 GiB that ulimit -v allows"}};
  EXPECT_NO_THROW(require_device_memory(session, device, 2 * gib, "the fields"));
  try {
    require_device_memory(session, device, 3 * gib, "the fields");
    FAIL();
  } catch (const BadEnvironment& error) {
    EXPECT_EQ(error.what(),
              fmt::format("not enough memory on {}: the fields need 3.00 GiB, and 2.00 GiB are "
                          "available of the 2.50 GiB that ulimit -v allows (a smaller problem, or "
                          "more nodes)",
                          session.hosts()[0]));
  }
}

TEST(OpenDevice, NamesTheOptionThatIsWrong) {
  EXPECT_EQ(open_device("kokkos", test_session().local_rank())->backend(), "kokkos");
  try {
    (void)open_device("opencl", 0);
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "--backend: found 'opencl', expected one of: kokkos, cuda");
  }
  for (const BackendInfo& info : backends()) {
    if (info.usable) continue;
    EXPECT_THROW((void)open_device(info.name, 0), BadEnvironment) << info.name;
  }
}

class GpuAwareMpi : public testing::Test {
 protected:
  GpuAwareMpi() { forget(); }
  ~GpuAwareMpi() override { forget(); }
  static void forget() {
    for (const char* name : {"MPICH_GPU_SUPPORT_ENABLED", "MV2_USE_CUDA", "MVP_USE_CUDA",
                             "MV2_USE_ROCM", "MVP_USE_ROCM", "I_MPI_OFFLOAD"})
      unsetenv(name);
  }
  static std::string refusal(const std::string& description, const std::string& library) {
    try {
      require_gpu_aware_mpi(test_session(), description, library);
    } catch (const BadEnvironment& error) {
      return error.what();
    }
    return "allowed";
  }
};

constexpr const char* cray = "MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)";
constexpr const char* mvapich2 = "MVAPICH2 Version      :\t2.3.7";
constexpr const char* mvapich = "MVAPICH Version      :\t3.0";
constexpr const char* intel = "Intel(R) MPI Library 2021.8 for Linux* OS";

TEST_F(GpuAwareMpi, CraysMvapichAndIntelsAreToldByTheEnvironment) {
  struct Told {
    const char *library, *variable, *device, *other_device;
  };
  const Told all[] = {{cray, "MPICH_GPU_SUPPORT_ENABLED", "cuda/Some GPU", nullptr},
                      {cray, "MPICH_GPU_SUPPORT_ENABLED", "kokkos/HIP", nullptr},
                      {mvapich2, "MV2_USE_CUDA", "cuda/Some GPU", "kokkos/HIP"},
                      {mvapich2, "MV2_USE_ROCM", "kokkos/HIP", "kokkos/Cuda"},
                      {mvapich, "MVP_USE_CUDA", "kokkos/Cuda", "kokkos/HIP"},
                      {intel, "I_MPI_OFFLOAD", "cuda/Some GPU", nullptr}};
  for (const Told& told : all) {
    forget();
    EXPECT_EQ(mpi_takes_memory_of(told.device, told.library), std::nullopt) << told.variable;
    setenv(told.variable, "1", 1);
    EXPECT_EQ(mpi_takes_memory_of(told.device, told.library), true) << told.variable;
    EXPECT_EQ(mpi_takes_memory_of("kokkos/Serial", told.library), std::nullopt) << told.variable;
    if (told.other_device != nullptr) {
      EXPECT_EQ(mpi_takes_memory_of(told.other_device, told.library), std::nullopt)
          << told.variable;
    }
    setenv(told.variable, "0", 1);
    EXPECT_EQ(mpi_takes_memory_of(told.device, told.library), false) << told.variable;
  }
  forget();  // another library's variable says nothing
  setenv("MPICH_GPU_SUPPORT_ENABLED", "1", 1);
  EXPECT_EQ(mpi_takes_memory_of("cuda/Some GPU", mvapich2), std::nullopt);
}

TEST_F(GpuAwareMpi, DirectHalosAreRefusedOnAllRanksUnlessItSaysThatItTakesThem) {
  const std::string unknown = refusal("cuda/Some GPU", cray);
  EXPECT_NE(unknown.find("does not say that it takes memory of cuda/Some GPU"), unknown.npos);
  EXPECT_NE(unknown.find("MPICH_GPU_SUPPORT_ENABLED=1"), unknown.npos) << unknown;
  // Only the first rank's environment has it switched off.
  setenv("MPICH_GPU_SUPPORT_ENABLED", test_session().rank() == 0 ? "0" : "1", 1);
  const std::string refused = refusal("cuda/Some GPU", cray);
  EXPECT_NE(refused.find("says that it takes no memory of cuda/Some GPU"), refused.npos) << refused;
  setenv("MPICH_GPU_SUPPORT_ENABLED", "1", 1);
  EXPECT_EQ(refusal("cuda/Some GPU", cray), "allowed");
}

TEST_F(GpuAwareMpi, ThisOneIsAskedAndAHostsMemoryIsNot) {
  const bool taken = mpi_takes_memory_of("cuda/Some GPU").value_or(false);
  EXPECT_EQ(refusal("cuda/Some GPU", mpi_version()) == "allowed", taken);
  const auto host = make_device("kokkos", test_session().local_rank());
  if (host->is_host()) {
    EXPECT_NO_THROW(require_direct_halos(test_session(), *host));
  }
}

}  // namespace
}  // namespace bellwether
