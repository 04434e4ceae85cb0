// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "results/record.hpp"

namespace bellwether {
namespace {

class FinishedCases : public testing::Test {
 protected:
  FinishedCases()
      : path_(std::filesystem::temp_directory_path() /
              ("finished_cases." + std::to_string(getpid()) + ".jsonl")) {}
  ~FinishedCases() override { std::filesystem::remove(path_); }
  std::filesystem::path path_;
  const nlohmann::json asked_{{"app", "diffusion"}, {"cells", {5, 6, 7}}};
};

TEST_F(FinishedCases, NoFileMeansNoneFinished) { EXPECT_EQ(count_finished(path_, asked_), 0); }

TEST_F(FinishedCases, CountsOnlyWhatWasAskedAndPassed) {
  std::ofstream file(path_);
  const auto line = [&](const nlohmann::json& request, bool passed) {
    file << nlohmann::json{{"provenance", {{"request", request}}},
                           {"verification", {{"passed", passed}}}}
         << "\n";
  };
  line(asked_, true);
  line({{"app", "diffusion"}, {"cells", {5, 6, 8}}}, true);
  line(asked_, false);
  file << "{\"provenance\": {}}\n[1, 2]\nnot json\n{\"provenance\": 3}\n";
  line(asked_, true);
  file << R"({"provenance": {"request": {"app": "diffu)";  // killed here
  file.close();
  EXPECT_EQ(count_finished(path_, asked_), 2);
}

}  // namespace
}  // namespace bellwether
