// SPDX-License-Identifier: MIT
#include "models/replace_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "models/errors.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class ReplaceFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("replace-file-" + std::to_string(getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return folder_ / name; }
  [[nodiscard]] long files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  static std::string refusal(const std::string& path, const std::string& content) {
    try {
      replace_file(path, content);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(ReplaceFile, GivesNewContentAndLeavesNothingElse) {
  for (const char* content : {"one", "", "three"}) {
    replace_file(path("file"), content);
    EXPECT_EQ(content_of(path("file")), content);
  }
  EXPECT_EQ(files(), 1);
}

TEST_F(ReplaceFile, ALimitOfItsSizeKeepsTheOldContent) {
  replace_file(path("file"), "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  const auto signal = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string said = refusal(path("file"), std::string(2000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, signal);
  EXPECT_EQ(said, path("file") + ": cannot be written: File too large");
  EXPECT_EQ(content_of(path("file")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(ReplaceFile, ADeviceIsWrittenToAndStays) {
  EXPECT_EQ(refusal("/dev/full", "text"), "/dev/full: cannot be written: No space left on device");
  EXPECT_EQ(refusal("/dev/null", "text"), "");
  for (const char* device : {"/dev/full", "/dev/null"}) {
    EXPECT_TRUE(is_written_to(device));
    EXPECT_TRUE(fs::is_character_file(device));
  }
  EXPECT_FALSE(is_written_to(path("none")));
  EXPECT_FALSE(is_written_to(folder_));
}

TEST_F(ReplaceFile, TakesTheLinksPlaceAndNotItsTargets) {
  replace_file(path("target"), "precious");
  fs::create_symlink("target", path("file"));
  replace_file(path("file"), "new");
  EXPECT_EQ(content_of(path("target")), "precious");
  EXPECT_EQ(content_of(path("file")), "new");
}

TEST_F(ReplaceFile, WhatIsBesideItIsNewAndUnforeseen) {
  std::string one, other;
  const int first = open_beside(path("file"), one), second = open_beside(path("file"), other);
  EXPECT_GE(first, 0);
  EXPECT_GE(second, 0);
  EXPECT_NE(one, other);
  EXPECT_EQ(fs::path(one).parent_path(), folder_);
  close(first);
  close(second);
  EXPECT_EQ(open_beside(path("no-folder/file"), one), -1);
}

TEST_F(ReplaceFile, OfTwoAtOnceTheFirstOnesIsKept) {
  const std::string file = path("file");
  const FileState none = state_of(file);
  EXPECT_NO_THROW(check_unchanged(file, none));
  replace_file(file, "first");
  EXPECT_THROW(check_unchanged(file, none), BadInput);
  const FileState first = state_of(file);
  EXPECT_NO_THROW(check_unchanged(file, first));
  replace_file(file, "other");
  EXPECT_THROW(check_unchanged(file, first), BadInput);
  fs::remove(file);
  EXPECT_NO_THROW(check_unchanged(file, first));
  EXPECT_NO_THROW(check_unchanged("/dev/null", none));
}

}  // namespace
}  // namespace bellwether
