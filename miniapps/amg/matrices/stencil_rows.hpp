// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "miniapps/amg/matrices/amg_rows.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {

/// A second-order equation on a box of cells whose outer faces hold zero, in units of the cell:
/// - laplace, 7 points: 6 and -1 for each of 6 neighbours; 27 points: 26 and -1 for each of 26;
/// - anisotropic: 7 points, coupled with 1 along x, 0.1 along y and 0.01 along z;
/// - jumps: 7 points, coefficient 1000 in the middle half of each direction, 1 around; two cells
///   are coupled by the harmonic mean of theirs.
/// Neighbours beyond an outer face are left out, so rows there sum to more than 0, and the matrix
/// is symmetric and positive definite.
struct AmgStencil {
  std::string name = "laplace";
  int points = 7;                    ///< 7; 27 of laplace alone
  std::array<long long, 3> cells{};  ///< x, y, z of the whole grid

  [[nodiscard]] double unknowns() const;
  /// A number that no eigenvalue of the matrix is below, above 0: an error in the 2-norm is at most
  /// the residual's over this.
  [[nodiscard]] double least_eigenvalue() const;
};

/// The matrix of a stencil. A rank owns a box of cells, numbered with x fastest, by the suite's
/// decomposition; where no factorization of the ranks fits the cells, a range of cells that are
/// numbered so over the whole grid.
class StencilRows final : public AmgRows {
 public:
  /// Throws BadInput where there are more ranks than cells, or more cells in a direction than an
  /// int counts.
  StencilRows(AmgStencil problem, int rank, int ranks);

  [[nodiscard]] long long rows() const override { return first_row_.back(); }
  [[nodiscard]] long long begin() const override { return first_row_[rank_]; }
  [[nodiscard]] long long end() const override { return first_row_[rank_ + 1]; }
  void stretch(long long first, long long end, AmgStretch& all) const override;

  [[nodiscard]] const AmgStencil& problem() const { return problem_; }
  /// "2x1x1", or "rows" where ranks own ranges of these.
  [[nodiscard]] std::string layout() const;

 private:
  using Cell = std::array<long long, 3>;
  /// The cells that are numbered one after another: this rank's box, or the whole grid.
  [[nodiscard]] const Cell& numbered_cells() const { return boxes_ ? own_cells_ : problem_.cells; }
  void add_row(long long i, const Cell& cell, std::vector<long long>& columns,
               std::vector<double>& values) const;
  [[nodiscard]] Cell cell_of(long long row) const;
  [[nodiscard]] long long row_of(const Cell& cell) const;
  [[nodiscard]] double coefficient(const Cell& cell) const;
  [[nodiscard]] double coupling(const Cell& cell, const Cell& other, int direction) const;

  AmgStencil problem_;
  bool jumps_;                       ///< its name, of which each entry would ask
  std::array<double, 3> couplings_;  ///< without jumps
  int rank_;
  std::optional<Decomposition> boxes_;  ///< absent: ranges of rows
  Cell first_cell_{}, own_cells_{};     ///< this rank's box
  std::vector<long long> first_row_;    ///< of each rank, and the number of all
};

}  // namespace bellwether
