// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_geometry.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <numbers>
#include <random>
#include <set>
#include <tuple>

#include "miniapps/lbm/lbm_solid_work.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

LbmProblem problem_of(const char* geometry, std::array<long long, 3> cells,
                      const char* boundary = "periodic") {
  LbmProblem problem;
  problem.cells = cells;
  problem.geometry = geometry;
  problem.boundary = boundary;
  return problem;
}

/// The whole domain on one rank.
struct Picture {
  explicit Picture(const LbmProblem& problem)
      : layout(problem.grid(), 4),
        solid(solid_cells(problem, {problem.grid(), {1, 1, 1}, problem.periodic()}, 0, layout)) {}
  [[nodiscard]] bool at(int i, int j, int k) const { return solid[layout.at(i, j, k)] != 0; }

  GridLayout layout;
  std::vector<unsigned char> solid;
};

/// Raw bytes in a file of its own.
class RawFile {
 public:
  explicit RawFile(const std::string& bytes)
      : path_("lbm-geometry-" + std::to_string(getpid()) + ".raw") {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~RawFile() { unlink(path_.c_str()); }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  [[nodiscard]] const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

/// 4 x 3 x 2 cells, some of them solid.
std::string some_cells() {
  std::string bytes(24, '\0');
  for (const int at : {0, 5, 11, 12, 23}) bytes[at] = 1;
  return bytes;
}

TEST(LbmGeometry, AllDecompositionsCutTheSamePicture) {
  const RawFile file(some_cells());
  for (const char* boundary : {"periodic", "walls"}) {
    for (const auto& problem :
         {problem_of("none", {5, 4, 6}, boundary), problem_of("sphere", {18, 17, 19}, boundary),
          problem_of("city", {26, 25, 24}, boundary), problem_of("channel", {4, 5, 6}),
          problem_of(file.path(), {4, 3, 2}, boundary)}) {
      SCOPED_TRACE(problem.geometry + " " + problem.boundary);
      const Picture whole(problem);
      for (const std::array<int, 3> ranks : {std::array{2, 1, 1}, {1, 3, 2}, {4, 2, 1}}) {
        const Decomposition decomposition(problem.grid(), ranks, problem.periodic());
        for (int rank = 0; rank < decomposition.size(); ++rank) {
          const auto cells = decomposition.local_cells(rank), first = decomposition.offset(rank);
          const GridLayout layout(cells, 8);
          const auto part = solid_cells(problem, decomposition, rank, layout);
          for (int k = -1; k <= cells[2]; ++k)
            for (int j = -1; j <= cells[1]; ++j)
              for (int i = -1; i <= cells[0]; ++i)
                ASSERT_EQ(part[layout.at(i, j, k)] != 0,
                          whole.at(first[0] + i, first[1] + j, first[2] + k));
        }
      }
    }
  }
}

TEST(LbmGeometry, BeyondPeriodicBordersIsTheOtherEndAndBeyondWallsIsSolid) {
  const RawFile file(some_cells());
  const Picture periodic(problem_of(file.path(), {4, 3, 2}));
  const Picture walled(problem_of(file.path(), {4, 3, 2}, "walls"));
  for (int k = -1; k <= 2; ++k)
    for (int j = -1; j <= 3; ++j)
      for (int i = -1; i <= 4; ++i) {
        const std::size_t at = (i + 4) % 4 + 4 * ((j + 3) % 3 + 3 * ((k + 2) % 2));
        EXPECT_EQ(periodic.at(i, j, k), some_cells()[at] == 1);
        const bool inside = i >= 0 && i < 4 && j >= 0 && j < 3 && k >= 0 && k < 2;
        EXPECT_EQ(walled.at(i, j, k), !inside || some_cells()[at] == 1);
      }
}

TEST(LbmGeometry, ChannelHasPlatesInZOnly) {
  const Picture channel(problem_of("channel", {3, 4, 5}));
  EXPECT_EQ(count_solid(channel.solid, channel.layout), 2u * 12);
  EXPECT_TRUE(channel.at(1, 2, 0) && channel.at(2, 3, 4));
  EXPECT_FALSE(channel.at(0, 0, 1) || channel.at(2, 3, 3));
}

TEST(LbmGeometry, SphereIsAQuarterAsWideAsTheShortestSide) {
  const Picture sphere(problem_of("sphere", {80, 72, 64}));
  const double volume = std::numbers::pi / 6 * 16 * 16 * 16;
  const auto found = static_cast<double>(count_solid(sphere.solid, sphere.layout));
  EXPECT_NEAR(found, volume, 0.02 * volume);
  EXPECT_TRUE(sphere.at(40, 36, 32 + 7));
  EXPECT_FALSE(sphere.at(40, 36, 32 + 8) || sphere.at(40 + 6, 36 + 6, 32));
}

TEST(LbmGeometry, CityStandsOnTheGroundWithStreetsAndASky) {
  const Picture city(problem_of("city", {60, 48, 40}));
  int buildings = 0, tallest = 0;
  for (int j = 0; j < 48; ++j) {
    for (int i = 0; i < 60; ++i) {
      EXPECT_TRUE(city.at(i, j, 0) && city.at(i, j, 39));
      int height = 1;
      while (city.at(i, j, height)) ++height;
      for (int k = height; k < 39; ++k) ASSERT_FALSE(city.at(i, j, k)) << "nothing hovers";
      buildings += height > 1;
      tallest = std::max(tallest, height);
    }
  }
  // Buildings take 0.6 x 0.6 of a block, four blocks in five.
  EXPECT_GT(buildings, 60 * 48 / 8);
  EXPECT_LT(buildings, 60 * 48 / 2);
  EXPECT_GT(tallest, 10);
  EXPECT_LE(tallest, 20);
}

TEST(LbmGeometry, FilesAreRefusedByNameSizeAndContent) {
  const auto refusal = [](const auto& body) {
    try {
      body();
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const RawFile file(some_cells() + '\2');
  const std::string name = file.path();
  EXPECT_EQ(refusal([&] {
              check_geometry(problem_of(file.path(), {4, 3, 2}));
            }),
            "--geometry: file '" + name + "': found 25 bytes, expected 24 (4 x 3 x 2)");
  EXPECT_EQ(refusal([&] {
              check_geometry(problem_of("no-such-file", {4, 3, 2}));
            }),
            "--geometry: found 'no-such-file', expected none, channel, sphere, city or a file that "
            "can be read");
  EXPECT_EQ(refusal([&] { check_geometry(problem_of(file.path(), {5, 5, 1})); }), "accepted");
  EXPECT_EQ(refusal([&] {
              Picture(problem_of(file.path(), {5, 5, 1}));
            }),
            "--geometry: file '" + name + "', byte 24: found 2, expected 0 (fluid) or 1 (solid)");
}

using Links = std::multiset<std::tuple<std::int64_t, int, int>>;

/// By the definition of LbmLink, cell after cell.
Links expected_links(const std::vector<unsigned char>& solid, const GridLayout& layout,
                     const GridLayout& field, std::array<bool, 3> wraps) {
  const auto& cells = layout.cells();
  Links links;
  const auto wrapped = [&](int at, int d) { return wraps[d] ? (at + cells[d]) % cells[d] : at; };
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      for (int i = 0; i < cells[0]; ++i) {
        if (solid[layout.at(i, j, k)] == 1) continue;
        for (int p = 0; p < d3q19::pairs; ++p)
          for (const int sign : {1, -1}) {
            const auto& c = d3q19::velocity[p];
            const int x = wrapped(i + sign * c[0], 0), y = wrapped(j + sign * c[1], 1),
                      z = wrapped(k + sign * c[2], 2);
            if (solid[layout.at(x, y, z)] == 1)
              links.emplace(sign > 0 ? field.at(x, y, z) : field.at(i, j, k), p, sign);
          }
      }
  return links;
}

TEST(LbmLinks, AreThoseOfTheDefinition) {
  std::mt19937 random(7);
  for (const std::array<int, 3> cells : {std::array{7, 6, 5}, {1, 4, 3}, {2, 1, 9}}) {
    for (int wrapping = 0; wrapping < 8; ++wrapping) {
      const std::array<bool, 3> wraps{wrapping % 2 == 1, wrapping / 2 % 2 == 1, wrapping / 4 == 1};
      for (const unsigned one_in : {2u, 20u, 1000u}) {
        const GridLayout layout(cells, 1);
        const GridLayout field(cells, 8, wraps[0] ? RowGhosts::none : RowGhosts::both);
        std::vector<unsigned char> solid(layout.elements(), 0);
        for (int k = -1; k <= cells[2]; ++k)
          for (int j = -1; j <= cells[1]; ++j)
            for (int i = -1; i <= cells[0]; ++i) solid[layout.at(i, j, k)] = random() % one_in == 0;
        // Ghost cells of a direction that wraps are the other end's.
        for (int d = 0; d < 3; ++d) {
          if (!wraps[d]) continue;
          for (int k = -1; k <= cells[2]; ++k)
            for (int j = -1; j <= cells[1]; ++j)
              for (int i = -1; i <= cells[0]; ++i) {
                std::array<int, 3> from{i, j, k};
                from[d] = (from[d] + cells[d]) % cells[d];
                solid[layout.at(i, j, k)] = solid[layout.at(from[0], from[1], from[2])];
              }
        }
        Links found;
        for (const LbmLink& link : bounce_links(solid, layout, field, wraps))
          found.emplace(link.cell, link.pair, link.towards);
        EXPECT_EQ(found, expected_links(solid, layout, field, wraps));
      }
    }
  }
}

/// By their definition, cell after cell of the whole periodic domain.
SolidWork expected_work(const LbmProblem& problem, std::ptrdiff_t line) {
  const Picture picture(problem);
  const auto& cells = picture.layout.cells();
  SolidWork work;
  std::set<std::tuple<int, std::ptrdiff_t>> lines;
  for (const auto& [cell, pair, sign] :
       expected_links(picture.solid, picture.layout, picture.layout, {true, true, true})) {
    work.walls_x += pair == 0 ? 1 : 0;
    lines.emplace(pair, cell / line);
  }
  work.link_lines = static_cast<double>(lines.size());
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      for (int i = 0; i < cells[0]; ++i) work.fluid_cells += picture.at(i, j, k) ? 0 : 1;
  return work;
}

TEST(LbmSolidWork, CountsFluidCellsWallsAcrossXAndLines) {
  ASSERT_EQ(d3q19::velocity[0][0], 1);
  const LbmProblem city = problem_of("city", {40, 36, 24});
  const SolidWork expected = expected_work(city, 16);
  const std::vector<SolidWork> alone = solid_work(city, {city.grid(), {1, 1, 1}, true});
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0].fluid_cells, expected.fluid_cells);
  EXPECT_EQ(alone[0].walls_x, expected.walls_x);
  // A line left and come back to counts once more.
  EXPECT_GE(alone[0].link_lines, expected.link_lines);
  EXPECT_LT(alone[0].link_lines, 1.6 * expected.link_lines);
  SolidWork together;
  const std::vector<SolidWork> parts = solid_work(city, {city.grid(), {2, 1, 3}, true});
  ASSERT_EQ(parts.size(), 6u);
  for (const SolidWork& part : parts) {
    together.fluid_cells += part.fluid_cells;
    together.walls_x += part.walls_x;
  }
  EXPECT_EQ(together.fluid_cells, expected.fluid_cells);
  EXPECT_EQ(together.walls_x, expected.walls_x);
  EXPECT_GT(parts[0].link_lines, parts[2].link_lines) << "buildings stand on the ground";
}

TEST(LbmSolidWork, IsNothingWhereAllIsFluidAndOfAWallItsLines) {
  const LbmProblem open = problem_of("none", {16, 8, 8});
  EXPECT_TRUE(solid_work(open, {open.grid(), {1, 1, 1}, true}).empty());
  const LbmProblem box = problem_of("none", {16, 8, 8}, "walls");
  const SolidWork walls = solid_work(box, {box.grid(), {1, 1, 1}, false}).at(0);
  EXPECT_EQ(walls.fluid_cells, 16 * 8 * 8);
  EXPECT_EQ(walls.walls_x, 2 * 8 * 8);
  EXPECT_GT(walls.link_lines, walls.walls_x);
}

TEST(LbmSolidWork, OfALargeDomainASmallerPictureStandsForIt) {
  for (const auto& [geometry, cells] : {std::pair{"sphere", std::array{160LL, 144LL, 128LL}},
                                        {"city", {160, 144, 128}},
                                        {"channel", {160, 144, 128}},
                                        {"channel", {400, 400, 30}},
                                        {"city", {400, 380, 30}}}) {
    SCOPED_TRACE(std::to_string(cells[2]));
    const LbmProblem problem = problem_of(geometry, cells);
    const Decomposition parts(problem.grid(), {1, 2, 2}, true);
    const std::vector<SolidWork> drawn = solid_work(problem, parts);
    ASSERT_EQ(drawn.size(), 4u);
    SolidWork found, all;
    for (int rank = 0; rank < 4; ++rank) {
      const GridLayout layout(parts.local_cells(rank), 1);
      const std::vector<unsigned char> solid = solid_cells(problem, parts, rank, layout);
      const SolidWork whole = solid_work(
          static_cast<double>(layout.interior().cells() - count_solid(solid, layout)),
          bounce_links(solid, layout, layout, {true, false, false}), problem.value_bytes());
      EXPECT_NEAR(drawn[rank].fluid_cells, whole.fluid_cells, 0.03 * whole.fluid_cells) << geometry;
      for (const auto& [sum, one] : {std::pair{&found, &drawn[rank]}, {&all, &whole}}) {
        sum->walls_x += one->walls_x;
        sum->link_lines += one->link_lines;
      }
    }
    EXPECT_NEAR(found.walls_x, all.walls_x, 0.15 * all.walls_x) << geometry;
    EXPECT_NEAR(found.link_lines, all.link_lines, 0.25 * all.link_lines) << geometry;
  }
}

}  // namespace
}  // namespace bellwether
