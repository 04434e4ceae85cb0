// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/files/airfoil_files.hpp"

#include <sys/resource.h>

#include <csignal>
#include <sstream>

#include "miniapps/airfoil/files/airfoil_files_test.hpp"
#include "miniapps/airfoil/mesh/airfoil_mesh_checks.hpp"

namespace bellwether {
namespace {

void expect_equal(const AirfoilBlocks& a, const AirfoilBlocks& b) {
  for (std::size_t set = 0; set < a.mesh.sets.size(); ++set)
    EXPECT_EQ(a.mesh.sets[set].total, b.mesh.sets[set].total);
  for (std::size_t map = 0; map < a.mesh.maps.size(); ++map)
    EXPECT_EQ(a.mesh.maps[map].targets, b.mesh.maps[map].targets) << a.mesh.maps[map].name;
  EXPECT_EQ(a.coordinates.values, b.coordinates.values);
  EXPECT_EQ(a.bounds.values, b.bounds.values);
}

std::vector<std::string> formats() {
  std::vector<std::string> all{"mesh.dat"};
  if (has_hdf5()) all.emplace_back("mesh.h5");
  return all;
}

TEST_F(AirfoilFiles, ReadBackWhatWasWritten) {
  for (const std::string& name : formats()) {
    for (const AirfoilMesh shape : {AirfoilMesh{2, 1}, {5, 7}, {20, 30}}) {
      const AirfoilBlocks mesh = generate(shape);
      write_airfoil(world(), mesh, path(name));
      expect_equal(read(name), mesh);
      EXPECT_EQ(files(), 1) << "something is left beside the file";
      MPI_Barrier(world());
      if (rank() == 0) std::filesystem::remove(path(name));
      MPI_Barrier(world());
    }
  }
}

TEST_F(AirfoilFiles, TheTextIsOp2sFormatWhateverTheRanks) {
  const AirfoilMesh shape{2, 1};
  write_airfoil(world(), generate(shape), path("mesh.dat"));
  std::istringstream text(read_text("mesh.dat"));
  const AirfoilBlocks whole = generate_airfoil(shape, 1, 0);
  const auto expect_next = [&](double expected) {
    double found = 1e9;
    text >> found;
    ASSERT_EQ(found, expected);
  };
  for (const MeshSet& set : whole.mesh.sets) expect_next(static_cast<double>(set.total));
  for (const double x : whole.coordinates.values) expect_next(x);
  const auto& maps = whole.mesh.maps;
  const auto expect_rows = [&](const std::vector<int>& of_maps, std::int64_t rows, bool flags) {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (const int map : of_maps)
        for (int k = 0; k < maps[map].arity; ++k)
          expect_next(static_cast<double>(maps[map].targets[row * maps[map].arity + k]));
      if (flags) expect_next(whole.bounds.values[row]);
    }
  };
  expect_rows({cell_nodes_map}, shape.cells(), false);
  expect_rows({edge_nodes_map, edge_cells_map}, shape.edges(), false);
  expect_rows({bedge_nodes_map, bedge_cell_map}, shape.boundary_edges(), true);
  std::string more;
  EXPECT_FALSE(text >> more) << more;
}

/// Four cells round a point, written as OP2's MATLAB script spaces it.
const std::string four_cells =
    " 9 4 4 8 \n"
    " 0.000000 0.000000 \n 1.000000 0.000000 \n 2.000000 0.000000 \n"
    " 0.000000 1.000000 \n 1.000000 1.000000 \n 2.000000 1.000000 \n"
    " 0.000000 2.000000 \n 1.000000 2.000000 \n 2.000000 2.000000 \n"
    " 0 1 4 3 \n 1 2 5 4 \n 3 4 7 6 \n 4 5 8 7 \n"
    " 4 1 0 1 \n 3 4 0 2 \n 4 5 1 3 \n 7 4 2 3 \n"
    " 1 0 0 2 \n 2 1 1 2 \n 5 2 1 2 \n 8 5 3 2 \n"
    " 7 8 3 2 \n 6 7 2 2 \n 3 6 2 2 \n 0 3 0 2 \n";

/// The text with line `number` (from 1) replaced.
std::string with_line(int number, const std::string& line) {
  std::istringstream text(four_cells);
  std::string result, next;
  for (int at = 1; std::getline(text, next); ++at) result += (at == number ? line : next) + "\n";
  return result;
}

TEST_F(AirfoilFiles, ReadsTextAsOthersWriteIt) {
  for (const std::string& end : {std::string(), std::string("\n \n\n"), std::string("  ")}) {
    write_text("four.dat", four_cells + end);
    const AirfoilBlocks mesh = read("four.dat");
    EXPECT_EQ(mesh.mesh.sets[airfoil_nodes].total, 9);
    EXPECT_EQ(mesh.mesh.sets[airfoil_bedges].total, 8);
  }
}

TEST_F(AirfoilFiles, RefusesBadText) {
  const auto refused = [&](const std::string& text, std::vector<std::string> patterns) {
    write_text("bad.dat", text);
    patterns.insert(patterns.begin(), path("bad.dat"));
    expect_refusal(patterns, [&] { (void)read("bad.dat"); });
    MPI_Barrier(world());
  };
  refused("", {"line 1", "numbers of nodes"});
  refused(with_line(1, "9 4 4"), {"line 1", "found \"9 4 4\""});
  refused(with_line(1, "9 4 4 9"), {"line 27", "end after 25 elements", "9 boundary edges"});
  refused(with_line(1, "9 4 4 7"), {"line 26", "found \" 0 3 0 2 \"", "end after the 24 elements"});
  refused(with_line(1, "2147483647 2147483647 2147483647 2147483647"),
          {"line 27", "end after 25 elements"});
  refused(with_line(3, "1 x"), {"line 3", "found \"1 x\"", "a node"});
  refused(with_line(11, "0 1 4 9"), {"line 11", "cell 0 has node 9", "0 to 8"});
  refused(with_line(11, "0 1 4 -1"), {"line 11", "cell 0 has node -1"});
  refused(with_line(12, "1 2 5 2"), {"line 12", "cell 1 has node 2 twice"});
  refused(with_line(13, "3 6 7 4"), {"line 13", "cell 2 has the area -1"});
  refused(with_line(6, "3 3"), {"line 14", "cell 3 has the area -1"});
  refused(with_line(15, "4 1 0 0"), {"line 15", "edge 0 has cell 0 twice"});
  refused(with_line(16, "3 4 0 4"), {"line 16", "edge 1 has cell 4", "0 to 3"});
  refused(with_line(17, "4 4 1 3"), {"line 17", "edge 2 has node 4 twice"});
  refused(with_line(19, "1 0 4 2"), {"line 19", "boundary edge 0 has cell 4"});
  refused(with_line(20, "2 1 1 3000000000"), {"line 20", "boundary edge 1 has flag 3000000000"});
  refused(with_line(20, ""), {"line 20", "found \"\"", "a boundary edge"});
  // The last line without its end, which may have cut its last number.
  refused(four_cells.substr(0, four_cells.size() - 2), {"line 26", "cut off"});
  refused(four_cells.substr(0, four_cells.size() - 5), {"line 26", "cut off"});
  refused(four_cells.substr(0, 100), {"expected"});
  refused(std::string("\x89HDF\r\n\x1a\n\0\0\0\0", 12) + std::string(9000, '\0'), {"expected"});
  refused(std::string(20000, 'x'), {"more than 4096 bytes", "binary file"});
  refused(with_line(12, "1 2 5 4" + std::string(9000, ' ')),
          {"line 12: found more than 4096 bytes"});
  refused(with_line(10, "1e200 1e200"), {"line 14", "cell 3 has", "finite"});
  expect_refusal({path("no.dat"), "cannot be read"}, [&] { (void)read("no.dat"); });
  expect_refusal({path("."), "is a directory"}, [&] { (void)read("."); });
}

TEST_F(AirfoilFiles, RefusesMoreRanksThanCells) {
  if (test_session().size() < 4) GTEST_SKIP() << "the smallest mesh has three cells";
  expect_refusal({"generated airfoil mesh 1 x 1", "3 cells for 4 ranks"}, [&] {
    check_airfoil(world(), generate({1, 1}));
  });
}

TEST_F(AirfoilFiles, AsksForMemoryBeforeItIsTaken) {
  const AirfoilMesh shape{20, 30};
  const double needed = airfoil_mesh_bytes(airfoil_frame(shape).mesh);
  // A cell has a node, two edges and maps of 12 entries.
  EXPECT_GT(needed, 2.5 * 112 * 1800);
  EXPECT_LT(needed, 5.0 * 112 * 1800);
  for (const std::string& name : formats()) {
    write_airfoil(world(), generate(shape), path(name));
    double most = 0;
    (void)read_airfoil(world(), path(name), [&](double bytes) { most = std::max(most, bytes); });
    EXPECT_EQ(most, needed);
    EXPECT_THROW((void)read_airfoil(world(), path(name),
                                    [&](double bytes) {
                                      if (bytes >= needed) throw BadEnvironment("too much");
                                    }),
                 BadEnvironment);
    MPI_Barrier(world());
  }
}

TEST_F(AirfoilFiles, RefusesF32WhereItsRangeDoesNotSuffice) {
  const auto refused = [&](const std::string& text, const std::vector<std::string>& patterns) {
    write_text("bad.dat", text);
    const AirfoilBlocks mesh = read("bad.dat");
    expect_refusal(patterns, [&] { check_airfoil_in_f32(world(), mesh); });
    MPI_Barrier(world());
  };
  refused(with_line(10, "1e40 2"), {path("bad.dat"), "line 10", "node 8 has", "1e+40", "f32"});
  refused(with_line(10, "1e30 2"), {path("bad.dat"), "line 14", "cell 3 has", "f32"});
  check_airfoil_in_f32(world(), generate({20, 30}));
}

/// As a full disk, on one rank: no file may grow beyond so many bytes.
class Limit {
 public:
  Limit(bool here, rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{here ? bytes : before_.rlim_cur, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~Limit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  rlimit before_{};
  void (*signal_)(int);
};

TEST_F(AirfoilFiles, AFailureOnAnyRankLeavesNothing) {
  for (const std::string& name : formats()) {
    for (const int victim : {0, test_session().size() - 1}) {
      for (const rlim_t bytes : {0, 1000, 20000}) {
        expect_refusal({path(name), "cannot be written"}, [&] {
          const Limit limit(rank() == victim, bytes);
          write_airfoil(world(), generate({20, 30}), path(name));
        });
        EXPECT_EQ(files(), 0);
        MPI_Barrier(world());
      }
    }
  }
}

TEST_F(AirfoilFiles, RefusesToWriteWhereItCannot) {
  for (const std::string& name : formats())
    expect_refusal({path("no/" + name), "cannot be written"}, [&] {
      write_airfoil(world(), generate({2, 1}), path("no/" + name));
    });
}

}  // namespace
}  // namespace bellwether
