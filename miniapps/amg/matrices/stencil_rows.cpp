// SPDX-License-Identifier: MIT
#include "miniapps/amg/matrices/stencil_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr std::array<double, 3> anisotropic_couplings{1, 0.1, 0.01};
constexpr double inner_coefficient = 1000;

/// Which part of a direction a cell is in, as Decomposition divides it.
int part_of(long long cell, int cells, int parts) {
  const long long least = cells / parts, larger = cells % parts;
  const long long in_larger = larger * (least + 1);
  return static_cast<int>(cell < in_larger ? cell / (least + 1)
                                           : larger + (cell - in_larger) / least);
}

std::array<int, 3> as_ints(const std::array<long long, 3>& cells) {
  std::array<int, 3> found{};
  for (int d = 0; d < 3; ++d) {
    if (cells[d] > std::numeric_limits<int>::max())
      throw BadInput(fmt::format("cells in {}: found {}, expected at most {}", "xyz"[d], cells[d],
                                 std::numeric_limits<int>::max()));
    found[d] = static_cast<int>(cells[d]);
  }
  return found;
}

}  // namespace

double AmgStencil::unknowns() const {
  return static_cast<double>(cells[0]) * static_cast<double>(cells[1]) *
         static_cast<double>(cells[2]);
}

double AmgStencil::least_eigenvalue() const {
  const auto half_angle = [&](int d) {
    return std::numbers::pi / 2 / (static_cast<double>(cells[d]) + 1);
  };
  if (points == 27) {  // 27 less the product of (1, 1, 1) along each direction
    double product = 1;
    for (int d = 0; d < 3; ++d) product *= 1 + 2 * std::cos(2 * half_angle(d));
    return 27 - product;
  }
  double sum = 0;  // a coefficient of at least 1 lowers no eigenvalue
  for (int d = 0; d < 3; ++d)
    sum += (name == "anisotropic" ? anisotropic_couplings[d] : 1) * 4 *
           std::pow(std::sin(half_angle(d)), 2);
  return sum;
}

StencilRows::StencilRows(AmgStencil problem, int rank, int ranks)
    : problem_(std::move(problem)),
      jumps_(problem_.name == "jumps"),
      couplings_(problem_.name == "anisotropic" ? anisotropic_couplings
                                                : std::array<double, 3>{1, 1, 1}),
      rank_(rank),
      first_row_{0} {
  const std::array<int, 3> cells = as_ints(problem_.cells);
  if (problem_.unknowns() < ranks)
    throw BadInput(
        fmt::format("--cells {} {} {}: found {} ranks for {} unknowns, expected at most "
                    "one for each",
                    cells[0], cells[1], cells[2], ranks, problem_.unknowns()));
  if (problem_.unknowns() >= static_cast<double>(std::numeric_limits<long long>::max() / 32))
    throw BadInput(fmt::format("--cells {} {} {}: found {:.3g} unknowns, expected at most {:.3g}",
                               cells[0], cells[1], cells[2], problem_.unknowns(),
                               static_cast<double>(std::numeric_limits<long long>::max() / 32)));
  if (!factorizations(ranks, cells).empty())
    boxes_.emplace(cells, least_surface(ranks, cells), false);
  const long long all = problem_.cells[0] * problem_.cells[1] * problem_.cells[2];
  for (int r = 0; r < ranks; ++r) {
    long long own = all / ranks + (r < all % ranks ? 1 : 0);
    if (boxes_) {
      const std::array<int, 3> box = boxes_->local_cells(r);
      own = 1LL * box[0] * box[1] * box[2];
    }
    first_row_.push_back(first_row_.back() + own);
  }
  if (!boxes_) return;
  for (int d = 0; d < 3; ++d) {
    first_cell_[d] = boxes_->offset(rank)[d];
    own_cells_[d] = boxes_->local_cells(rank)[d];
  }
}

std::string StencilRows::layout() const { return boxes_ ? boxes_->name() : "rows"; }

StencilRows::Cell StencilRows::cell_of(long long row) const {
  const Cell& box = numbered_cells();
  const long long at = boxes_ ? row - begin() : row;
  return {first_cell_[0] + at % box[0], first_cell_[1] + at / box[0] % box[1],
          first_cell_[2] + at / box[0] / box[1]};
}

