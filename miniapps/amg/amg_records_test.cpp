// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_records.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

json sent(double per_row) {
  return {
      {"average_sends", 0}, {"max_sends", 0}, {"max_elements", 0}, {"nonzeros_per_row", per_row}};
}

json hierarchy(int ranks, double unknowns) {
  return {{"processes", ranks},
          {"levels",
           {{{"unknowns", unknowns},
             {"active_processes", ranks},
             {"solve", sent(7)},
             {"interpolation", sent(2)}},
            {{"unknowns", 9}, {"active_processes", 1}, {"solve", sent(9)}}}}};
}

json record(int ranks, double unknowns) {
  return {{"schema", "bellwether.record/1"},
          {"app", "amg"},
          {"problem", {{"problem", "laplace"}, {"stencil", 7}, {"cells", {10, 10, 10}}}},
          {"variant",
           {{"relax", "l1-jacobi"},
            {"sweeps", 2},
            {"solver", "pcg"},
            {"overlap", "off"},
            {"coarsening", "hmis"},
            {"interpolation", "ext+i"},
            {"pmax", 4},
            {"aggressive_levels", 1}}},
          {"verification", {{"passed", true}}},
          {"result", {{"hierarchy", hierarchy(ranks, unknowns)}}}};
}

json changed(const char* pointer, const json& value, int ranks = 4) {
  json one = record(ranks, 1000);
  one[json::json_pointer(pointer)] = value;
  return one;
}

class AmgRecords : public testing::Test {
 protected:
  void TearDown() override { std::remove(path_.c_str()); }
  KnownHierarchies read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_hierarchies(path_);
  }
  KnownHierarchies read(const std::vector<json>& records) {
    std::string text;
    for (const json& one : records) text += one.dump() + "\n";
    return read(text);
  }
  template <class Content>
  std::string refusal(const Content& content) {
    try {
      (void)read(content);
    } catch (const BadInput& error) {
      std::string said = error.what();
      if (said.starts_with(path_)) said.replace(0, path_.size(), "F");
      return said;
    }
    return "none";
  }
  std::string path_ = testing::TempDir() + "amg_records_" + std::to_string(getpid());
};

TEST_F(AmgRecords, OneHierarchyForEachNumberOfRanksAndUnknowns) {
  const KnownHierarchies known =
      read({record(1, 1000), changed("/variant/overlap", "on", 1), changed("/app", "diffusion"),
            changed("/verification/passed", false), record(2, 1000), record(2, 8000)});
  ASSERT_EQ(known.all.size(), 3u);
  EXPECT_EQ(known.all[0].processes, 1);
  EXPECT_EQ(known.all[1].processes, 2);
  EXPECT_EQ(known.all[2].levels[0].unknowns, 8000);
  ASSERT_TRUE(known.variant);
  EXPECT_EQ(known.variant->relax, "l1-jacobi");
  EXPECT_EQ(known.variant->sweeps, 2);
  EXPECT_EQ(known.variant->solver, "pcg");
}

TEST_F(AmgRecords, WhatDoesNotShapeAHierarchyMayDiffer) {
  EXPECT_EQ(
      refusal(std::vector{record(1, 1000), changed("/variant/relax", "chebyshev"),
                          changed("/variant/sweeps", 1), changed("/problem/cells", {20, 10, 10})}),
      "none");
}

TEST_F(AmgRecords, OtherProblemsAndOptionsAreRefused) {
  EXPECT_EQ(refusal(std::vector{changed("/app", "hpl"), record(1, 1000),
                                changed("/variant/coarsening", "pmis")}),
            "F, line 3: found coarsening \"pmis\", expected \"hmis\" as in line 2: hierarchies of "
            "one problem and one set of options");
  EXPECT_EQ(refusal(std::vector{record(1, 1000), changed("/problem/stencil", 27)})
                .find("F, line 2: found stencil 27, expected 7 as in line 1"),
            0u);
  EXPECT_NE(refusal(std::vector{record(1, 1000), changed("/problem/matrix", "a.mtx")}), "none");
}

TEST_F(AmgRecords, RecordsThatDoNotTellAreRefusedByTheirLine) {
  EXPECT_EQ(refusal(std::vector{changed("/app", "hpl")}),
            "F: found no verified record of amg in 1 line, expected those of bellwether run amg");
  json without = record(1, 1000);
  without["result"].erase("hierarchy");
  EXPECT_EQ(refusal(std::vector{record(1, 1000), without}).find("F, line 2: key /hierarchies/0"),
            0u);
  EXPECT_EQ(refusal(std::vector{changed("/variant/sweeps", 0)}).find("F, line 1: key /sweeps: "),
            0u);
  // A line that a killed run left, amid others.
  EXPECT_EQ(read(record(1, 1000).dump() + "\n" + record(2, 1000).dump().substr(0, 90) + "\n" +
                 record(4, 1000).dump() + "\n")
                .all.size(),
            2u);
}

TEST_F(AmgRecords, FilesOfHierarchiesHaveNoVariant) {
  const json document = {{"hierarchies", {hierarchy(8, 500)}}};
  const KnownHierarchies known = read(document.dump(1));
  EXPECT_EQ(known.all.size(), 1u);
  EXPECT_FALSE(known.variant);
  EXPECT_EQ(refusal(std::string("[]")).find("F: key /: found array"), 0u);
  EXPECT_EQ(refusal(std::string()),
            "F: found no verified record of amg in 0 lines, expected those of bellwether run amg");
  EXPECT_THROW((void)read_hierarchies(testing::TempDir()), BadInput);
}

}  // namespace
}  // namespace bellwether
