// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/mesh/airfoil_reference_mesh.hpp"

#include <numeric>
#include <vector>

#include "kernels/launch/host_device.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/mesh/parcels.hpp"

namespace bellwether {
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
