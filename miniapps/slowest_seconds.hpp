// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <chrono>

namespace bellwether {

/// Collective: how long `body` takes on the slowest rank when all begin together.
template <class Body>
double slowest_seconds(MPI_Comm comm, Body&& body) {
  MPI_Barrier(comm);
  const auto begin = std::chrono::steady_clock::now();
  body();
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

}  // namespace bellwether
