// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/mesh/airfoil_mesh_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/launch/host_device.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/mesh/parcels.hpp"
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
      if (!(area > 0 && std::isfinite(area)))
        refuse(blocks_.mesh.maps[cell_nodes_map], cell,
               fmt::format("has the area {:g}, expected a finite, positive one: its nodes "
                           "counterclockwise, and apart",
                           area));
    }
  }

  /// As numbers of type T.
  template <class T>
  void coordinates_finite() const {
    const std::vector<double>& values = blocks_.coordinates.values;
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (std::abs(values[at]) <= std::numeric_limits<T>::max()) continue;
      const std::int64_t node = first(airfoil_nodes) + static_cast<std::int64_t>(at / 2);
      throw BadInput(fmt::format("{}: node {} has {} {:g}, expected a number finite in {}",
                                 place_of(blocks_, airfoil_nodes, blocks_.coordinates.name, node),
                                 node, at % 2 == 0 ? "x" : "y", values[at], name_of(T{})));
    }
  }

  /// Coordinates must be; the flow's time steps take the squares of a cell's sides.
  template <class T>
  void sizes_finite(const std::vector<double>& corners) const {
    for (std::size_t cell = 0; cell < corners.size() / 8; ++cell) {
      std::array<T, 8> of;
      std::transform(&corners[8 * cell], &corners[8 * cell] + 8, of.begin(),
                     [](double x) { return static_cast<T>(x); });
      T squares = 0;
      for (int k = 0; k < 8; ++k) {
        const T side = of[(k + 2) % 8] - of[k];
        squares += side * side;
      }
      if (!std::isfinite(squares))
        refuse(blocks_.mesh.maps[cell_nodes_map], cell,
               fmt::format("has sides whose squares add up to {:g}, expected a number finite in {}",
                           squares, name_of(T{})));
    }
  }

 private:
  static const char* name_of(double) { return "f64"; }
  static const char* name_of(float) { return "f32"; }
  [[nodiscard]] std::int64_t first(int set) const {
    return blocks_.mesh.blocks(set, ranks_in(comm_)).first(rank_in(comm_));
  }
  [[noreturn]] void refuse(const BlockMap& map, std::size_t row, const std::string& what) const {
    const std::int64_t element = first(map.from) + static_cast<std::int64_t>(row);
    throw BadInput(fmt::format("{}: {} {} {}", place_of(blocks_, map.from, map.name, element),
                               singular[map.from], element, what));
  }

  MPI_Comm comm_;
  const AirfoilBlocks& blocks_;
};

/// Collective. x and y of the nodes of each of this rank's cells.
std::vector<double> corners_of(MPI_Comm comm, const AirfoilBlocks& blocks) {
  return fetch(comm, blocks.mesh.blocks(airfoil_nodes, ranks_in(comm)),
               blocks.mesh.maps[cell_nodes_map].targets, blocks.coordinates.values, 2);
}

}  // namespace

std::vector<std::int32_t> checked_flags(MPI_Comm comm, const AirfoilBlocks& blocks,
                                        const std::vector<std::int64_t>& flags) {
  const std::int64_t first =
      blocks.mesh.blocks(airfoil_bedges, ranks_in(comm)).first(rank_in(comm));
  agree_on_errors(comm, [&] {
    for (std::size_t at = 0; at < flags.size(); ++at) {
      if (flags[at] == static_cast<std::int32_t>(flags[at])) continue;
      const std::int64_t edge = first + static_cast<std::int64_t>(at);
      throw BadInput(fmt::format("{}: boundary edge {} has flag {}, expected one of 32 bits",
                                 place_of(blocks, airfoil_bedges, blocks.bounds.name, edge), edge,
                                 flags[at]));
    }
  });
  return {flags.begin(), flags.end()};
}

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
    checks.coordinates_finite<double>();
  });
  const std::vector<double> corners = corners_of(comm, blocks);
  agree_on_errors(comm, [&] {
    checks.sizes_finite<double>(corners);
    checks.areas_positive(corners);
  });
}

