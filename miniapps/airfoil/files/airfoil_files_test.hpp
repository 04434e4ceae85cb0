// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "miniapps/airfoil/files/airfoil_files.hpp"
#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "models/errors.hpp"

namespace bellwether {

/// A folder that the ranks share, gone with the test.
class AirfoilFiles : public testing::Test {
 protected:
  void SetUp() override {
    int process = getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, world());
    folder_ = std::filesystem::temp_directory_path() /
              ("bellwether-mesh-test-" + std::to_string(process));
    if (rank() == 0) std::filesystem::create_directory(folder_);
    MPI_Barrier(world());
  }
  void TearDown() override {
    MPI_Barrier(world());
    if (rank() == 0) std::filesystem::remove_all(folder_);
  }
  static MPI_Comm world() { return test_session().world(); }
  static int rank() { return test_session().rank(); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  static AirfoilBlocks generate(const AirfoilMesh& shape) {
    return generate_airfoil(shape, test_session().size(), rank());
  }
  [[nodiscard]] AirfoilBlocks read(const std::string& name) const {
    return read_airfoil(world(), path(name), [](double) {});
  }
  /// The file's text, by rank 0, for all.
  void write_text(const std::string& name, const std::string& text) const {
    if (rank() == 0) std::ofstream(path(name), std::ios::binary) << text;
    MPI_Barrier(world());
  }
  [[nodiscard]] std::string read_text(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] int files() const {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder_),
                                          std::filesystem::directory_iterator()));
  }

  /// All ranks throw the same BadInput, with all the patterns.
  static void expect_refusal(const std::vector<std::string>& patterns,
                             const std::function<void()>& body) {
    std::string message = "nothing was refused";
    try {
      body();
    } catch (const BadInput& refusal) {
      message = refusal.what();
    }
    for (const std::string& pattern : patterns)
      EXPECT_NE(message.find(pattern), std::string::npos) << pattern << " is not in: " << message;
    std::vector<char> of_first(message.begin(), message.end());
    of_first.resize(400);
    MPI_Bcast(of_first.data(), 400, MPI_CHAR, 0, world());
    EXPECT_EQ(message.substr(0, 400),
              std::string(of_first.data(), std::min<std::size_t>(400, message.size())));
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace bellwether
