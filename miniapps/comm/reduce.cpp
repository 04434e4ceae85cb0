// SPDX-License-Identifier: MIT
#include "miniapps/comm/reduce.hpp"

#include <limits>
#include <numeric>
#include <utility>

namespace bellwether {
namespace {

template <class List>
std::vector<List> gathered(MPI_Comm comm, const List& mine, MPI_Datatype type) {
  std::vector<int> counts(static_cast<std::size_t>(ranks_in(comm))), starts(counts.size());
  const int count = static_cast<int>(mine.size());
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  List all;
  all.resize(static_cast<std::size_t>(starts.back() + counts.back()));
  MPI_Allgatherv(mine.data(), count, type, all.data(), counts.data(), starts.data(), type, comm);
  std::vector<List> lists;
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    lists.emplace_back(all.begin() + starts[rank], all.begin() + starts[rank] + counts[rank]);
  return lists;
}

}  // namespace

Slowest slowest_rank(MPI_Comm comm, double total, std::vector<double> values) {
  struct {
    double total;
    int rank;
  } mine{total, rank_in(comm)}, slowest{};
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, slowest.rank, comm);
  return {slowest.rank, slowest.total, std::move(values)};
}

int lowest_rank_where(MPI_Comm comm, bool found) {
  constexpr int nowhere = std::numeric_limits<int>::max();
  int lowest = found ? rank_in(comm) : nowhere;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, comm);
  return lowest == nowhere ? -1 : lowest;
}

std::vector<double> largest(MPI_Comm comm, std::vector<double> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                comm);
  return values;
}

double largest(MPI_Comm comm, double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, comm);
  return mine;
}

double least(MPI_Comm comm, double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MIN, comm);
  return mine;
}

std::size_t least(MPI_Comm comm, std::size_t mine) {
  static_assert(sizeof mine == sizeof(std::uint64_t));
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_MIN, comm);
  return mine;
}

std::string from_rank(MPI_Comm comm, int source, std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, source, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, source, comm);
  return text;
}

std::uint64_t sum_of_hashes(MPI_Comm comm, std::uint64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, comm);
  return mine;
}

std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine) {
  return gathered(comm, mine, MPI_CHAR);
}

std::vector<std::vector<double>> gather_values(MPI_Comm comm, const std::vector<double>& mine) {
  return gathered(comm, mine, MPI_DOUBLE);
}

std::vector<Shared> sums_by_name(MPI_Comm comm, const std::vector<std::string>& names,
                                 double mine) {
  int most_names = static_cast<int>(names.size());
  MPI_Allreduce(MPI_IN_PLACE, &most_names, 1, MPI_INT, MPI_MAX, comm);
  std::vector<double> values(static_cast<std::size_t>(ranks_in(comm)));
  MPI_Allgather(&mine, 1, MPI_DOUBLE, values.data(), 1, MPI_DOUBLE, comm);
  std::vector<Shared> sums(names.size());
  for (std::size_t at = 0; at < static_cast<std::size_t>(most_names); ++at) {
    const auto others = gather_texts(comm, at < names.size() ? names[at] : "");
    for (std::size_t own = 0; own < names.size(); ++own)
      for (std::size_t rank = 0; rank < others.size(); ++rank) {
        if (names[own].empty() || others[rank] != names[own]) continue;
        sums[own].sum += values[rank];
        ++sums[own].ranks;
      }
  }
  for (std::size_t own = 0; own < names.size(); ++own)
    if (names[own].empty()) sums[own] = {mine, 1};
  return sums;
}

}  // namespace bellwether
