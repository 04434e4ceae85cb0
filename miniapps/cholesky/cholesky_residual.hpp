// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>

#include "miniapps/cholesky/column_matrix.hpp"

namespace bellwether {

/// Collective: what L leaves of A = L L^T, times two vectors x of random numbers from 1/2 to 1 with
/// either sign, so that every element counts: max |A x - L (L^T x)| / (sqrt(n) eps max |A|), eps
/// the spacing of numbers at 1, A made anew. Each element of A was rounded at most n times by up to
/// eps / 2 of it, the diagonal most: by as much as it is, which a walk of n steps of random sign
/// makes sqrt(n / 12) eps max |A|. Not finite where L is not.
template <class T>
double cholesky_residual(MPI_Comm comm, const ColumnMatrix<T>& factor, double diagonal);

/// Collective: the first column of the factor whose diagonal is not positive, the same on every
/// process; -1: none.
template <class T>
long column_not_positive(MPI_Comm comm, const ColumnMatrix<T>& factor);

/// Collective: a sum over the bits of all of L and where they stand. By columns it is the same on
/// any ranks and backend: every value is rounded in the same way.
template <class T>
std::uint64_t fingerprint_of(MPI_Comm comm, const ColumnMatrix<T>& factor);

}  // namespace bellwether
