// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_pcg.hpp"

#include <_hypre_parcsr_ls.h>

#include <algorithm>
#include <cmath>

namespace bellwether {
AmgPcg::AmgPcg(MPI_Comm comm, const AmgRows& rows, const HypreMatrix& matrix, HypreCycle& cycle,
               bool overlap)
    : matrix_(matrix),
      cycle_(cycle),
      overlap_(overlap),
      p_(comm, rows),
      r_(comm, rows),
      s_(comm, rows) {}

void AmgPcg::start(const HypreVector& b, const HypreVector& x) {
  timed_.clear();
  timer_.restart();
  check_hypre("HYPRE_ParVectorCopy", HYPRE_ParVectorCopy(b.get(), r_.get()));
  check_hypre("HYPRE_ParCSRMatrixMatvec",
              HYPRE_ParCSRMatrixMatvec(-1, matrix_.get(), x.get(), 1, r_.get()));
  cycle_.run_from_zero(r_.get(), p_.get());
  gamma_ = inner(r_, p_);
  residual_squared_ = inner(r_, r_);
}

void AmgPcg::iterate(const HypreVector& x) {
  timed_.clear();
  timer_.restart();
  multiply();
  const double alpha = gamma_ / inner(s_, p_);
  const double old_gamma = gamma_;
  time(&PcgSeconds::network, nullptr, [&] {
    check_hypre("HYPRE_ParVectorAxpy", HYPRE_ParVectorAxpy(alpha, p_.get(), x.get()));
    check_hypre("HYPRE_ParVectorAxpy", HYPRE_ParVectorAxpy(-alpha, s_.get(), r_.get()));
  });
  cycle_.run_from_zero(r_.get(), s_.get());
  gamma_ = inner(r_, s_);
  residual_squared_ = inner(r_, r_);
  time(&PcgSeconds::network, nullptr, [&] {
    check_hypre("HYPRE_ParVectorScale", HYPRE_ParVectorScale(gamma_ / old_gamma, p_.get()));
    check_hypre("HYPRE_ParVectorAxpy", HYPRE_ParVectorAxpy(1, s_.get(), p_.get()));
  });
  add_up();
}

double AmgPcg::residual() const { return std::sqrt(residual_squared_); }

/// `multiplied`: with whose neighbours the body exchanges; null: it does not.
template <class Body>
void AmgPcg::time(double PcgSeconds::*messages_are, HYPRE_ParCSRMatrix multiplied, Body&& body) {
  MessageTimer messages;
  if (!overlap_ && multiplied != nullptr) messages.wait_after(messages_exchanged(multiplied));
  (void)timer_.mark();
  body();
  timed_.push_back({messages_are, timer_.mark(), messages.tally().seconds});
}

void AmgPcg::multiply() {
  time(&PcgSeconds::network, matrix_.get(), [&] {
    check_hypre("HYPRE_ParCSRMatrixMatvec",
                HYPRE_ParCSRMatrixMatvec(1, matrix_.get(), p_.get(), 0, s_.get()));
  });
}

double AmgPcg::inner(const HypreVector& a, const HypreVector& b) {
  HYPRE_Real product = 0;
  time(&PcgSeconds::reduce, nullptr, [&] {
    check_hypre("HYPRE_ParVectorInnerProd", HYPRE_ParVectorInnerProd(a.get(), b.get(), &product));
  });
  return product;
}

void AmgPcg::add_up() {
  timer_.wait();
  seconds_ = {};
  for (const Timed& one : timed_) {
    const double all = timer_.seconds(one.end - 1, one.end);
    const double messages = std::min(one.messages_s, all);
    seconds_.*one.messages_are += messages;
    seconds_.compute += all - messages;
  }
}

}  // namespace bellwether
