// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/cholesky/cholesky.hpp"

namespace bellwether {

/// What column j does to a value of a later one: a_ik - l_ij l_kj. `value` and `l` are numbers, or
/// lanes of them.
template <class Values, class T>
BELLWETHER_HOST_DEVICE Values updated(const Values& value, const Values& l, T factor) {
  return value - l * factor;
}

/// A value of the matrix as it is stored.
template <class T>
BELLWETHER_HOST_DEVICE T stored_element(const CholeskyColumns<T>& columns, long row, long column,
                                        double diagonal) {
  if (row < column || row >= columns.size) return T(0);
  return static_cast<T>(cholesky_element(row, column, diagonal));
}

/// A value below the diagonal, scaled.
template <class T>
BELLWETHER_HOST_DEVICE T quotient(T value, T root) {
  return value / root;
}

/// L in the lower triangle of a column-major n x n matrix, by halves: with `by`'s factor_base of as
/// many columns as its base_columns, solve_triangle and subtract_product.
template <class T, class Operations>
void factor_lower(T* a, long ld, long n, const Operations& by) {
  constexpr long base = Operations::base_columns;
  if (n <= base) return by.factor_base(a, ld, n);
  const long half = (n / 2 + base - 1) / base * base, rest = n - half;
  T* const below = a + half;
  T* const corner = below + half * ld;
  factor_lower(a, ld, half, by);
  by.solve_triangle(below, ld, a, ld, rest, half);
  by.subtract_product(corner, ld, below, ld, below, ld, rest, rest, half);
  factor_lower(corner, ld, rest, by);
}

}  // namespace bellwether
