// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_solid_work.hpp"

#include <algorithm>
#include <cmath>

#include "miniapps/lbm/lbm_geometry.hpp"

namespace bellwether {

SolidWork solid_work(double fluid_cells, const std::vector<LbmLink>& links, double value_bytes,
                     const std::array<double, 3>& areas) {
  const auto line = static_cast<std::ptrdiff_t>(cache_line_bytes / value_bytes);
  SolidWork work{.fluid_cells = fluid_cells};
  const LbmLink* last = nullptr;
  for (const LbmLink& link : links) {
    const auto& towards = d3q19::velocity[link.pair];
    double area = 0;  // of the larger of the walls that a diagonal one may be of
    for (int d = 0; d < 3; ++d)
      if (towards[d] != 0) area = std::max(area, areas[d]);
    work.walls_x += towards[1] == 0 && towards[2] == 0 ? area : 0;
    const bool in_last =
        last != nullptr && last->pair == link.pair && last->cell / line == link.cell / line;
    work.link_lines += in_last ? 0 : area;
    last = &link;
  }
  return work;
}

namespace {

/// A smaller picture of a domain: each of its cells stands for so many in each direction.
struct Picture {
  LbmProblem problem;
  std::array<double, 3> times{1, 1, 1};

  [[nodiscard]] double volume() const { return times[0] * times[1] * times[2]; }
  /// Cells of a face across each direction that one stands for.
  [[nodiscard]] std::array<double, 3> areas() const {
    return {volume() / times[0], volume() / times[1], volume() / times[2]};
  }
};

/// Of a generated geometry of more than a million cells; of others the domain itself.
Picture picture_of(const LbmProblem& problem, const std::array<int, 3>& ranks) {
  constexpr double most_cells = 1 << 20;
  constexpr int fewest = 48, fewest_of_a_rank = 4;  // a city's blocks look the same from 36 on
  Picture picture{problem};
  const double smaller = std::cbrt(most_cells / problem.volume());
  if (!is_generated(problem.geometry) || smaller >= 1) return picture;
  for (int d = 0; d < 3; ++d) {
    const auto cells = static_cast<double>(problem.cells[d]);
    const long long drawn =
        std::max<long long>({std::llround(smaller * cells), fewest, fewest_of_a_rank * ranks[d]});
    picture.problem.cells[d] = std::min(problem.cells[d], drawn);
    picture.times[d] = cells / static_cast<double>(picture.problem.cells[d]);
  }
  return picture;
}

/// Cells that are fluid in the domain and are a plate's in its picture, where plates are as many
/// times too thick: as many as in the layer beside the plate.
double fluid_in_plates(const Picture& picture, const std::vector<unsigned char>& solid,
                       const GridLayout& layout, bool lowest, bool highest) {
  const auto& cells = layout.cells();
  if (!picture.problem.between_plates() || cells[2] < 2) return 0;
  double fluid = 0;
  for (const auto& [is_there, beside] : {std::pair{lowest, 1}, {highest, cells[2] - 2}})
    for (int j = 0; is_there && j < cells[1]; ++j)
      for (int i = 0; i < cells[0]; ++i) fluid += solid[layout.at(i, j, beside)] == 0 ? 1 : 0;
  return fluid * (picture.times[2] - 1) * picture.times[0] * picture.times[1];
}

}  // namespace

std::vector<SolidWork> solid_work(const LbmProblem& problem, const Decomposition& decomposition) {
  if (is_all_fluid(problem)) return {};
  const std::array<int, 3>& ranks = decomposition.ranks();
  const Picture picture = picture_of(problem, ranks);
  const Decomposition drawn(picture.problem.grid(), ranks, problem.periodic());
  std::array<bool, 3> wraps{};
  for (int d = 0; d < 3; ++d) wraps[d] = problem.periodic() && ranks[d] == 1;
  std::vector<SolidWork> all;
  for (int rank = 0; rank < decomposition.size(); ++rank) {
    const GridLayout layout(drawn.local_cells(rank), 1);
    const std::vector<unsigned char> solid = solid_cells(picture.problem, drawn, rank, layout);
    const auto fluid = static_cast<double>(layout.interior().cells() - count_solid(solid, layout));
    const int z = drawn.coordinates(rank)[2];
    const double beside_plates = fluid_in_plates(picture, solid, layout, z == 0, z == ranks[2] - 1);
    all.push_back(solid_work(fluid * picture.volume() + beside_plates,
                             bounce_links(solid, layout, layout, wraps), problem.value_bytes(),
                             picture.areas()));
  }
  return all;
}

double fluid_cells(const LbmProblem& problem) {
  if (is_all_fluid(problem)) return problem.volume();
  return solid_work(problem, {problem.grid(), {1, 1, 1}, problem.periodic()})[0].fluid_cells;
}

}  // namespace bellwether
