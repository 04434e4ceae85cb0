// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace bellwether {

/// For tests: a made-up /sys/class/powercap, this process's own.
class PowercapTree {
 public:
  PowercapTree() { std::filesystem::create_directories(folder_); }
  ~PowercapTree() { std::filesystem::remove_all(folder_); }
  PowercapTree(const PowercapTree&) = delete;
  PowercapTree& operator=(const PowercapTree&) = delete;

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string energy_file(const std::string& zone) const {
    return folder_ + "/" + zone + "/energy_uj";
  }
  void add(const std::string& zone, const std::string& name, long long energy_uj,
           long long range_uj = 262143328850) const {
    std::filesystem::create_directories(folder_ + "/" + zone);
    std::ofstream(folder_ + "/" + zone + "/name") << name << '\n';
    std::ofstream(folder_ + "/" + zone + "/max_energy_range_uj") << range_uj << '\n';
    count(zone, energy_uj);
  }
  /// In one piece, as whoever reads it may be another thread.
  void count(const std::string& zone, long long energy_uj) const {
    const std::string fresh = energy_file(zone) + ".new";
    std::ofstream(fresh) << energy_uj << '\n';
    std::filesystem::rename(fresh, energy_file(zone));
  }

 private:
  std::string folder_ = testing::TempDir() + "powercap-" + std::to_string(getpid());
};

}  // namespace bellwether
