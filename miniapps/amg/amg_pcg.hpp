// SPDX-License-Identifier: MIT
#pragma once

#include "miniapps/amg/hypre/hypre_cycle.hpp"
#include "miniapps/amg/hypre/hypre_solver.hpp"

namespace bellwether {

/// Seconds of an iteration on this rank, beside its cycle's.
struct PcgSeconds {
  double compute = 0;  ///< the product with the matrix, and sums and products of vectors
  double network = 0;  ///< of that product
  double reduce = 0;   ///< inner products over all ranks
};

/// Conjugate gradients with a V-cycle as preconditioner, as hypre's own with the 2-norm as measure
/// goes: the same operations in the same order, by hypre's functions.
class AmgPcg {
 public:
  /// Collective. Matrix and cycle outlive it.
  AmgPcg(MPI_Comm comm, const AmgRows& rows, const HypreMatrix& matrix, HypreCycle& cycle,
         bool overlap);

  /// Collective: from this x on. Runs a cycle.
  void start(const HypreVector& b, const HypreVector& x);
  /// Collective: one iteration, with one run of the cycle.
  void iterate(const HypreVector& x);

  [[nodiscard]] const PcgSeconds& seconds() const { return seconds_; }
  /// The 2-norm of the residual as the iteration carries it on.
  [[nodiscard]] double residual() const;

 private:
  template <class Body>
  void time(double PcgSeconds::*messages_are, HYPRE_ParCSRMatrix multiplied, Body&& body);
  void multiply();
  [[nodiscard]] double inner(const HypreVector& a, const HypreVector& b);
  void add_up();

  /// What was timed, from the mark before its own on, and its part of MPI.
  struct Timed {
    double PcgSeconds::*messages_are;
    HypreTimer::Mark end;
    double messages_s;
  };

  const HypreMatrix& matrix_;
  HypreCycle& cycle_;
  bool overlap_;
  HypreVector p_, r_, s_;
  double gamma_ = 0, residual_squared_ = 0;
  HypreTimer timer_;
  std::vector<Timed> timed_;
  PcgSeconds seconds_;
};

}  // namespace bellwether
