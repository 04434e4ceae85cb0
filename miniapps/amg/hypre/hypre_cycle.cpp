// SPDX-License-Identifier: MIT
#include "miniapps/amg/hypre/hypre_cycle.hpp"

#include <_hypre_parcsr_ls.h>
#include <_hypre_parcsr_mv.h>

#include <algorithm>
#include <stdexcept>

#include "miniapps/amg/hypre/hypre_library.hpp"

namespace bellwether {
namespace {

// Where a relaxation stands in the cycle, by hypre's numbers.
constexpr int downwards = 1, upwards = 2, coarsest = 3;

hypre_ParAMGData* data_of(HYPRE_Solver solver) {
  return reinterpret_cast<hypre_ParAMGData*>(solver);
}

void set_zero(hypre_ParVector* vector) {
#if HYPRE_RELEASE_NUMBER >= 22700
  hypre_ParVectorSetZeros(vector);  // a relaxation that knows it is zero computes less
#else
  hypre_ParVectorSetConstantValues(vector, 0);
#endif
}

/// A vector of the finest level works for a coarser one: with its rows.
void set_rows(hypre_ParVector* vector, HYPRE_Int rows) {
  if (vector != nullptr) hypre_ParVectorSetLocalSize(vector, rows);
}

bool eliminates(HYPRE_Int relax_type) {
  return relax_type == 9 || relax_type == 99 || relax_type == 199;
}

/// One sweep.
void sweep(hypre_ParAMGData* data, int level, int side, HYPRE_Int type) {
  hypre_ParCSRMatrix* const a = hypre_ParAMGDataAArray(data)[level];
  hypre_ParVector* const f = hypre_ParAMGDataFArray(data)[level];
  hypre_ParVector* const u = hypre_ParAMGDataUArray(data)[level];
  hypre_ParVector* const v = hypre_ParAMGDataVtemp(data);
  hypre_ParVector* const z = hypre_ParAMGDataZtemp(data);
  if (eliminates(type)) {
    hypre_GaussElimSolve(data, level, type);
  } else if (type == 16) {
    hypre_ParCSRRelax_Cheby_Solve(
        a, f, hypre_VectorData(hypre_ParAMGDataChebyDS(data)[level]),
        hypre_ParAMGDataChebyCoefs(data)[level], hypre_ParAMGDataChebyOrder(data),
        hypre_ParAMGDataChebyScale(data), hypre_ParAMGDataChebyVariant(data), u, v, z,
        hypre_ParAMGDataPtemp(data), hypre_ParAMGDataRtemp(data));
  } else {
    hypre_IntArray* const marker = hypre_ParAMGDataCFMarkerArray(data)[level];
    hypre_Vector** const norms = hypre_ParAMGDataL1Norms(data);
    hypre_Vector* const norm = norms != nullptr ? norms[level] : nullptr;
    hypre_BoomerAMGRelaxIF(a, f, marker != nullptr ? hypre_IntArrayData(marker) : nullptr, type,
                           hypre_ParAMGDataRelaxOrder(data), side,
                           hypre_ParAMGDataRelaxWeight(data)[level],
                           hypre_ParAMGDataOmega(data)[level],
                           norm != nullptr ? hypre_VectorData(norm) : nullptr, u, v, z);
  }
}

}  // namespace

int messages_exchanged(HYPRE_ParCSRMatrix matrix) {
  if (hypre_ParCSRMatrixCommPkg(matrix) == nullptr)
    check_hypre("hypre_MatvecCommPkgCreate", hypre_MatvecCommPkgCreate(matrix));
  const hypre_ParCSRCommPkg* const p = hypre_ParCSRMatrixCommPkg(matrix);
  return static_cast<int>(hypre_ParCSRCommPkgNumSends(p) + hypre_ParCSRCommPkgNumRecvs(p));
}

HypreCycle::HypreCycle(HYPRE_Solver solver, bool overlap)
    : solver_(solver),
      overlap_(overlap),
      seconds_(static_cast<std::size_t>(hypre_ParAMGDataNumLevels(data_of(solver)))) {}

/// `matrix`: with whose neighbours the operation exchanges; null: it gathers.
template <class Body>
void HypreCycle::time(MessageTimer& messages, std::size_t level, CycleOperation operation,
                      HYPRE_ParCSRMatrix matrix, Body&& body) {
  if (!overlap_) messages.wait_after(matrix != nullptr ? messages_exchanged(matrix) : 0);
  const MessageTally before = messages.tally();
  body();
  timed_.push_back({level, operation, timer_.mark(), messages.tally().seconds - before.seconds,
                    messages.tally().sends - before.sends});
  if (messages.unwaited() != 0)
    throw std::runtime_error(
        "hypre exchanges other messages than its headers say: overlap cannot be turned off");
}

void HypreCycle::relax(MessageTimer& messages, std::size_t level, int side) {
  hypre_ParAMGData* const data = data_of(solver_);
  const int l = static_cast<int>(level);
  const HYPRE_Int rows =
      hypre_VectorSize(hypre_ParVectorLocalVector(hypre_ParAMGDataFArray(data)[l]));
  for (hypre_ParVector* const vector : {hypre_ParAMGDataVtemp(data), hypre_ParAMGDataZtemp(data),
                                        hypre_ParAMGDataRtemp(data), hypre_ParAMGDataPtemp(data)})
    set_rows(vector, rows);
  const HYPRE_Int type = hypre_ParAMGDataGridRelaxType(data)[side];
  const bool gathers = eliminates(type);
  time(messages, level, side == coarsest ? CycleOperation::coarse_solve : CycleOperation::relax,
       gathers ? nullptr : hypre_ParAMGDataAArray(data)[l], [&] {
         for (HYPRE_Int s = 0; s < hypre_ParAMGDataNumGridSweeps(data)[side]; ++s)
           sweep(data, l, side, type);
       });
}

void HypreCycle::add_up() {
  timer_.wait();
  for (auto& level : seconds_) level = {};
  for (const Timed& one : timed_) {
    AmgSeconds& seconds = seconds_[one.level][static_cast<std::size_t>(one.operation)];
    const double all = timer_.seconds(one.end - 1, one.end);
    // On a GPU the host may be in MPI for the next operation while this one still computes.
    const double network = std::min(one.network, all);
    seconds.network += network;
    seconds.compute += all - network;
    seconds.sends += one.sends;
  }
}

void HypreCycle::run_from_zero(HYPRE_ParVector f, HYPRE_ParVector u) {
  set_zero(u);
  run(f, u);
}

void HypreCycle::run(HYPRE_ParVector f, HYPRE_ParVector u) {
  hypre_ParAMGData* const data = data_of(solver_);
  hypre_ParCSRMatrix** const a = hypre_ParAMGDataAArray(data);
  hypre_ParCSRMatrix** const p = hypre_ParAMGDataPArray(data);
  hypre_ParCSRMatrix** const r = hypre_ParAMGDataRArray(data);
  hypre_ParVector** const fs = hypre_ParAMGDataFArray(data);
  hypre_ParVector** const us = hypre_ParAMGDataUArray(data);
  fs[0] = f;
  us[0] = u;
  timed_.clear();
  timer_.restart();
  MessageTimer messages;
  (void)timer_.mark();
  const std::size_t last = levels() - 1;
  for (std::size_t l = 0; l < last; ++l) {
    relax(messages, l, downwards);
    time(messages, l, CycleOperation::residual, a[l], [&] {
      set_zero(us[l + 1]);
      hypre_ParCSRMatrixMatvecOutOfPlace(-1, a[l], us[l], 1, fs[l], hypre_ParAMGDataVtemp(data));
    });
    time(messages, l, CycleOperation::restriction, r[l],
         [&] { hypre_ParCSRMatrixMatvecT(1, r[l], hypre_ParAMGDataVtemp(data), 0, fs[l + 1]); });
  }
  relax(messages, last, coarsest);
  for (std::size_t l = last; l-- > 0;) {
    time(messages, l, CycleOperation::interpolation, p[l], [&] {
      hypre_ParCSRMatrixMatvec(1, p[l], us[l + 1], 1, us[l]);
#if HYPRE_RELEASE_NUMBER >= 22700
      hypre_ParVectorAllZeros(us[l]) = 0;
#endif
    });
    relax(messages, l, upwards);
  }
  add_up();
  check_hypre("the cycle", HYPRE_GetError());
}

}  // namespace bellwether
