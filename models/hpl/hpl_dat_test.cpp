// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_dat.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "models/errors.hpp"
#include "models/network/trees.hpp"

namespace bellwether {
namespace {

using Changes = std::map<int, std::string>;

/// A file that asks for one case and is told nothing but what no file is spared; some lines
/// changed.
std::string dat(const Changes& changes = {}) {
  const std::vector<std::string> lines{
      "first",   "second",  "out.txt name", "6 device", "1 of N", "1000 N",       "1 of NB",
      "64 NB",   "0 PMAP",  "1 grids",      "1 P",      "2 Q",    "16.0 bound",   "1 count",
      "2 PFACT", "1 count", "4 NBMIN",      "1 count",  "2 NDIV", "1 count",      "1 RFACT",
      "1 count", "1 BCAST", "1 count",      "1 DEPTH",  "2 SWAP", "64 threshold", "0 L1",
      "0 U",     "1 equal", "8 alignment"};
  std::string text;
  for (int number = 1; number <= 31; ++number) {
    const auto changed = changes.find(number);
    text +=
        (changed == changes.end() ? lines[static_cast<std::size_t>(number) - 1] : changed->second) +
        "\n";
  }
  return text;
}

HplDat parsed(const Changes& changes = {}) { return parse_hpl_dat(dat(changes), "HPL.dat"); }

std::string refusal(const std::string& text) {
  try {
    (void)parse_hpl_dat(text, "HPL.dat");
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}
std::string refusal(const Changes& changes) { return refusal(dat(changes)); }

const std::string not_told_apart =
    "HPL.dat, lines 14 to 21, 28 to 31: PFACT, NBMIN, NDIV, RFACT, L1, U, Equilibration and "
    "alignment are this program's own";

TEST(HplDat, OneCase) {
  const HplDat file = parsed();
  EXPECT_EQ(file.sizes, std::vector<long>{1000});
  EXPECT_EQ(file.blocks, std::vector<int>{64});
  ASSERT_EQ(file.grids.size(), 1u);
  EXPECT_EQ(file.grids[0].name(), "1x2");
  EXPECT_EQ(file.bcasts, std::vector<std::string>{"ring-modified"});
  EXPECT_EQ(file.look_aheads, std::vector<bool>{true});
  EXPECT_EQ(file.swap, "mix");
  EXPECT_EQ(file.swap_threshold, 64);
  EXPECT_EQ(file.remarks, std::vector<std::string>{not_told_apart});
}

TEST(HplDat, ListsAsLongAsTheyAreCounted) {
  const HplDat file = parsed({{5, "3 Ns"},
                              {6, "\t1000 500  100000000 N"},
                              {7, "2"},
                              {8, "64 128\r"},
                              {10, "3"},
                              {11, "2 1 4"},
                              {12, "2 4 1 Qs"}});
  EXPECT_EQ(file.sizes, (std::vector<long>{1000, 500, 100000000}));
  EXPECT_EQ(file.blocks, (std::vector<int>{64, 128}));
  ASSERT_EQ(file.grids.size(), 3u);
  EXPECT_EQ(file.grids[0].name() + file.grids[1].name() + file.grids[2].name(), "2x21x44x1");
}

TEST(HplDat, BroadcastsByTheirNumbersAndSwapsByTheirs) {
  const HplDat file = parsed({{22, "6"}, {23, "0 1 2 3 4 5"}});
  EXPECT_EQ(file.bcasts, (std::vector<std::string>{"ring", "ring-modified", "two-rings",
                                                   "two-rings-modified", "pipeline"}));
  for (const std::string& name : broadcast_names()) {
    if (name == "tree") continue;
    EXPECT_EQ(file.bcasts.at(static_cast<std::size_t>(hpl_broadcast_digit(name))), name);
  }
  EXPECT_EQ(hpl_broadcast_digit("tree"), 6);
  EXPECT_EQ(parsed({{26, "0"}}).swap, "binary-exchange");
  EXPECT_EQ(parsed({{26, "1"}}).swap, "spread-roll");
  EXPECT_EQ(parsed({{27, "0"}}).swap_threshold, 0);
}

TEST(HplDat, WhatItDoesNotGetIsSaid) {
  const auto said = [](const Changes& changes) { return parsed(changes).remarks; };
  using Remarks = std::vector<std::string>;
  EXPECT_EQ(said({{4, "7 stderr"}}),
            (Remarks{"HPL.dat, lines 3 and 4: results go to standard output", not_told_apart}));
  EXPECT_EQ(said({{6, "1000 2000 3000 N"}}),
            (Remarks{"HPL.dat, line 6: the first 1 of 3 Ns, as line 5 says", not_told_apart}));
  EXPECT_EQ(said({{13, "-1"}}),
            (Remarks{"HPL.dat, line 13: the residual is held against 2 / sqrt(N), not -1",
                     not_told_apart}));
  EXPECT_EQ(said({{22, "2"}, {23, "0 5"}}),
            (Remarks{"HPL.dat, line 23: pipeline in the place of the long broadcasts, 4 and 5",
                     not_told_apart}));
  EXPECT_EQ(said({{24, "3"}, {25, "0 1 2"}}),
            (Remarks{"HPL.dat, line 25: look-ahead by one panel, not by 2", not_told_apart}));
  EXPECT_EQ(parsed({{24, "3"}, {25, "0 1 2"}}).look_aheads, (std::vector<bool>{false, true}));
  EXPECT_EQ(said({{14, "3"}, {15, "0 1 2"}, {16, "2"}, {17, "2 4"}, {18, "3"}, {19, "2 2 2"}}),
            (Remarks{not_told_apart + ", one for the 6 combinations"}));
  EXPECT_EQ(parse_hpl_dat(dat() + "\n \n", "HPL.dat").remarks, (Remarks{not_told_apart}));
  EXPECT_EQ(parse_hpl_dat(dat() + "##### for another program\n", "HPL.dat").remarks,
            (Remarks{not_told_apart, "HPL.dat, lines from 32 on: not read, nor are they by HPL"}));
}

TEST(HplDat, BlocksGridsAndBroadcastsAsHplTakesThem) {
  using Remarks = std::vector<std::string>;
  const HplDat blocks = parsed({{5, "2"}, {6, "100 1000"}, {7, "4"}, {8, "64 100 128 2000"}});
  EXPECT_EQ(blocks.blocks_of(100), (std::vector<int>{64, 100}));
  EXPECT_EQ(blocks.blocks_of(1000), (std::vector<int>{64, 100, 128, 1000}));
  EXPECT_EQ(blocks.remarks,
            (Remarks{"HPL.dat, line 8: of an N below 2000 all is one block", not_told_apart}));
  const HplDat grids = parsed({{9, "1 column-major"}, {10, "2"}, {11, "1 3"}, {12, "2 2"}});
  EXPECT_TRUE(grids.grids.at(0).column_major && grids.grids.at(1).column_major);
  EXPECT_EQ(grids.remarks,
            (Remarks{"HPL.dat, line 9: ranks lie along the columns of the grids", not_told_apart}));
  EXPECT_FALSE(parsed().grids.at(0).column_major);
  const HplDat bcasts = parsed({{22, "3"}, {23, "0 7 1"}});
  EXPECT_EQ(bcasts.bcasts, (std::vector<std::string>{"ring", "ring-modified"}));
  EXPECT_EQ(bcasts.remarks, (Remarks{"HPL.dat, line 23: BCAST 7 is taken as 1, ring-modified, as "
                                     "HPL takes what is beyond 5",
                                     not_told_apart}));
}

TEST(HplDat, AMissingLineIsNamed) {
  std::string text = dat();
  text.pop_back();
  EXPECT_EQ(refusal(text), "none");
  const std::map<int, std::string> first_wanted{
      {31, "memory alignment"},     {28, "L1"}, {25, "DEPTHs"}, {22, "the number of BCASTs"},
      {14, "the number of PFACTs"}, {12, "Qs"}, {9, "PMAP"},    {3, "the name of an output file"}};
  for (int number = 31; number >= 3; --number) {
    text.resize(text.rfind('\n'));  // without line `number`
    const std::string found = refusal(text);
    EXPECT_EQ(found.find(fmt::format("HPL.dat, line {}: found the file's end, expected ", number)),
              0u)
        << found;
    if (const auto wanted = first_wanted.find(number); wanted != first_wanted.end()) {
      EXPECT_NE(found.find("expected " + wanted->second), found.npos) << found;
    }
  }
  EXPECT_EQ(refusal(""),
            "HPL.dat, line 3: found the file's end, expected the name of an output file");
}

TEST(HplDat, WrongNumbersAreRefusedByTheirLine) {
  EXPECT_EQ(refusal({{5, "2 Ns"}}),
            "HPL.dat, line 6: found \"1000 N\", expected Ns: 2 whole numbers from 1 to 100000000, "
            "as many as line 5 says");
  EXPECT_EQ(refusal({{5, "0"}}),
            "HPL.dat, line 5: found \"0\", expected the number of Ns: a whole number from 1 to 20");
  EXPECT_EQ(refusal({{12, "0"}}),
            "HPL.dat, line 12: found \"0\", expected Qs: 1 whole number from 1 to 1000000000, as "
            "many as line 10 says");
  EXPECT_EQ(
      refusal({{13, "sixteen"}}),
      "HPL.dat, line 13: found \"sixteen\", expected the threshold of the residual: a number");
  const Changes each{{4, "x"},   {5, "21"},   {6, "0"},   {7, "-1"},   {8, "0"},     {9, "2"},
                     {10, ""},   {11, "1.5"}, {12, "2x"}, {13, "nan"}, {14, "four"}, {15, "3"},
                     {16, "0"},  {17, "0"},   {18, "99"}, {19, "1"},   {20, "+-1"},  {21, "-1"},
                     {22, "7a"}, {23, "-1"},  {24, " "},  {25, "-1"},  {26, "3"},    {27, "-1"},
                     {28, "2"},  {29, "yes"}, {30, "2"},  {31, "0"}};
  for (const auto& [number, text] : each)
    EXPECT_EQ(refusal({{number, text}})
                  .find(fmt::format("HPL.dat, line {}: found \"{}\", expected ", number, text)),
              0u)
        << refusal({{number, text}});
}

TEST(HplDat, BytesThatAreNoTextAreShownAsTheirCodes) {
  EXPECT_EQ(refusal({{6, std::string("\x7f\0\xff", 3)}})
                .find("HPL.dat, line 6: found \"\\x7f\\x00\\xff\","),
            0u);
}

TEST(HplDat, AFileThatCannotBeReadOrIsNoSuchFileIsNamed) {
  const auto said = [](const std::string& file) -> std::string {
    try {
      (void)read_hpl_dat(file);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "none";
  };
  const std::string folder = testing::TempDir();
  EXPECT_EQ(said(folder), folder + ": is a directory, expected a file");
  EXPECT_EQ(said(folder + "no.dat"), folder + "no.dat: cannot be read: No such file or directory");
  EXPECT_NE(said("/dev/zero").find("bytes that are 0"), std::string::npos);
}

}  // namespace
}  // namespace bellwether
