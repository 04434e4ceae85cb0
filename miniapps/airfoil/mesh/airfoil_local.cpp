// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/mesh/airfoil_local.hpp"

#include "miniapps/mesh/distribute.hpp"

namespace bellwether {

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

}  // namespace bellwether
