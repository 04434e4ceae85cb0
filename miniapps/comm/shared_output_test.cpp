// SPDX-License-Identifier: MIT
#include "miniapps/comm/shared_output.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "miniapps/comm/session/test_session.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;

class SharedOutputs : public testing::Test {
 protected:
  void SetUp() override {
    int process = getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, world());
    folder_ = fs::path(testing::TempDir()) / ("shared-output-" + std::to_string(process));
    if (rank() == 0) fs::create_directory(folder_);
    MPI_Barrier(world());
  }
  void TearDown() override {
    MPI_Barrier(world());
    if (rank() == 0) fs::remove_all(folder_);
  }

  static MPI_Comm world() { return test_session().world(); }
  static int rank() { return test_session().rank(); }
  [[nodiscard]] std::string path() const { return folder_ / "file"; }
  [[nodiscard]] std::string content() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  /// After all have come here.
  [[nodiscard]] long files() const {
    MPI_Barrier(world());
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(SharedOutputs, TakesItsPlaceWhenAllHaveWritten) {
  std::string expected;
  for (int one = 0; one < test_session().size(); ++one) expected += std::to_string(one);
  SharedOutput file(world(), path());
  EXPECT_EQ(files(), 1);
  EXPECT_FALSE(fs::exists(path()));
  file.write(rank(), std::to_string(rank()).data(), 1);
  file.finish();
  EXPECT_EQ(content(), expected);
  EXPECT_EQ(files(), 1);
}

TEST_F(SharedOutputs, OneThatIsNotFinishedLeavesNothing) {
  { const SharedOutput file(world(), path()); }
  EXPECT_EQ(files(), 0);
}

TEST_F(SharedOutputs, AFailureOfAnyRankIsToldByAllAndKeepsTheOld) {
  if (rank() == 0) std::ofstream(path()) << "old";
  MPI_Barrier(world());
  for (int victim = 0; victim < test_session().size(); ++victim) {
    try {
      SharedOutput file(world(), path());
      if (rank() == victim) file.fail("No space left on device");
      file.write(0, "new", 3);
      file.finish();
      ADD_FAILURE() << "nothing thrown";
    } catch (const BadInput& error) {
      EXPECT_EQ(error.what(), "file '" + path() + "' cannot be written: No space left on device");
    }
    EXPECT_EQ(files(), 1);
    EXPECT_EQ(content(), "old");
    MPI_Barrier(world());
  }
}

TEST_F(SharedOutputs, NeedsAFolderAndAPlainFile) {
  for (const auto& [where, reason] :
       {std::pair(folder_ / "none" / "file", "No such file or directory"),
        std::pair(fs::path("/dev/full"), "it is no regular file")}) {
    SharedOutput file(world(), where);
    try {
      file.finish();
      ADD_FAILURE() << "nothing thrown";
    } catch (const BadInput& error) {
      EXPECT_EQ(error.what(), "file '" + where.string() + "' cannot be written: " + reason);
    }
  }
}

}  // namespace
}  // namespace bellwether
