// SPDX-License-Identifier: MIT
#pragma once

#include <_hypre_parcsr_ls.h>

#include <algorithm>
#include <array>
#include <memory>

#include "miniapps/amg/matrices/operation_matrix.hpp"
#include "miniapps/comm/reduce.hpp"

namespace bellwether::synthetic {

/// Throws std::runtime_error naming what was done where hypre's error flag is set, and clears it.
void check(const char* what);

struct Destroy {
  void operator()(hypre_ParCSRMatrix* matrix) const { hypre_ParCSRMatrixDestroy(matrix); }
  void operator()(hypre_ParVector* vector) const { hypre_ParVectorDestroy(vector); }
};
using Matrix = std::unique_ptr<hypre_ParCSRMatrix, Destroy>;
using Vector = std::unique_ptr<hypre_ParVector, Destroy>;

/// Two ranks or three: as few as make hypre do what it does about messages.
class Neighbours {
 public:
  explicit Neighbours(MPI_Comm comm) {
    const int rank = rank_in(comm), ranks = ranks_in(comm);
    MPI_Comm_split(comm, ranks < 2 ? 0 : std::min(rank / 2, ranks / 2 - 1), rank, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &ranks_);
  }
  ~Neighbours() { MPI_Comm_free(&comm_); }
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// This rank's of equally long ranges.
  [[nodiscard]] std::array<HYPRE_BigInt, 2> range(int size) const {
    return {HYPRE_BigInt{size} * rank_, HYPRE_BigInt{size} * (rank_ + 1)};
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 1;
};

/// Of so many pseudorandom numbers on each rank.
Vector make_vector(const Neighbours& all, int size, unsigned seed);

int columns_of(const AmgShape& shape);
/// As AmgMatrix says, ready to be multiplied with. Diagonally dominant where rows and columns are
/// as many, so that sweeps stay finite. Collective.
Matrix make_matrix(const Neighbours& all, const AmgShape& shape);

}  // namespace bellwether::synthetic