long long StencilRows::row_of(const Cell& cell) const {
  const auto number = [&](const Cell& first, const Cell& box) {
    return cell[0] - first[0] + box[0] * (cell[1] - first[1] + box[1] * (cell[2] - first[2]));
  };
  if (!boxes_) return number({}, problem_.cells);
  bool is_own = true;
  for (int d = 0; d < 3; ++d)
    is_own = is_own && cell[d] >= first_cell_[d] && cell[d] < first_cell_[d] + own_cells_[d];
  if (is_own) return begin() + number(first_cell_, own_cells_);
  std::array<int, 3> at{};
  for (int d = 0; d < 3; ++d) at[d] = part_of(cell[d], boxes_->cells()[d], boxes_->ranks()[d]);
  const int owner = boxes_->rank_at(at);
  Cell first{}, box{};
  for (int d = 0; d < 3; ++d) {
    first[d] = boxes_->offset(owner)[d];
    box[d] = boxes_->local_cells(owner)[d];
  }
  return first_row_[owner] + number(first, box);
}

double StencilRows::coefficient(const Cell& cell) const {
  for (int d = 0; d < 3; ++d)
    if (4 * cell[d] < problem_.cells[d] || 4 * (cell[d] + 1) > 3 * problem_.cells[d]) return 1;
  return inner_coefficient;
}

double StencilRows::coupling(const Cell& cell, const Cell& other, int direction) const {
  if (!jumps_) return couplings_[direction];
  const double here = coefficient(cell);
  const bool is_inside = other[direction] >= 0 && other[direction] < problem_.cells[direction];
  const double there = is_inside ? coefficient(other) : here;
  return 2 * here * there / (here + there);
}

/// Appends a row. A cell whose neighbours are numbered as it is itself, as most are, tells their
/// numbers by what they are more or less than its own.
void StencilRows::add_row(long long i, const Cell& cell, std::vector<long long>& columns,
                          std::vector<double>& values) const {
  const Cell& box = numbered_cells();
  bool is_inside = true;
  for (int d = 0; d < 3; ++d)
    is_inside = is_inside && cell[d] > first_cell_[d] && cell[d] + 1 < first_cell_[d] + box[d];
  const std::size_t diagonal = values.size();
  columns.push_back(i);
  values.push_back(0);
  double sum = 0;
  const auto add = [&](const Cell& other, long long distance, double weight) {
    sum += weight;
    if (!is_inside)
      for (int d = 0; d < 3; ++d)
        if (other[d] < 0 || other[d] >= problem_.cells[d]) return;
    columns.push_back(is_inside ? i + distance : row_of(other));
    values.push_back(-weight);
  };
  const Cell distance{1, box[0], box[0] * box[1]};
  if (problem_.points == 27) {
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
          if (x != 0 || y != 0 || z != 0)
            add({cell[0] + x, cell[1] + y, cell[2] + z},
                x * distance[0] + y * distance[1] + z * distance[2], 1);
  } else {
    // Ascending columns, as hypre's own generator has them: where entries of an interpolation are
    // equally large, their order decides which of them stay.
    for (const auto& [d, side] : {std::pair{2, -1}, {1, -1}, {0, -1}, {0, 1}, {1, 1}, {2, 1}}) {
      Cell other = cell;
      other[d] += side;
      add(other, side * distance[d], coupling(cell, other, d));
    }
  }
  values[diagonal] = sum;
}

void StencilRows::stretch(long long first, long long end, AmgStretch& all) const {
  all.counts.clear();
  all.columns.clear();
  all.values.clear();
  Cell cell = cell_of(first);
  for (long long i = first; i < end; ++i) {
    const std::size_t before = all.columns.size();
    add_row(i, cell, all.columns, all.values);
    all.counts.push_back(static_cast<int>(all.columns.size() - before));
    for (int d = 0; d < 3; ++d) {
      if (++cell[d] < first_cell_[d] + numbered_cells()[d] || d == 2) break;
      cell[d] = first_cell_[d];
    }
  }
}

}  // namespace bellwether
