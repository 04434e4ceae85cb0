// SPDX-License-Identifier: MIT
// Rows of every rank against loops over all pairs of cells.
#include "miniapps/amg/matrices/stencil_rows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "models/errors.hpp"

namespace bellwether {
namespace {

using Cell = std::array<long long, 3>;

/// Cells in the order in which rows should number them.
std::vector<Cell> cells_in_order(const Cell& all, int ranks) {
  std::vector<Cell> cells;
  const std::array<int, 3> ints{static_cast<int>(all[0]), static_cast<int>(all[1]),
                                static_cast<int>(all[2])};
  const auto add_box = [&](const Cell& first, const Cell& size) {
    for (long long z = 0; z < size[2]; ++z)
      for (long long y = 0; y < size[1]; ++y)
        for (long long x = 0; x < size[0]; ++x)
          cells.push_back({first[0] + x, first[1] + y, first[2] + z});
  };
  if (factorizations(ranks, ints).empty()) {
    add_box({}, all);
    return cells;
  }
  const Decomposition boxes(ints, least_surface(ranks, ints), false);
  for (int r = 0; r < ranks; ++r) {
    const auto first = boxes.offset(r), size = boxes.local_cells(r);
    add_box({first[0], first[1], first[2]}, {size[0], size[1], size[2]});
  }
  return cells;
}

double coefficient(const AmgStencil& problem, const Cell& cell) {
  bool is_inner = true;
  for (int d = 0; d < 3; ++d) {
    const auto n = static_cast<double>(problem.cells[d]), c = static_cast<double>(cell[d]);
    is_inner = is_inner && c >= n / 4 && c + 1 <= 3 * n / 4;
  }
  return is_inner ? 1000 : 1;
}

/// What couples two cells that are neighbours; 0 where they are none.
double coupling(const AmgStencil& problem, const Cell& a, const Cell& b) {
  int moves = 0, direction = 0;
  for (int d = 0; d < 3; ++d) {
    if (std::abs(a[d] - b[d]) > 1) return 0;
    if (a[d] != b[d]) ++moves, direction = d;
  }
  if (moves == 0) return 0;
  if (problem.points == 27) return 1;
  if (moves > 1) return 0;
  if (problem.name == "anisotropic") return direction == 0 ? 1 : direction == 1 ? 0.1 : 0.01;
  if (problem.name == "laplace") return 1;
  const double here = coefficient(problem, a), there = coefficient(problem, b);
  return 2 / (1 / here + 1 / there);
}

double diagonal(const AmgStencil& problem, const Cell& cell) {
  if (problem.points == 27) return 26;
  if (problem.name == "laplace") return 6;
  if (problem.name == "anisotropic") return 2.22;
  double sum = 0;
  for (int d = 0; d < 3; ++d)
    for (const int side : {-1, 1}) {
      Cell other = cell;
      other[d] += side;
      const bool is_wall = other[d] < 0 || other[d] >= problem.cells[d];
      sum += is_wall ? coefficient(problem, cell) : coupling(problem, cell, other);
    }
  return sum;
}

std::vector<AmgStencil> problems(const Cell& cells) {
  return {{"laplace", 7, cells},
          {"laplace", 27, cells},
          {"anisotropic", 7, cells},
          {"jumps", 7, cells}};
}

TEST(StencilRows, AreThoseOfTheCellsOnAnyRanks) {
  for (const auto& [cells, ranks] : {std::pair{Cell{1, 1, 1}, 1},
                                     {{5, 1, 1}, 2},
                                     {{1, 7, 4}, 3},
                                     {{7, 5, 6}, 4},
                                     {{4, 8, 3}, 6},
                                     {{3, 3, 3}, 7},
                                     {{2, 2, 2}, 5},
                                     {{3, 1, 1}, 3}})
    for (const AmgStencil& problem : problems(cells)) {
      SCOPED_TRACE(fmt::format("{} {} {}x{}x{} on {}", problem.name, problem.points, cells[0],
                               cells[1], cells[2], ranks));
      const std::vector<Cell> order = cells_in_order(cells, ranks);
      long long next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const StencilRows rows(problem, rank, ranks);
        ASSERT_EQ(rows.rows(), static_cast<long long>(order.size()));
        ASSERT_EQ(rows.begin(), next);
        EXPECT_GT(rows.end(), rows.begin());
        next = rows.end();
        AmgStretch all{{-7}, {-7}, {-7}}, one;
        rows.stretch(rows.begin(), rows.end(), all);
        std::size_t entry = 0;
        for (long long i = rows.begin(); i < rows.end(); ++i) {
          const int count = all.counts[i - rows.begin()];
          rows.stretch(i, i + 1, one);
          std::map<long long, double> found;
          for (int e = 0; e < count; ++e, ++entry) {
            found[all.columns[entry]] = all.values[entry];
            EXPECT_EQ(one.columns[e], all.columns[entry]);
            EXPECT_EQ(one.values[e], all.values[entry]);
          }
          ASSERT_EQ(static_cast<int>(found.size()), count);
          std::map<long long, double> expected{{i, diagonal(problem, order[i])}};
          for (std::size_t j = 0; j < order.size(); ++j)
            if (const double couple = coupling(problem, order[i], order[j]); couple != 0)
              expected[static_cast<long long>(j)] = -couple;
          ASSERT_EQ(found.size(), expected.size()) << i;
          for (const auto& [column, value] : expected)
            ASSERT_NEAR(found.at(column), value, 1e-12 * std::abs(value)) << i << ' ' << column;
        }
      }
      EXPECT_EQ(next, static_cast<long long>(order.size()));
    }
}

/// x A x over x x.
double quotient(const StencilRows& rows, const std::vector<double>& x) {
  AmgStretch all;
  rows.stretch(0, rows.rows(), all);
  double above = 0, below = 0;
  std::size_t entry = 0;
  for (long long i = 0; i < rows.rows(); ++i) {
    for (int e = 0; e < all.counts[i]; ++e, ++entry)
      above += x[i] * all.values[entry] * x[all.columns[entry]];
    below += x[i] * x[i];
  }
  return above / below;
}

TEST(StencilRows, NoEigenvalueIsBelowTheLeast) {
  const Cell cells{6, 9, 8};
  for (const AmgStencil& problem : problems(cells)) {
    const StencilRows rows(problem, 0, 1);
    std::vector<double> x;
    for (const Cell& cell : cells_in_order(cells, 1)) {
      double product = 1;
      for (int d = 0; d < 3; ++d)
        product *= std::sin(std::numbers::pi * static_cast<double>(cell[d] + 1) /
                            static_cast<double>(cells[d] + 1));
      x.push_back(product);
    }
    const double least = problem.least_eigenvalue();
    EXPECT_GT(least, 0);
    if (problem.name == "jumps") {
      EXPECT_GE(quotient(rows, x), least);
    } else {
      EXPECT_NEAR(quotient(rows, x), least, 1e-12);  // that is its eigenvector
    }
  }
}

TEST(StencilRows, RefusesMoreRanksThanCells) {
  EXPECT_THROW(StencilRows({"laplace", 7, {3, 1, 1}}, 0, 4), BadInput);
  EXPECT_EQ(StencilRows({"laplace", 7, {5, 5, 5}}, 3, 7).layout(), "rows");
  EXPECT_EQ(StencilRows({"laplace", 7, {6, 5, 4}}, 0, 2).layout(), "2x1x1");
}

}  // namespace
}  // namespace bellwether
