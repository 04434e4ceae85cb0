// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "miniapps/comm/session/session.hpp"
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
  bedge_cell_map,   ///< pbecell: 1, through which bres_calc increments
  neighbours_map    ///< of a local mesh with surroundings: 4 cells beside one, or itself
};

/// Where a mesh came from, for messages about it.
struct MeshOrigin {
  enum Kind { generator, text, hdf5 };
  std::string name;  ///< the file, or what was generated
  Kind kind = generator;
};

/// An Airfoil mesh as ranks begin with it. Sets and maps bear the names of OP2's files.
struct AirfoilBlocks {
  BlockMesh mesh;
  BlockData<double> coordinates;   ///< p_x: x and y of the nodes
  BlockData<std::int32_t> bounds;  ///< p_bound: the boundary edges' flags
  MeshOrigin origin;
};

/// Sets and maps without elements' rows, with room for nothing yet.
AirfoilBlocks airfoil_frame(std::int64_t nodes, std::int64_t cells, std::int64_t edges,
                            std::int64_t bedges);

/// The frame of a generated mesh.
AirfoilBlocks airfoil_frame(const AirfoilMesh& mesh);

/// Bytes that it takes on all ranks to read or generate, check and deal out a mesh: its maps,
/// coordinates and flags, and two and a half times as much meanwhile.
double airfoil_mesh_bytes(const BlockMesh& mesh);

/// Where an element's row of a map, or of data, is to be found: file and line (of OP2's format a
/// line is an element), or file, dataset and row.
std::string place_of(const AirfoilBlocks& blocks, int set, const std::string& dataset,
                     std::int64_t element);

/// This rank's blocks of the generated NACA0012 mesh (see AirfoilCoordinates), without
/// communication.
AirfoilBlocks generate_airfoil(const AirfoilMesh& mesh, int ranks, int rank);

/// Collective. Throws BadEnvironment on all ranks, before anything is allocated, where a node's
/// memory does not suffice for its ranks' share of so many bytes of a mesh.
void require_mesh_memory(const Session& session, double bytes);

}  // namespace bellwether
