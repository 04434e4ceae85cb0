// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/mesh/airfoil_local.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/airfoil/airfoil.hpp"
#include "miniapps/mesh/distribute.hpp"
#include "miniapps/mesh/local_order.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Own elements of a set get the numbers `place`; those of other ranks keep theirs, and the lists
/// of what is sent their order.
void renumber(int set, const std::vector<int>& place, LocalMesh& mesh) {
  const int own = static_cast<int>(place.size());
  const auto put = [&](auto& rows, std::size_t width) {
    const auto before = rows;
    for (std::size_t at = 0; at < place.size(); ++at)
      std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(at * width), width,
                  rows.begin() + static_cast<std::ptrdiff_t>(place[at] * width));
  };
  const auto replace = [&](std::vector<int>& numbers) {
    for (int& number : numbers)
      if (number < own) number = place[number];
  };
  put(mesh.sets[set].global, 1);
  for (LocalMap& map : mesh.maps) {
    if (map.from == set) put(map.targets, map.arity);
    if (map.to == set) replace(map.targets);
  }
  for (SetNeighbour& neighbour : mesh.sets[set].neighbours) {
    replace(neighbour.execute_exports);
    replace(neighbour.read_exports);
  }
}

/// Numbers own cells with another rank's beside them last, else as they were: these are eeh then.
void put_rim_last(LocalMesh& mesh) {
  LocalSet& set = mesh.sets[airfoil_cells];
  const int own = set.owned();
  const std::vector<int>& cells = mesh.maps[edge_cells_map].targets;
  std::vector<bool> rim(own);
  for (std::size_t a = 0, b = 1; b < cells.size(); a += 2, b += 2) {
    if (cells[a] < own && cells[b] >= own) rim[cells[a]] = true;
    if (cells[b] < own && cells[a] >= own) rim[cells[b]] = true;
  }
  set.core = static_cast<int>(std::count(rim.begin(), rim.end(), false));
  set.eeh = own - set.core;
  std::vector<int> place(own);
  int next_core = 0, next_rim = set.core;
  for (int cell = 0; cell < own; ++cell) place[cell] = rim[cell] ? next_rim++ : next_core++;
  renumber(airfoil_cells, place, mesh);
}

/// Numbers own boundary edges, core and eeh apart, by their cells.
void follow_cells(LocalMesh& mesh) {
  const LocalSet& set = mesh.sets[airfoil_bedges];
  const std::vector<int>& cell = mesh.maps[bedge_cell_map].targets;
  const std::vector<int> order = sorted_by_class({cell.begin(), cell.begin() + set.owned()},
                                                 static_cast<std::size_t>(set.core));
  std::vector<int> place(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) place[order[at]] = static_cast<int>(at);
  renumber(airfoil_bedges, place, mesh);
}

/// Puts the edges round the cells.
class Surroundings {
 public:
  Surroundings(const AirfoilBlocks& blocks, AirfoilLocal& local)
      : blocks_(blocks), local_(local), own_(local.mesh.sets[airfoil_cells].owned()) {
    LocalMap neighbours{"pcneighbours", airfoil_cells, airfoil_cells, 4, false, {}};
    local_.surroundings.clear();
    for (int cell = 0; cell < own_; ++cell) {
      neighbours.targets.insert(neighbours.targets.end(), 4, cell);
      local_.surroundings.insert(local_.surroundings.end(), 4,
                                 side_beside(cell, AirfoilSide::nothing));
    }
    local_.mesh.maps.resize(neighbours_map);
    local_.mesh.maps.push_back(std::move(neighbours));
  }

  void add_edges() {
    const std::vector<int>& nodes = local_.mesh.maps[edge_nodes_map].targets;
    const std::vector<int>& cells = local_.mesh.maps[edge_cells_map].targets;
    for (int edge = 0; edge < local_.mesh.sets[airfoil_edge_set].executed(); ++edge) {
      const std::size_t a = 2 * static_cast<std::size_t>(edge), b = a + 1;
      add(airfoil_edge_set, edge, cells[a], nodes[a], nodes[b], cells[b], AirfoilSide::inner);
      add(airfoil_edge_set, edge, cells[b], nodes[b], nodes[a], cells[a], AirfoilSide::inner);
    }
  }
  void add_boundary() {
    const std::vector<int>& nodes = local_.mesh.maps[bedge_nodes_map].targets;
    const std::vector<int>& cells = local_.mesh.maps[bedge_cell_map].targets;
    for (int edge = 0; edge < local_.mesh.sets[airfoil_bedges].executed(); ++edge) {
      const std::size_t a = 2 * static_cast<std::size_t>(edge), b = a + 1;
      const bool wall = local_.bounds[edge] == airfoil_wall;
      add(airfoil_bedges, edge, cells[edge], nodes[a], nodes[b], cells[edge],
          wall ? AirfoilSide::wall : AirfoilSide::far_field);
    }
  }

