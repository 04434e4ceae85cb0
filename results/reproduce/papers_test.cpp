// SPDX-License-Identifier: MIT
#include "results/reproduce/papers.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/what_if.hpp"

namespace bellwether {
namespace {

/// A folder of its own, gone with the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("bellwether_paper_machines_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& file, const Machine& machine) const {
    write_machine((path_ / file).string(), machine);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// What reading them says, empty if nothing.
std::string refusal(const std::string& folder, const std::vector<std::string>& names) {
  try {
    const PaperMachines machines(folder, names);
  } catch (const BadInput& error) {
    return error.what();
  }
  return {};
}

TEST(ReproducedNumber, AKnownMissFailsWhereItIsMet) {
  const auto document =
      nlohmann::json::parse(R"({"known_misses": [{"items": ["far", "near"], "reason": "why"}]})");
  std::vector<ReproducedNumber> numbers;
  for (const auto& [item, computed] : {std::pair{"far", 2.}, {"near", 1.05}, {"other", 1.2}})
    numbers.push_back({Evidence::measurement, item, 1, computed, "s", measured_tolerance, ""});
  note_known_misses(document, numbers);
  EXPECT_FALSE(numbers[0].failed());
  EXPECT_EQ(numbers[0].met(), false);
  EXPECT_TRUE(numbers[1].failed());
  EXPECT_TRUE(numbers[2].failed());
  numbers.pop_back();
  EXPECT_NO_THROW(note_known_misses(document, numbers));
  numbers.pop_back();
  EXPECT_THROW(note_known_misses(document, numbers), std::out_of_range);
}

TEST(PaperMachines, AFoldersFilesTakeThePlaceOfTheShipped) {
  const Folder folder;
  Machine machine = PaperMachines().at("cray-xk6m");
  folder.write("tsubame2.0.json", PaperMachines().at("tsubame2.0"));
  change(machine, {.key = "device.memory_bandwidth_bytes_per_s", .number = 0.5, .is_factor = true});
  folder.write("cray-xk6m.json", machine);
  const PaperMachines machines(folder.path(), {"tsubame2.0", "cray-xk6m"});
  std::vector<std::string> failed;
  for (const ReproducedNumber& number : reproduce_shimokawabe(machines).numbers)
    if (number.failed()) failed.push_back(number.item);
  EXPECT_EQ(failed, std::vector<std::string>{"Section 6.1.3, diffusion on one K20X"});
}

TEST(PaperMachines, WhatIsMissingIsNamed) {
  const Folder folder;
  EXPECT_NE(refusal(folder.path() + "/none", {"cx1"}).find("/none\", which is no folder"),
            std::string::npos);
  folder.write("cx1.json", PaperMachines().at("cx1"));
  EXPECT_EQ(refusal(folder.path(), {"cx1"}), "");
  const std::string missing = refusal(folder.path(), {"cx1", "hector"});
  EXPECT_NE(missing.find("hector.json; expected cx1.json, hector.json"), std::string::npos)
      << missing;
  folder.write("hector.json", PaperMachines().at("cx1"));
  const std::string other = refusal(folder.path(), {"cx1", "hector"});
  EXPECT_NE(other.find("name: found \"cx1\", expected \"hector\""), std::string::npos) << other;
}

/// Every section and link that a paper needs of its machine is asked for, not taken for granted.
TEST(PaperMachines, AMachineWithoutWhatAPaperNeedsIsBadInput) {
  for (const auto& [key, name, paper] :
       {std::tuple("hpl", "mi50-cluster", &reproduce_hu2021),
        std::tuple("start_up", "paragon", &reproduce_orii),
        std::tuple("airfoil", "c2070-cluster", &reproduce_mudalige2011)}) {
    PaperMachines machines;
    Machine bare = machines.at(name);
    bare.sections.erase(key);
    machines.put(bare);
    try {
      paper(machines);
      ADD_FAILURE() << name << " without " << key;
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
    }
  }
  for (const KnownPaper& paper : known_papers())
    for (const std::string& name : paper.machines) {
      PaperMachines machines;
      Machine bare = machines.at(name);
      bare.links.clear();
      bare.topology.reset();
      bare.device.peak_flops_per_s.clear();
      machines.put(bare);
      try {
        (void)paper.reproduce(machines);
      } catch (const BadInput& error) {
        const std::string what = error.what();
        EXPECT_TRUE(what.find(name) != what.npos || what.find(bare.device.name) != what.npos)
            << what;
      }
    }
}

/// Tables 1 and 2 of Shimokawabe, which no published number rests on.
TEST(PaperMachines, LinksAreThePublished) {
  for (const nlohmann::json& one : published("shimokawabe").at("links")) {
    const Link link = PaperMachines().at(one.at("machine")).links.at(one.at("link"));
    const LinkTiming& timing = one.at("unaligned").get<bool>() ? *link.unaligned : link.one_way;
    EXPECT_DOUBLE_EQ(timing.bandwidth_bytes_per_s.value,
                     1e9 * one.at("b0_gbyte_per_s").get<double>())
        << one.at("item");
    EXPECT_DOUBLE_EQ(timing.latency_s.value, 1e-6 * one.at("t0_us").get<double>())
        << one.at("item");
  }
}

}  // namespace
}  // namespace bellwether
