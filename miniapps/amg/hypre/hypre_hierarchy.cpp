// SPDX-License-Identifier: MIT
// What hypre's objects say of their sizes, which they keep on the host, wherever their entries are.
#include <_hypre_parcsr_ls.h>
#include <_hypre_parcsr_mv.h>

#include <vector>

#include "miniapps/amg/hypre/hypre_cycle.hpp"
#include "miniapps/amg/hypre/hypre_solver.hpp"

namespace bellwether {
namespace {

/// Of one operator on this rank; all of them add up but the three largest.
struct OwnOperator {
  double rows = 0, nonzeros = 0, offd = 0, sends = 0, elements = 0, elements_on_node = 0;
};

OwnOperator own_operator(const Session& session, hypre_ParCSRMatrix* matrix, bool transposed) {
  (void)messages_exchanged(matrix);  // after which hypre knows them
  const hypre_ParCSRCommPkg* const p = hypre_ParCSRMatrixCommPkg(matrix);
  const hypre_CSRMatrix* const diag = hypre_ParCSRMatrixDiag(matrix);
  const hypre_CSRMatrix* const offd = hypre_ParCSRMatrixOffd(matrix);
  OwnOperator own;
  own.rows = hypre_CSRMatrixNumRows(diag);
  own.offd = hypre_CSRMatrixNumNonzeros(offd);
  own.nonzeros = hypre_CSRMatrixNumNonzeros(diag) + own.offd;
  own.sends = transposed ? hypre_ParCSRCommPkgNumRecvs(p) : hypre_ParCSRCommPkgNumSends(p);
  for (int i = 0; i < static_cast<int>(own.sends); ++i) {
    const int to =
        transposed ? hypre_ParCSRCommPkgRecvProc(p, i) : hypre_ParCSRCommPkgSendProc(p, i);
    const int count =
        transposed
            ? hypre_ParCSRCommPkgRecvVecStart(p, i + 1) - hypre_ParCSRCommPkgRecvVecStart(p, i)
            : hypre_ParCSRCommPkgSendMapStart(p, i + 1) - hypre_ParCSRCommPkgSendMapStart(p, i);
    own.elements += count;
    const std::vector<int>& node_of = session.node_of_rank();
    if (node_of[to] == node_of[session.rank()]) own.elements_on_node += count;
  }
  return own;
}

/// Collective, ranks without rows as well.
AmgOperator operator_of(const Session& session, hypre_ParCSRMatrix* matrix, bool transposed,
                        double* active) {
  const OwnOperator own = own_operator(session, matrix, transposed);
  const double mine[] = {own.rows,
                         own.nonzeros,
                         own.offd,
                         own.sends,
                         own.elements,
                         own.elements_on_node,
                         own.rows > 0 ? 1. : 0.};
  constexpr int count = 7;
  double sum[count], most[count];
  MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, session.world());
  MPI_Allreduce(mine, most, count, MPI_DOUBLE, MPI_MAX, session.world());
  if (active != nullptr) *active = sum[6];
  AmgOperator all;
  all.average_sends = sum[3] / sum[6];
  all.max_sends = most[3];
  all.max_elements = most[4];
  all.nonzeros_per_row = sum[1] / sum[0];
  all.busiest_rows = most[0];
  all.busiest_nonzeros = most[1];
  all.total_nonzeros = sum[1];
  all.offd_share = sum[1] > 0 ? sum[2] / sum[1] : 0;
  all.own_node_share = sum[4] > 0 ? sum[5] / sum[4] : 0;
  return all;
}

}  // namespace

AmgHierarchy HypreAmg::hierarchy(const Session& session) const {
  auto* const data = reinterpret_cast<hypre_ParAMGData*>(solver_);
  AmgHierarchy hierarchy;
  hierarchy.processes = session.size();
  hierarchy.ranks_per_node = session.most_ranks_on_a_node();
  const int levels = hypre_ParAMGDataNumLevels(data);
  for (int l = 0; l < levels; ++l) {
    hypre_ParCSRMatrix* const a = hypre_ParAMGDataAArray(data)[l];
    AmgLevel level;
    level.unknowns = static_cast<double>(hypre_ParCSRMatrixGlobalNumRows(a));
    level.solve = operator_of(session, a, false, &level.active_processes);
    if (l + 1 < levels) {
      hypre_ParCSRMatrix* const p = hypre_ParAMGDataPArray(data)[l];
      level.interpolation = operator_of(session, p, false, nullptr);
      level.restriction = operator_of(session, p, true, nullptr);
    }
    hierarchy.levels.push_back(level);
  }
  return hierarchy;
}

}  // namespace bellwether