 private:
  /// An edge of a cell, unless that is another rank's, whose corners `from` and `to` it joins.
  void add(int set, int edge, int cell, int to, int from, int beyond, AirfoilSide::Kind kind) {
    if (cell >= own_) return;
    const int side = side_of(cell, to, from);
    const std::size_t at = 4 * static_cast<std::size_t>(cell) + side;
    if (side == 4 || local_.surroundings[at] != side_beside(cell, AirfoilSide::nothing))
      refuse(set, edge, cell, side == 4);
    local_.surroundings[at] = side_beside(beyond, kind);
    local_.mesh.maps[neighbours_map].targets[at] = beyond;
  }
  static std::uint32_t side_beside(int cell, AirfoilSide::Kind kind) {
    return AirfoilSide{static_cast<std::uint32_t>(cell), kind}.code();
  }
  /// By coordinates: the two rows of nodes along a cut through the plane lie at the same places. 4
  /// for none.
  [[nodiscard]] int side_of(int cell, int to, int from) const {
    const int* const corner = &local_.mesh.maps[cell_nodes_map].targets[4 * std::ptrdiff_t{cell}];
    int side = 0;
    while (side < 4 && !(same_place(corner[side], from) && same_place(corner[(side + 1) % 4], to)))
      ++side;
    return side;
  }
  [[nodiscard]] bool same_place(int a, int b) const {
    const double* const x = local_.coordinates.data();
    return x[2 * a] == x[2 * b] && x[2 * a + 1] == x[2 * b + 1];
  }
  [[noreturn]] void refuse(int set, int edge, int cell, bool no_side) const {
    const std::int64_t number = local_.mesh.sets[set].global[edge];
    const int map = set == airfoil_edge_set ? edge_cells_map : bedge_cell_map;
    throw BadInput(fmt::format(
        "{}: {} {} is {} cell {}; --increments gather needs one edge a side, from corner to corner "
        "counterclockwise: expected atomics, colours or plain, or another mesh",
        place_of(blocks_, set, blocks_.mesh.maps[map].name, number),
        set == airfoil_edge_set ? "edge" : "boundary edge", number,
        no_side ? "no side of" : "the second on a side of",
        local_.mesh.sets[airfoil_cells].global[cell]));
  }

  const AirfoilBlocks& blocks_;
  AirfoilLocal& local_;
  int own_;
};

}  // namespace

AirfoilLocal distribute_airfoil(MPI_Comm comm, const AirfoilBlocks& blocks,
                                Partitioner partitioner) {
  std::vector<double> positions;
  if (partitioner == Partitioner::rcb)
    positions = mean_positions(comm, blocks.mesh, cell_nodes_map, blocks.coordinates);
  const Ownership owners = follow_owners(
      comm, blocks.mesh, airfoil_cells,
      partition_set(comm, blocks.mesh, {airfoil_cells, edge_cells_map, positions}, partitioner));
  AirfoilLocal local;
  local.mesh = distribute(comm, blocks.mesh, owners, airfoil_cells);
  put_rim_last(local.mesh);
  follow_cells(local.mesh);
  local.coordinates = local_values(comm, local.mesh.sets[airfoil_nodes], blocks.coordinates);
  local.bounds = local_values(comm, local.mesh.sets[airfoil_bedges], blocks.bounds);
  return local;
}

AirfoilWorkload workload_of(const LocalMesh& mesh, int rank, const std::vector<int>& node_of_rank) {
  const LocalSet& cells = mesh.sets[airfoil_cells];
  const LocalSet& edges = mesh.sets[airfoil_edge_set];
  const LocalSet& bedges = mesh.sets[airfoil_bedges];
  AirfoilWorkload work;
  work.cells = cells.owned();
  work.core_edges = edges.core;
  work.eeh_edges = edges.eeh;
  work.ieh_edges = edges.ieh;
  work.bedges = bedges.owned();
  work.ieh_bedges = bedges.ieh;
  work.ieh_cells = cells.ieh;
  work.inh_cells = cells.inh;
  work.neighbours = static_cast<double>(cells.neighbours.size());
  for (const SetNeighbour& neighbour : cells.neighbours) {
    if (node_of_rank[neighbour.rank] != node_of_rank[rank]) continue;
    work.near_neighbours += 1;
    work.near_cells += neighbour.ieh_count + neighbour.inh_count;
  }
  return work;
}

void add_surroundings(MPI_Comm comm, const AirfoilBlocks& blocks, AirfoilLocal& local) {
  agree_on_errors(comm, [&] {
    const std::int64_t cells = local.mesh.sets[airfoil_cells].size();
    if (cells > AirfoilSide::most_cells)
      throw BadInput(fmt::format("{}: {} cells on a rank, --increments gather takes at most {}",
                                 blocks.origin.name, cells, AirfoilSide::most_cells));
    Surroundings surroundings(blocks, local);
    surroundings.add_edges();
    surroundings.add_boundary();
  });
}

}  // namespace bellwether
