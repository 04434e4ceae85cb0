// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "miniapps/mesh/block_mesh.hpp"
#include "models/airfoil/airfoil_mesh.hpp"

namespace bellwether {

/// The sets and maps of an Airfoil mesh, as indices into a BlockMesh and what becomes of it.
enum AirfoilSet : int { airfoil_nodes, airfoil_cells, airfoil_edge_set, airfoil_bedges };
enum AirfoilMap : int {
  cell_nodes_map,   ///< pcell: 4 nodes, counterclockwise
  edge_nodes_map,   ///< pedge: 2
  edge_cells_map,   ///< pecell: 2, through which res_calc increments
  bedge_nodes_map,  ///< pbedge: 2
  bedge_cell_map    ///< pbecell: 1, through which bres_calc increments
};

/// An Airfoil mesh as ranks begin with it. Sets and maps bear the names of OP2's files.
struct AirfoilBlocks {
  BlockMesh mesh;
  BlockData<double> coordinates;   ///< p_x: x and y of the nodes
  BlockData<std::int32_t> bounds;  ///< p_bound: the boundary edges' flags
  /// Where it came from, for messages: a file, or how it was generated.
  std::string source;
};

/// Sets and maps without elements' rows, with room for nothing yet.
AirfoilBlocks airfoil_frame(std::int64_t nodes, std::int64_t cells, std::int64_t edges,
                            std::int64_t bedges);

/// This rank's blocks of the generated NACA0012 mesh (see AirfoilCoordinates), without
/// communication.
AirfoilBlocks generate_airfoil(const AirfoilMesh& mesh, int ranks, int rank);

}  // namespace bellwether
