// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "models/network/paths.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {

/// Solid cells of a rank, which are not updated, and what bounces off them and off walls (lattice
/// Boltzmann).
struct SolidWork {
  double fluid_cells = 0;
  double walls_x = 0;  ///< faces between a fluid and a solid cell that are neighbours in x
  /// Cache lines of one array in which populations bounce, and as many of the array that they
  /// return to.
  double link_lines = 0;
  bool operator==(const SolidWork&) const = default;
};
/// By rank; nothing where all cells are fluid.
using SolidsOf = std::function<std::vector<SolidWork>(const Decomposition&)>;

/// What a rank's time depends on: its cells in each direction, and who is across each face (x low,
/// x high, y low, ...). Ranks of one kind take equally long.
struct RankKind {
  std::array<int, 3> cells{};
  std::array<Across, 6> across{};
  std::optional<SolidWork> solid{};  ///< absent: all cells are fluid

  /// Cells of a face across the direction.
  [[nodiscard]] double face_cells(int direction) const {
    return static_cast<double>(cells[(direction + 1) % 3]) * cells[(direction + 2) % 3];
  }
  [[nodiscard]] double volume() const {
    return static_cast<double>(cells[0]) * cells[1] * cells[2];
  }
  /// Who is across the edge between two faces of different directions: taken to be on another node
  /// where one of the faces' neighbours is.
  [[nodiscard]] Across across_edge(int face, int other) const {
    if (across[face] == Across::nobody) return Across::nobody;
    if (across[other] == Across::nobody) return Across::nobody;
    return across[face] == across[other] ? across[face] : Across::other_node;
  }
  /// Whether somebody is across a face of the direction.
  [[nodiscard]] bool is_split(int direction) const {
    return across[2 * direction] != Across::nobody || across[2 * direction + 1] != Across::nobody;
  }
  bool operator==(const RankKind&) const = default;
};

/// Ranks that stand together on a full node: no more than there are.
int ranks_on_node(const Decomposition& decomposition, const RankPlacement& placement);

RankKind rank_kind(const Decomposition& decomposition, const RankPlacement& placement,
                   std::array<int, 3> coordinates);

/// Every kind that some rank is of, each once, without visiting the ranks: the work grows with the
/// ranks of a node, not with all of them. Throws BadInput if a node has no ranks.
std::vector<RankKind> rank_kinds(const Decomposition& decomposition,
                                 const RankPlacement& placement);

/// The same of ranks with such solid cells, of which each is of a kind of its own. Empty: all cells
/// are fluid.
std::vector<RankKind> rank_kinds(const Decomposition& decomposition, const RankPlacement& placement,
                                 const std::vector<SolidWork>& solids);

}  // namespace bellwether
