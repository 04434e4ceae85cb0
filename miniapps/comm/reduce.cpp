// SPDX-License-Identifier: MIT
#include "miniapps/comm/reduce.hpp"

#include <limits>
#include <utility>

namespace bellwether {

Slowest slowest_rank(MPI_Comm comm, double total, std::vector<double> values) {
  struct {
    double total;
    int rank;
  } mine{total, 0}, slowest{};
  MPI_Comm_rank(comm, &mine.rank);
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, slowest.rank, comm);
  return {slowest.rank, slowest.total, std::move(values)};
}

int lowest_rank_where(MPI_Comm comm, bool found) {
  constexpr int nowhere = std::numeric_limits<int>::max();
  int lowest = nowhere;
  if (found) MPI_Comm_rank(comm, &lowest);
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, comm);
  return lowest == nowhere ? -1 : lowest;
}

std::vector<double> largest(MPI_Comm comm, std::vector<double> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                comm);
  return values;
}

}  // namespace bellwether
