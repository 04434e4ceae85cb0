// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_mesh_text.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

const std::string records_of_a_mesh =
    " 0.5 -1e-3 \n"
    "1.000000 2\n"
    "\t3 4.25\r\n"
    " 0 1 2 0 \n"
    "7 6 5 4\n"
    "0 1 0 1\n"
    "2 1 1 -2147483648\n";
const AirfoilMeshCounts counts_of_a_mesh{{3, 2, 1, 1}};

TEST(AirfoilMeshText, ReadsCounts) {
  const AirfoilMeshCounts counts = parse_mesh_counts(" 721801 720000 1438600 2800 \r", "f");
  EXPECT_EQ(counts.of, (std::array<std::int64_t, 4>{721801, 720000, 1438600, 2800}));
  EXPECT_EQ(counts.records(), 721801 + 720000 + 1438600 + 2800);
  EXPECT_EQ(counts.before(2), 721801 + 720000);
}

TEST(AirfoilMeshText, ReadsEveryRecord) {
  const AirfoilMeshRecords all =
      parse_mesh_lines(records_of_a_mesh + " \n\n", 2, counts_of_a_mesh, "f");
  EXPECT_EQ(all.first, (std::array<std::int64_t, 4>{0, 0, 0, 0}));
  EXPECT_EQ(all.coordinates, (std::vector<double>{0.5, -1e-3, 1, 2, 3, 4.25}));
  EXPECT_EQ(all.cells, (std::vector<std::int64_t>{0, 1, 2, 0, 7, 6, 5, 4}));
  EXPECT_EQ(all.edges, (std::vector<std::int64_t>{0, 1, 0, 1}));
  EXPECT_EQ(all.bedges, (std::vector<std::int64_t>{2, 1, 1, -2147483648}));
}

TEST(AirfoilMeshText, PiecesJoinToTheWhole) {
  const AirfoilMeshRecords all = parse_mesh_lines(records_of_a_mesh, 2, counts_of_a_mesh, "f");
  const std::string_view text = records_of_a_mesh;
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    if (cut > 0 && text[cut - 1] != '\n') continue;
    const LineCount before = count_lines(text.substr(0, cut));
    AirfoilMeshRecords joined = parse_mesh_lines(text.substr(0, cut), 2, counts_of_a_mesh, "f");
    const AirfoilMeshRecords rest =
        parse_mesh_lines(text.substr(cut), 2 + before.lines, counts_of_a_mesh, "f");
    EXPECT_EQ(rest.first[0], static_cast<std::int64_t>(joined.coordinates.size() / 2));
    EXPECT_EQ(rest.first[1], static_cast<std::int64_t>(joined.cells.size() / 4));
    EXPECT_EQ(rest.first[2], static_cast<std::int64_t>(joined.edges.size() / 4));
    EXPECT_EQ(rest.first[3], static_cast<std::int64_t>(joined.bedges.size() / 4));
    joined.coordinates.insert(joined.coordinates.end(), rest.coordinates.begin(),
                              rest.coordinates.end());
    joined.bedges.insert(joined.bedges.end(), rest.bedges.begin(), rest.bedges.end());
    EXPECT_EQ(joined.coordinates, all.coordinates);
    EXPECT_EQ(joined.bedges, all.bedges);
  }
}

TEST(AirfoilMeshText, CountsLines) {
  const auto expect_lines = [](const char* text, std::int64_t lines, std::int64_t last) {
    EXPECT_EQ(count_lines(text).lines, lines) << text;
    EXPECT_EQ(count_lines(text).last_filled, last) << text;
  };
  expect_lines("", 0, 0);
  expect_lines("1", 1, 1);
  expect_lines("1\n2\n", 2, 2);
  expect_lines("1\n\n3", 3, 3);
  expect_lines("1\n \t\r\n\n", 3, 1);
}

/// The message of the refusal has all the patterns.
template <class Body>
void expect_refusal(const std::vector<std::string>& patterns, const Body& body) {
  try {
    body();
    FAIL() << "nothing was refused: " << patterns.back();
  } catch (const BadInput& refusal) {
    for (const std::string& pattern : patterns)
      EXPECT_NE(std::string(refusal.what()).find(pattern), std::string::npos) << refusal.what();
  }
}

TEST(AirfoilMeshText, RefusesWhatIsNoCounts) {
  for (const char* line : {"", "1 2 3", "1 2 3 4 5", "1 2 3 x", "1 2 3 4.5", "-1 2 3 4",
                           "1 2 3 2147483648", "1 2 3 99999999999999999999", "\x89HDF\r"})
    expect_refusal({"grid.dat, line 1: found \"", "numbers of nodes, cells, edges"},
                   [&] { (void)parse_mesh_counts(line, "grid.dat"); });
  expect_refusal({"\\x89HDF\\x0d"}, [] { (void)parse_mesh_counts("\x89HDF\r", "grid.dat"); });
}

TEST(AirfoilMeshText, RefusesWhatIsNoRecord) {
  const auto refused = [](std::size_t line, const std::string& text, const std::string& expected) {
    std::string file;
    std::size_t at = 0, next = 0;
    for (std::size_t number = 2; at < records_of_a_mesh.size(); ++number, at = next + 1) {
      next = records_of_a_mesh.find('\n', at);
      file += (number == line ? text : records_of_a_mesh.substr(at, next - at)) + "\n";
    }
    expect_refusal({"grid.dat, line " + std::to_string(line) + ": found", expected},
                   [&] { (void)parse_mesh_lines(file, 2, counts_of_a_mesh, "grid.dat"); });
  };
  refused(2, "0.5", "a node: x and y");
  refused(3, "1 2 3", "a node: x and y");
  refused(3, "", "a node: x and y");
  refused(4, "nan 1", "finite coordinates");
  refused(4, "1 1e999", "a node: x and y");
  refused(5, "1 2 3", "a cell: four nodes");
  refused(6, "1 2 3 4.0", "a cell: four nodes");
  refused(7, "1 2 3 4 5", "an edge: two nodes and two cells");
  refused(8, "1 2 3 99999999999999999999", "a boundary edge: two nodes, a cell and a flag");
  expect_refusal({"grid.dat, line 9: found \"0 0\"", "end after the 7 elements"}, [] {
    (void)parse_mesh_lines(records_of_a_mesh + "0 0", 2, counts_of_a_mesh, "grid.dat");
  });
}

}  // namespace
}  // namespace bellwether