void check_airfoil_in_f32(MPI_Comm comm, const AirfoilBlocks& blocks) {
  const Checks checks(comm, blocks);
  agree_on_errors(comm, [&] { checks.coordinates_finite<float>(); });
  const std::vector<double> corners = corners_of(comm, blocks);
  agree_on_errors(comm, [&] { checks.sizes_finite<float>(corners); });
}

namespace {

using Hashes = std::vector<std::uint64_t>;

/// Of the words in their order.
std::uint64_t hash_of(std::initializer_list<std::uint64_t> words) {
  std::uint64_t hash = words.size();
  for (const std::uint64_t word : words) hash = mixed_bits(hash ^ mixed_bits(word));
  return hash;
}

class Fingerprint {
 public:
  Fingerprint(MPI_Comm comm, const AirfoilBlocks& blocks) : comm_(comm), blocks_(blocks) {}

  [[nodiscard]] std::uint64_t of_this_rank() const {
    const Hashes points = of_points(), cells = of_cells(points);
    return std::accumulate(points.begin(), points.end(), std::uint64_t{0}) +
           std::accumulate(cells.begin(), cells.end(), std::uint64_t{0}) + of_edges(points, cells) +
           of_boundary(points, cells);
  }

 private:
  [[nodiscard]] Hashes of_points() const {
    const std::vector<double>& x = blocks_.coordinates.values;
    Hashes points;
    for (std::size_t at = 0; at < x.size(); at += 2)  // + 0.0: a zero has no sign
      points.push_back(hash_of({bits_of(x[at] + 0.0), bits_of(x[at + 1] + 0.0)}));
    return points;
  }
  /// A sum over its nodes, so that it does not matter at which of them a cell begins.
  [[nodiscard]] Hashes of_cells(const Hashes& points) const {
    const Hashes corners = through(cell_nodes_map, points);
    Hashes cells;
    for (std::size_t at = 0; at < corners.size(); at += 4)
      cells.push_back(
          mixed_bits(corners[at] + corners[at + 1] + corners[at + 2] + corners[at + 3]));
    return cells;
  }
  [[nodiscard]] std::uint64_t of_edges(const Hashes& points, const Hashes& cells) const {
    const Hashes ends = through(edge_nodes_map, points), sides = through(edge_cells_map, cells);
    std::uint64_t sum = 0;
    for (std::size_t a = 0, b = 1; b < ends.size(); a += 2, b += 2)
      sum += hash_of({ends[a], ends[b], sides[a], sides[b]}) +
             hash_of({ends[b], ends[a], sides[b], sides[a]});
    return sum;
  }
  [[nodiscard]] std::uint64_t of_boundary(const Hashes& points, const Hashes& cells) const {
    const Hashes ends = through(bedge_nodes_map, points), inside = through(bedge_cell_map, cells);
    std::uint64_t sum = 0;
    for (std::size_t edge = 0; edge < inside.size(); ++edge)
      sum += hash_of({ends[2 * edge], ends[2 * edge + 1], inside[edge],
                      bits_of(blocks_.bounds.values[edge]), 0});
    return sum;
  }
  /// Hashes of a map's targets, row by row.
  [[nodiscard]] Hashes through(int map, const Hashes& hashes) const {
    const BlockMap& of = blocks_.mesh.maps[map];
    return fetch(comm_, blocks_.mesh.blocks(of.to, ranks_in(comm_)), of.targets, hashes);
  }

  MPI_Comm comm_;
  const AirfoilBlocks& blocks_;
};

}  // namespace

std::uint64_t mesh_fingerprint(MPI_Comm comm, const AirfoilBlocks& blocks) {
  std::uint64_t sum = Fingerprint(comm, blocks).of_this_rank();
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

bool is_reference_mesh(MPI_Comm comm, const AirfoilBlocks& blocks) {
  constexpr AirfoilMesh shape{400, 600};
  constexpr std::uint64_t expected = 0x3d94f809551e8985;
  const std::vector<MeshSet>& sets = blocks.mesh.sets;
  return sets[airfoil_nodes].total == shape.nodes() && sets[airfoil_cells].total == shape.cells() &&
         sets[airfoil_edge_set].total == shape.edges() &&
         sets[airfoil_bedges].total == shape.boundary_edges() &&
         mesh_fingerprint(comm, blocks) == expected;
}

}  // namespace bellwether
