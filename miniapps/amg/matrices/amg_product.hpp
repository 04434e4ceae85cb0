// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "miniapps/amg/matrices/amg_rows.hpp"

namespace bellwether {

/// Products with the matrix of rows, by loops and messages of its own: what hypre's results are
/// held against. Asks for the rows anew in each product and keeps none of them.
class AmgProduct {
 public:
  /// Collective; the rows outlive the product.
  AmgProduct(MPI_Comm comm, const AmgRows& rows);

  /// Collective: A x, both this rank's.
  [[nodiscard]] std::vector<double> operator()(std::span<const double> x);
  /// Collective: the 2-norm of b - A x; NaN and infinity stay.
  [[nodiscard]] double residual(std::span<const double> b, std::span<const double> x);
  /// Collective: the 2-norm.
  [[nodiscard]] double norm(std::span<const double> x) const;

 private:
  MPI_Comm comm_;
  const AmgRows& rows_;
  std::vector<long long> others_;  ///< columns of other ranks, ascending
  std::vector<int> received_, received_at_, sent_, sent_at_;
  std::vector<int> sent_rows_;  ///< of this rank's, one after another as they are sent
};

}  // namespace bellwether
