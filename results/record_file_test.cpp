// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/errors.hpp"
#include "results/example_record_test.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class RecordFile : public testing::Test {
 protected:
  RecordFile() {
    std::string name = (fs::temp_directory_path() / "records-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    fs::permissions(folder_, fs::perms(0755));
  }
  ~RecordFile() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const char* name = "results.jsonl") const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string text() const {
    std::ostringstream all;
    all << std::ifstream(path()).rdbuf();
    return all.str();
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::istringstream all(text());
    std::vector<std::string> found;
    for (std::string line; std::getline(all, line);) found.push_back(line);
    return found;
  }

  fs::path folder_;
};

/// Runs the body in a process of its own; true if it returned true.
pid_t start(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  return child;
}
bool succeeded(pid_t child) {
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "not refused";
}
std::string refusal_of_append(const std::string& path) {
  return refusal([&] { append_record(path, example_record()); });
}
std::string refusal_of_check(const std::string& path) {
  return refusal([&] { check_appendable(path); });
}

TEST_F(RecordFile, EachRecordIsOneLine) {
  Record record = example_record();
  append_record(path(), record);
  record.app = "second\nline";
  append_record(path(), record);
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_EQ(json::parse(lines()[0])["app"], "diffusion");
  EXPECT_EQ(json::parse(lines()[1])["app"], "second\nline");
  EXPECT_EQ(text().back(), '\n');
}

TEST_F(RecordFile, TextThatIsNotUtf8IsReplaced) {
  Record record = example_record();
  record.machine = "caf\xe9.json";
  append_record(path(), record);
  EXPECT_EQ(json::parse(lines().at(0))["machine"], "caf\uFFFD.json");
}

TEST_F(RecordFile, ALineCutShortIsEndedFirst) {
  std::ofstream(path()) << "{\"schema\": 1}\n{\"schema\": \"bellwe";
  append_record(path(), example_record());
  ASSERT_EQ(lines().size(), 3U);
  EXPECT_EQ(lines()[1], "{\"schema\": \"bellwe");
  EXPECT_EQ(json::parse(lines()[2])["app"], "diffusion");
}

TEST_F(RecordFile, ConcurrentWritersKeepLinesWhole) {
  constexpr int each = 40;
  const auto write_as = [&](int writer) {
    Record record = example_record();
    record.ranks = writer;
    record.result = {{"padding", std::string(20000, 'x')}};  // several pages a line
    for (int i = 0; i < each; ++i) append_record(path(), record);
    return true;
  };
  const pid_t first = start([&] { return write_as(1); });
  const pid_t second = start([&] { return write_as(2); });
  EXPECT_TRUE(succeeded(first));
  EXPECT_TRUE(succeeded(second));
  std::map<int, int> count;
  for (const std::string& line : lines()) ++count[json::parse(line)["ranks"].get<int>()];
  EXPECT_EQ(count, (std::map<int, int>{{1, each}, {2, each}}));
}

TEST_F(RecordFile, AWriteThatStopsHalfwayLeavesNothingBehind) {
  std::ofstream(path()) << "{\"earlier\": true}\n";
  const pid_t child = start([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {.rlim_cur = 200, .rlim_max = 200};  // bytes a file may have
    setrlimit(RLIMIT_FSIZE, &limit);
    return refusal_of_append(path()).find("File too large") != std::string::npos;
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(text(), "{\"earlier\": true}\n");
}

TEST_F(RecordFile, AFullDiskIsSaid) {
  EXPECT_EQ(refusal_of_append("/dev/full"),
            "results file '/dev/full' cannot be written: No space left on device");
}

TEST_F(RecordFile, CheckLeavesNothingAndTouchesNothing) {
  check_appendable(path());
  EXPECT_TRUE(fs::is_empty(folder_));
  std::ofstream(path()) << "{\"cut\": ";
  check_appendable(path());
  EXPECT_EQ(text(), "{\"cut\": ");
}

TEST_F(RecordFile, UnwritablePathsAreRefusedByNameAndReason) {
  const std::string missing = path("missing") + "/results.jsonl";
  const std::string below_a_file = path("file") + "/results.jsonl";
  std::ofstream(path("file")) << "\n";
  const std::pair<std::string, std::string> cases[] = {
      {"/proc/nope", "No such file or directory"}, {missing, "No such file or directory"},
      {"", "No such file or directory"},           {folder_.string(), "Is a directory"},
      {folder_.string() + "/", "Is a directory"},  {below_a_file, "Not a directory"}};
  for (const auto& [name, reason] : cases) {
    const std::string message = "results file '" + name + "' cannot be written: " + reason;
    EXPECT_EQ(refusal_of_append(name), message);
    EXPECT_EQ(refusal_of_check(name), message);
  }
}

TEST_F(RecordFile, PermissionsAreRespected) {
  std::ofstream(path()) << "\n";
  chmod(path().c_str(), 0444);
  fs::create_directory(path("closed"));
  chmod(path("closed").c_str(), 0555);
  const pid_t child = start([&] {
    // Permissions do not bind root: become nobody.
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return false;
    for (const std::string& name : {path(), path("closed") + "/results.jsonl"}) {
      for (const std::string& said : {refusal_of_append(name), refusal_of_check(name)}) {
        if (said.find("Permission denied") == std::string::npos) return false;
      }
    }
    return true;
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(text(), "\n");
}

}  // namespace
}  // namespace bellwether
