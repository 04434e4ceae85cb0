// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_pcg.hpp"

#include <_hypre_parcsr_ls.h>

#include <chrono>
#include <cmath>

namespace bellwether {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point begin_now() {
  synchronize_hypre();
  return Clock::now();
}

double seconds_since(Clock::time_point begin) {
  synchronize_hypre();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

AmgPcg::AmgPcg(MPI_Comm comm, const AmgRows& rows, const HypreMatrix& matrix, HypreCycle& cycle,
               bool overlap)
    : matrix_(matrix),
      cycle_(cycle),
      overlap_(overlap),
      p_(comm, rows),
      r_(comm, rows),
      s_(comm, rows) {}

void AmgPcg::start(const HypreVector& b, const HypreVector& x) {
  check_hypre("HYPRE_ParVectorCopy", HYPRE_ParVectorCopy(b.get(), r_.get()));
  check_hypre("HYPRE_ParCSRMatrixMatvec",
              HYPRE_ParCSRMatrixMatvec(-1, matrix_.get(), x.get(), 1, r_.get()));
  cycle_.run_from_zero(r_.get(), p_.get());
  gamma_ = inner(r_, p_);
  residual_squared_ = inner(r_, r_);
}

void AmgPcg::iterate(const HypreVector& x) {
  seconds_ = {};
  multiply();
  const double alpha = gamma_ / inner(s_, p_);
  const double old_gamma = gamma_;
  auto begin = begin_now();
  check_hypre("HYPRE_ParVectorAxpy", HYPRE_ParVectorAxpy(alpha, p_.get(), x.get()));
  check_hypre("HYPRE_ParVectorAxpy", HYPRE_ParVectorAxpy(-alpha, s_.get(), r_.get()));
  seconds_.compute += seconds_since(begin);
  cycle_.run_from_zero(r_.get(), s_.get());
  gamma_ = inner(r_, s_);
  residual_squared_ = inner(r_, r_);
  begin = begin_now();
  check_hypre("HYPRE_ParVectorScale", HYPRE_ParVectorScale(gamma_ / old_gamma, p_.get()));
  check_hypre("HYPRE_ParVectorAxpy", HYPRE_ParVectorAxpy(1, s_.get(), p_.get()));
  seconds_.compute += seconds_since(begin);
}

double AmgPcg::residual() const { return std::sqrt(residual_squared_); }

void AmgPcg::multiply() {
  MessageTimer messages;
  if (!overlap_) messages.wait_after(messages_exchanged(matrix_.get()));
  const auto begin = begin_now();
  check_hypre("HYPRE_ParCSRMatrixMatvec",
              HYPRE_ParCSRMatrixMatvec(1, matrix_.get(), p_.get(), 0, s_.get()));
  seconds_.network += messages.tally().seconds;
  seconds_.compute += seconds_since(begin) - messages.tally().seconds;
}

double AmgPcg::inner(const HypreVector& a, const HypreVector& b) {
  MessageTimer messages;
  const auto begin = begin_now();
  HYPRE_Real product = 0;
  check_hypre("HYPRE_ParVectorInnerProd", HYPRE_ParVectorInnerProd(a.get(), b.get(), &product));
  seconds_.reduce += messages.tally().seconds;
  seconds_.compute += seconds_since(begin) - messages.tally().seconds;
  return product;
}

}  // namespace bellwether
