// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

namespace bellwether {

/// Who owns which cells of a 3-D grid, and whose faces touch: pure arithmetic, for the run and for
/// predictions alike. Ranks are numbered with x fastest. A direction of n cells over p ranks gives
/// the first n mod p ranks one cell more.
class Decomposition {
 public:
  /// Throws BadInput if a count is not positive or a direction has more ranks than cells.
  Decomposition(std::array<int, 3> cells, std::array<int, 3> ranks, bool periodic);

  [[nodiscard]] int size() const { return ranks_[0] * ranks_[1] * ranks_[2]; }
  [[nodiscard]] const std::array<int, 3>& cells() const { return cells_; }
  [[nodiscard]] const std::array<int, 3>& ranks() const { return ranks_; }
  [[nodiscard]] bool periodic() const { return periodic_; }
  [[nodiscard]] std::array<int, 3> coordinates(int rank) const;
  [[nodiscard]] int rank_at(std::array<int, 3> coordinates) const;
  /// First global cell of a rank in each direction.
  [[nodiscard]] std::array<int, 3> offset(int rank) const;
  /// Cells of a rank in each direction.
  [[nodiscard]] std::array<int, 3> local_cells(int rank) const;
  /// Of a rank on the average.
  [[nodiscard]] double mean_cells() const {
    return static_cast<double>(cells_[0]) * cells_[1] * cells_[2] / size();
  }
  /// The rank across a face (direction 0 to 2; side 0 low, 1 high), or -1 where there is none: at a
  /// wall, or where the direction is not split (a periodic direction then wraps within the rank).
  [[nodiscard]] int neighbour(int rank, int direction, int side) const;
  /// Cells of a face: the product of the other two directions' cells.
  [[nodiscard]] long face_cells(int rank, int direction) const;
  /// "PXxPYxPZ"
  [[nodiscard]] std::string name() const;

 private:
  std::array<int, 3> cells_;
  std::array<int, 3> ranks_;
  bool periodic_;
};

/// All ways to write `ranks` as a product of three factors none of which exceeds its direction's
/// cells; empty if there is none.
std::vector<std::array<int, 3>> factorizations(int ranks, std::array<int, 3> cells);

/// The same, led by least_surface: in the order in which equals are chosen. Empty if there is none.
std::vector<std::array<int, 3>> candidates(int ranks, std::array<int, 3> cells);

/// Of all factorizations the one with the least cells on the faces of its busiest rank; among
/// equals the one that splits z, then y, then x (faces across z and y are contiguous rows). Throws
/// BadInput if there is none.
std::array<int, 3> least_surface(int ranks, std::array<int, 3> cells);

/// The whole grid of a weakly scaled problem: boxes of so many cells for each rank, put together so
/// that the grid of boxes comes nearest to a cube; longest in z, then y, where it cannot be one.
std::array<long long, 3> cells_of_all(const std::array<long long, 3>& cells_of_a_rank, int ranks);

/// Reads "auto", which gives {0, 0, 0}, or "PXxPYxPZ". Throws BadInput on anything else.
std::array<int, 3> parse_ranks(const std::string& text);

}  // namespace bellwether
