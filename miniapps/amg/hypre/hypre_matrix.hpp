// SPDX-License-Identifier: MIT
#pragma once

#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_mv.h>
#include <mpi.h>

#include <span>
#include <vector>

#include "miniapps/amg/matrices/amg_rows.hpp"

namespace bellwether {

/// A vector of doubles where hypre is, divided as a matrix' rows; 0 at first. Collective.
class HypreVector {
 public:
  HypreVector(MPI_Comm comm, const AmgRows& rows);
  ~HypreVector();
  HypreVector(const HypreVector&) = delete;
  HypreVector& operator=(const HypreVector&) = delete;

  /// This rank's, in a copy on the host.
  [[nodiscard]] std::vector<double> values() const;
  /// As many as this rank has.
  void set_values(std::span<const double> values);
  void set_zero();
  [[nodiscard]] HYPRE_ParVector get() const { return vector_; }

 private:
  HYPRE_IJVector ij_ = nullptr;
  HYPRE_ParVector vector_ = nullptr;
};

/// The matrix of rows, where hypre is. Collective; on the host asks for each row twice, first to
/// allocate exactly. Throws BadInput where hypre's integers cannot number the rows, or a rank's
/// entries.
class HypreMatrix {
 public:
  HypreMatrix(MPI_Comm comm, const AmgRows& rows);
  ~HypreMatrix();
  HypreMatrix(const HypreMatrix&) = delete;
  HypreMatrix& operator=(const HypreMatrix&) = delete;

  [[nodiscard]] HYPRE_ParCSRMatrix get() const { return matrix_; }

 private:
  void set_sizes(const AmgRows& rows);
  void fill(const AmgRows& rows);

  HYPRE_IJMatrix ij_ = nullptr;
  HYPRE_ParCSRMatrix matrix_ = nullptr;
};

}  // namespace bellwether
