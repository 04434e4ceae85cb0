// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/airfoil/airfoil_mesh.hpp"
#include "models/airfoil/airfoil_workload.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Columns [first_column, end_column) and rows [first_row, end_row) of cells.
struct CellBlock {
  std::int64_t first_column, end_column, first_row, end_row;

  [[nodiscard]] std::int64_t width() const { return end_column - first_column; }
  [[nodiscard]] std::int64_t height() const { return end_row - first_row; }
  [[nodiscard]] std::int64_t cells() const { return width() * height(); }
};

/// Halo cells that come from one rank.
struct CellImport {
  int owner;
  double cells;
};

/// A mesh divided by recursive coordinate bisection in columns and rows: the longer side is cut
/// where the ranks' shares say, to whole columns or rows, until each rank has one block. An edge
/// belongs to the rank of the first of its two cells (the one with the lower column, then row).
/// Nothing is stored per cell, so that any mesh fits.
class AirfoilPartition {
 public:
  /// Throws BadInput naming --ranks unless 1 <= ranks <= cells.
  AirfoilPartition(const AirfoilMesh& mesh, int ranks);

  [[nodiscard]] int size() const { return ranks_; }
  [[nodiscard]] const AirfoilMesh& mesh() const { return mesh_; }
  [[nodiscard]] const CellBlock& block(int rank) const { return blocks_[rank]; }
  /// The rank that owns a cell.
  [[nodiscard]] int owner(std::int64_t column, std::int64_t row) const;
  /// What the rank holds, with consecutive ranks on nodes. All halo cells are inh: the neighbours
  /// across cut edges; none is computed twice.
  [[nodiscard]] AirfoilWorkload workload(int rank, int ranks_per_node) const;
  /// The same of every rank, from one pass over the borders between blocks.
  [[nodiscard]] std::vector<AirfoilWorkload> workloads(int ranks_per_node) const;
  /// The cells that a rank imports, by their owner; ascending ranks.
  [[nodiscard]] std::vector<CellImport> imports(int rank) const;
  /// The same of every rank: calls with the owner, the importing rank and the cells.
  void visit_imports(const std::function<void(int owner, int rank, double cells)>& visit) const;

 private:
  struct Node {
    CellBlock block;
    int first_child;  ///< -1: a leaf
    int rank;
  };
  void divide(int node, int first_rank, int ranks);
  struct Tally;
  [[nodiscard]] Tally count(int rank, int ranks_per_node) const;
  /// Whether the block lies along the airfoil and the wake.
  [[nodiscard]] bool at_wake(int rank) const { return blocks_[rank].first_row == 0; }
  /// Calls with the ranks on either side of each border between two blocks of a node's, that of the
  /// lower column or row first, and the border's length in cells. Across the wake there is none.
  template <class Visit>
  void visit_borders(int node, Visit& visit) const;
  template <class Visit>
  void visit_border(int first, int second, Visit& visit) const;
  template <class Visit>
  void visit_blocks(const CellBlock& region, Visit visit) const;
  /// The column or row of cells beyond one side of a block: boundary edges outside of the mesh, cut
  /// edges inside, whose first cell is the block's own or not.
  void count_side(const CellBlock& beyond, bool own_first, Tally& tally) const;
  /// The side of a block along the airfoil and the wake.
  void count_wake(const CellBlock& own, Tally& tally) const;

  AirfoilMesh mesh_;
  int ranks_;
  std::vector<Node> nodes_;
  std::vector<CellBlock> blocks_;
};

/// What the machine's topology adds to an exchange of all ranks at once, in which each imported
/// cell bears so many bytes (models/network/routes.hpp).
double airfoil_contention(const Machine& machine, const AirfoilPartition& partition,
                          int ranks_per_node, double cell_bytes);

/// The workloads of a partition that no other rank's outdoes in every respect: among them is the
/// slowest rank's.
std::vector<AirfoilWorkload> busiest_workloads(const AirfoilPartition& partition,
                                               int ranks_per_node);

}  // namespace bellwether
