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

}  // namespace bellwether
