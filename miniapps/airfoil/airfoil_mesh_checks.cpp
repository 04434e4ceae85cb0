// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_mesh_checks.hpp"

#include <fmt/format.h>

#include "miniapps/comm/session.hpp"
#include "miniapps/mesh/fetch.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr const char* singular[] = {"node", "cell", "edge", "boundary edge"};

class Checks {
 public:
  Checks(MPI_Comm comm, const AirfoilBlocks& blocks) : comm_(comm), blocks_(blocks) {}

  void targets_within_their_sets() const {
    for (const BlockMap& map : blocks_.mesh.maps) {
      const std::int64_t most = blocks_.mesh.sets[map.to].total;
      for (std::size_t at = 0; at < map.targets.size(); ++at)
        if (map.targets[at] < 0 || map.targets[at] >= most)
          refuse(map, at / map.arity,
                 fmt::format("has {} {}, expected 0 to {}", singular[map.to], map.targets[at],
                             most - 1));
    }
  }

  void targets_differ() const {
    for (const BlockMap& map : blocks_.mesh.maps) {
      for (std::size_t at = 0; at < map.targets.size(); ++at) {
        const std::size_t row = at / map.arity * map.arity;
        for (std::size_t other = row; other < at; ++other)
          if (map.targets[other] == map.targets[at])
            refuse(map, at / map.arity,
                   fmt::format("has {} {} twice", singular[map.to], map.targets[at]));
      }
    }
  }

  /// `corners`: x and y of each cell's four nodes.
  void areas_positive(const std::vector<double>& corners) const {
    for (std::size_t cell = 0; cell < corners.size() / 8; ++cell) {
      const double* const of = &corners[8 * cell];
      const double area =
          ((of[4] - of[0]) * (of[7] - of[3]) - (of[6] - of[2]) * (of[5] - of[1])) / 2;
      if (!(area > 0))
        refuse(blocks_.mesh.maps[cell_nodes_map], cell,
               fmt::format("has the area {:g}, expected a positive one: its nodes "
                           "counterclockwise, and apart",
                           area));
    }
  }

 private:
  [[noreturn]] void refuse(const BlockMap& map, std::size_t row, const std::string& what) const {
    const std::int64_t element =
        blocks_.mesh.blocks(map.from, ranks_in(comm_)).first(rank_in(comm_)) +
        static_cast<std::int64_t>(row);
    throw BadInput(fmt::format("{}: {} {} {}", place_of(blocks_, map.from, map.name, element),
                               singular[map.from], element, what));
  }

  MPI_Comm comm_;
  const AirfoilBlocks& blocks_;
};

}  // namespace

void check_airfoil(MPI_Comm comm, const AirfoilBlocks& blocks) {
  const Checks checks(comm, blocks);
  const std::int64_t cells = blocks.mesh.sets[airfoil_cells].total;
  agree_on_errors(comm, [&] {
    if (cells < ranks_in(comm))
      throw BadInput(
          fmt::format("{}: found {} cells for {} ranks, expected no more ranks than cells",
                      blocks.origin.name, cells, ranks_in(comm)));
    checks.targets_within_their_sets();
    checks.targets_differ();
  });
  const std::vector<double> corners =
      fetch(comm, blocks.mesh.blocks(airfoil_nodes, ranks_in(comm)),
            blocks.mesh.maps[cell_nodes_map].targets, blocks.coordinates.values, 2);
  agree_on_errors(comm, [&] { checks.areas_positive(corners); });
}

}  // namespace bellwether
