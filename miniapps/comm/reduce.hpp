// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace bellwether {

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int ranks_in(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

/// The rank whose total was the largest, and its values.
struct Slowest {
  int rank = 0;
  double total = 0;
  std::vector<double> values;
};

/// Collective. The rank with the largest `total` (the lowest of equals), with its values, which
/// belong together. Every rank brings equally many.
Slowest slowest_rank(MPI_Comm comm, double total, std::vector<double> values);

/// Collective. The lowest rank on which `found` is true, on every rank; -1 where there is none.
int lowest_rank_where(MPI_Comm comm, bool found);

/// Collective. The largest of each value over all ranks, each for itself.
std::vector<double> largest(MPI_Comm comm, std::vector<double> values);
/// Collective. The largest, and the least, of all ranks' values.
double largest(MPI_Comm comm, double mine);
double least(MPI_Comm comm, double mine);
std::size_t least(MPI_Comm comm, std::size_t mine);

/// Collective. Rank 0's value on every rank: from clocks and files that differ all take the same
/// decision.
template <class T>
T from_first_rank(MPI_Comm comm, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, comm);
  return value;
}
/// Collective. Rank `source`'s text, of any length up to 2 GiB, on every rank.
std::string from_rank(MPI_Comm comm, int source, std::string text);

/// Collective. The sum (mod 2^64) of all ranks' hashes.
std::uint64_t sum_of_hashes(MPI_Comm comm, std::uint64_t mine);

/// Collective. Every rank's text, and numbers, of any length, on every rank.
std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine);
std::vector<std::vector<double>> gather_values(MPI_Comm comm, const std::vector<double>& mine);

/// What the ranks that share something bring together, and how many they are.
struct Shared {
  double sum = 0;
  int ranks = 0;
};

/// Collective. For each of this rank's names what the ranks with the same name bring, `mine` of
/// this one; an empty name is this rank's alone. Ranks may have different numbers of names.
std::vector<Shared> sums_by_name(MPI_Comm comm, const std::vector<std::string>& names, double mine);

}  // namespace bellwether
