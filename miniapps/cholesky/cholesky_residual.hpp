// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "miniapps/cholesky/column_matrix.hpp"

namespace bellwether {

/// Collective: what L leaves of A = L L^T in listed columns, in double precision:
/// max |A - L L^T| / (n eps max |A|), eps the spacing of numbers at 1. Rounding leaves at most
/// (n + 1)/(2 n) of it, in every element (Higham, Accuracy and Stability of Numerical Algorithms,
/// Theorem 10.3). Not finite where L is not.
template <class T>
double cholesky_residual(MPI_Comm comm, const ColumnMatrix<T>& factor, double diagonal,
                         const std::vector<long>& columns);

/// Collective: the first column of the factor whose diagonal is not positive, the same on every
/// process; -1: none.
template <class T>
long column_not_positive(MPI_Comm comm, const ColumnMatrix<T>& factor);

/// Collective: a sum over the bits of all of L and where they stand. By columns it is the same on
/// any ranks and backend: every value is rounded in the same way.
template <class T>
std::uint64_t fingerprint_of(MPI_Comm comm, const ColumnMatrix<T>& factor);

/// So many columns of the matrix, or all where it has no more, any but the first and last by chance
/// but always the same ones.
std::vector<long> sampled_columns(long size, int count);

}  // namespace bellwether
