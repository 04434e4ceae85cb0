// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_totals.hpp"

#include <algorithm>

#include "miniapps/comm/reduce.hpp"

namespace bellwether {

AirfoilTotals total_over_ranks(MPI_Comm comm, const AirfoilSums& local, const LocalSet& cells) {
  std::array<double, 9> values{};
  std::copy(local.total.begin(), local.total.end(), values.begin());
  std::copy(local.magnitude.begin(), local.magnitude.end(), values.begin() + 4);
  values[8] = static_cast<double>(local.not_finite);
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                comm);
  AirfoilTotals all;
  std::copy_n(values.begin(), 4, all.total.begin());
  std::copy_n(values.begin() + 4, 4, all.magnitude.begin());
  all.not_finite = values[8];
  all.rank = lowest_rank_where(comm, local.not_finite > 0);
  if (all.rank < 0) return all;
  if (local.not_finite > 0) all.cell = cells.global[local.first_not_finite];
  MPI_Bcast(&all.cell, 1, MPI_INT64_T, all.rank, comm);
  return all;
}

}  // namespace bellwether
