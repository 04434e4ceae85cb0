// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"

namespace bellwether {

/// Airfoil as one writes it first: the five loops of OP2's over a whole mesh in the numbers and the
/// order in which it came, each edge adding to its two cells, each cell and edge finding its nodes
/// by their numbers, one element after another. The measure of what the mini-app's order, fused
/// loops and registers of elements gain.
template <class T>
class PlainAirfoilLoops {
 public:
  /// In the free stream.
  explicit PlainAirfoilLoops(const AirfoilBlocks& whole_mesh);
  /// An iteration: both stages.
  void iterate();
  [[nodiscard]] const std::vector<T>& q() const { return q_; }  ///< 4 values a cell
  /// Of the last iteration's second stage: sqrt(sum |delta q|^2 / cells).
  [[nodiscard]] double rms() const { return std::sqrt(change_ / static_cast<double>(adt_.size())); }

 private:
  using Numbers = std::vector<std::int32_t>;
  struct Side {
    T x, y;
  };
  [[nodiscard]] Side side(std::int32_t to, std::int32_t from) const;
  [[nodiscard]] T pressure(const T* q) const;
  [[nodiscard]] std::array<T, 4> flux(const Side& side, const T* first, const T* second,
                                      T smoothing) const;
  void adt_calc();
  void res_calc();
  void bres_calc();
  void update();

  Numbers cell_nodes_, edge_nodes_, edge_cells_, outer_nodes_, outer_cells_, outer_flags_;
  std::vector<T> x_, q_, q_old_, adt_, res_;
  std::array<T, 4> free_stream_;
  double change_ = 0;
};

}  // namespace bellwether
