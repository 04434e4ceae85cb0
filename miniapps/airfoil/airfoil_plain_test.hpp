// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace bellwether {

/// For tests: the NACA0012 mesh once more, whole and by other means. The spline's cubics come from
/// all their conditions at once by Gaussian elimination, edges from looking up which cells share
/// two nodes, and rounding from printing.
class PlainAirfoil {
 public:
  using Edge = std::array<long, 4>;  ///< two nodes, two cells; or two nodes, a cell, a flag
  std::vector<std::array<double, 2>> nodes;
  std::vector<std::array<long, 4>> cells;
  std::vector<Edge> edges, bedges;

  PlainAirfoil(int block_columns, int rows) : block_columns_(block_columns), rows_(rows) {
    make_nodes();
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < 3 * block_columns; ++i)
        cells.push_back({node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)});
    make_edges();
  }

 private:
  [[nodiscard]] long node(int i, int j) const { return i + j * (3L * block_columns_ + 1); }

  /// Four coefficients for each interval of the points: values at both ends, first and second
  /// derivative continuous at inner points, the third at the second point and the last but one.
  static std::vector<double> cubics(const std::vector<double>& x, const std::vector<double>& y) {
    const int intervals = static_cast<int>(x.size()) - 1, size = 4 * intervals;
    std::vector<std::vector<double>> rows;
    const auto add = [&](int k, std::array<double, 4> left, std::array<double, 4> right,
                         double value) {
      std::vector<double> row(size + 1);
      for (int c = 0; c < 4; ++c) {
        row[4 * k + c] += left[c];
        if (k + 1 < intervals) row[4 * k + 4 + c] -= right[c];
      }
      row[size] = value;
      rows.push_back(row);
    };
    for (int k = 0; k < intervals; ++k) {
      const double h = x[k + 1] - x[k];
      add(k, {1, 0, 0, 0}, {}, y[k]);
      add(k, {1, h, h * h, h * h * h}, {}, y[k + 1]);
      if (k + 1 == intervals) continue;
      add(k, {0, 1, 2 * h, 3 * h * h}, {0, 1, 0, 0}, 0);
      add(k, {0, 0, 2, 6 * h}, {0, 0, 2, 0}, 0);
      if (k == 0 || k + 2 == intervals) add(k, {0, 0, 0, 6}, {0, 0, 0, 6}, 0);
    }
    for (int column = 0; column < size; ++column) {
      int pivot = column;
      for (int r = column; r < size; ++r)
        if (std::abs(rows[r][column]) > std::abs(rows[pivot][column])) pivot = r;
      std::swap(rows[column], rows[pivot]);
      for (int r = column + 1; r < size; ++r) {
        const double factor = rows[r][column] / rows[column][column];
        if (factor == 0) continue;
        for (int c = column; c <= size; ++c) rows[r][c] -= factor * rows[column][c];
      }
    }
    std::vector<double> solution(size);
    for (int r = size - 1; r >= 0; --r) {
      double value = rows[r][size];
      for (int c = r + 1; c < size; ++c) value -= rows[r][c] * solution[c];
      solution[r] = value / rows[r][r];
    }
    return solution;
  }

  static double printed(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%f", value);
    return std::strtod(text, nullptr);
  }

  void make_nodes() {
    std::vector<double> x, y;
    for (int k = -99; k <= 99; ++k) {
      const double t = std::acos(-1.0) / 2 * std::abs(k) / 99, at = std::pow(std::sin(t), 2);
      const double half =
          0.594689181 *
          (0.298222773 * std::sqrt(at) - 0.127125232 * at - 0.357907906 * std::pow(at, 2) +
           0.291984971 * std::pow(at, 3) - 0.105174696 * std::pow(at, 4));
      const auto root = std::sqrt(std::complex<double>(at - 0.0077, std::abs(k) == 99 ? 0 : half));
      x.push_back(k < 0 ? -root.real() : root.real());
      y.push_back(root.imag());
    }
    const std::vector<double> c = cubics(x, y);
    std::vector<double> low(3 * block_columns_ + 1);
    const auto xi = [this](int i) { return -3 + 6.0 * i / (3 * block_columns_); };
    for (int i = block_columns_ + 1; i < 2 * block_columns_; ++i) {
      int k = 0;
      while (k < 197 && x[k + 1] < xi(i)) ++k;
      const double t = xi(i) - x[k];
      low[i] = c[4 * k] + c[4 * k + 1] * t + c[4 * k + 2] * t * t + c[4 * k + 3] * t * t * t;
    }
    for (int j = 0; j <= rows_; ++j) {
      for (int i = 0; i <= 3 * block_columns_; ++i) {
        const double a = xi(i), b = low[i] + (3 - low[i]) * j / rows_;
        nodes.push_back({printed(a * a - b * b), printed(2 * a * b)});
      }
    }
  }

  /// In the order of the reference's file: what is shared with the cell above and to the right of
  /// each cell, before them the wake; then the boundary round the mesh.
  void make_edges() {
    const int columns = 3 * block_columns_;
    std::map<std::pair<long, long>, long> left_of;  // the cell that has node b after node a
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
      for (int corner = 0; corner < 4; ++corner)
        left_of[{cells[cell][corner], cells[cell][(corner + 1) % 4]}] = static_cast<long>(cell);
    const auto shared = [&](long a, long b) {
      edges.push_back({a, b, left_of.at({b, a}), left_of.at({a, b})});
    };
    for (int j = 0; j < rows_; ++j) {
      for (int i = 0; i < columns; ++i) {
        if (j == 0 && i < block_columns_)
          edges.push_back({node(i, 0), node(i + 1, 0),
                           left_of.at({node(columns - 1 - i, 0), node(columns - i, 0)}), i});
        if (j + 1 < rows_) shared(node(i, j + 1), node(i + 1, j + 1));
        if (i + 1 < columns) shared(node(i + 1, j), node(i + 1, j + 1));
      }
    }
    const auto outer = [&](long a, long b, long flag) {
      bedges.push_back({a, b, left_of.at({b, a}), flag});
    };
    for (int i = block_columns_; i < 2 * block_columns_; ++i) outer(node(i + 1, 0), node(i, 0), 1);
    for (int j = 0; j < rows_; ++j) outer(node(columns, j + 1), node(columns, j), 2);
    for (int i = columns; i > 0; --i) outer(node(i - 1, rows_), node(i, rows_), 2);
    for (int j = rows_; j > 0; --j) outer(node(0, j - 1), node(0, j), 2);
  }

  int block_columns_, rows_;
};

}  // namespace bellwether
