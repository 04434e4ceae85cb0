// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <climits>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "miniapps/comm/session.hpp"
#include "models/errors.hpp"

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

/// Items from every rank: in the order of the ranks that sent them, and within one in its order.
template <class T>
struct Parcels {
  std::vector<T> items;
  std::vector<int> counts;  ///< from each rank
};

namespace detail {

/// Where each rank's items begin, and at the end how many there are.
inline std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> offsets{0};
  for (const std::int64_t count : counts) offsets.push_back(offsets.back() + count);
  return offsets;
}

/// As MPI 3 counts them. Throws BadEnvironment beyond its 2^31 - 1.
inline std::vector<int> as_counted_by_mpi(const std::vector<std::int64_t>& offsets) {
  if (offsets.back() > INT_MAX)
    throw BadEnvironment(fmt::format(
        "{} items of a mesh on their way from or to one rank, and MPI counts up to {}: more ranks "
        "are needed",
        offsets.back(), INT_MAX));
  return {offsets.begin(), offsets.end()};
}

}  // namespace detail

/// Collective. Sends counts[r] of the items, which stand back to back in the order of the ranks, to
/// rank r. Throws BadEnvironment on all ranks, before any item is looked at, where they are more
/// than MPI can count.
template <class T>
Parcels<T> exchange_parcels(MPI_Comm comm, const std::vector<T>& items,
                            const std::vector<std::int64_t>& counts) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::int64_t> arriving(counts.size());
  MPI_Alltoall(counts.data(), 1, MPI_INT64_T, arriving.data(), 1, MPI_INT64_T, comm);
  std::vector<int> from, to;
  agree_on_errors(comm, [&] {
    from = detail::as_counted_by_mpi(detail::offsets_of(counts));
    to = detail::as_counted_by_mpi(detail::offsets_of(arriving));
  });
  const std::vector<int> sent(counts.begin(), counts.end());
  Parcels<T> arrived{std::vector<T>(to.back()), {arriving.begin(), arriving.end()}};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(sizeof(T), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Alltoallv(items.data(), sent.data(), from.data(), type, arrived.items.data(),
                arrived.counts.data(), to.data(), type, comm);
  MPI_Type_free(&type);
  return arrived;
}

/// Items on their way to ranks.
template <class T>
class Outbox {
 public:
  explicit Outbox(MPI_Comm comm) : comm_(comm), counts_(ranks_in(comm)) {}
  void add(int rank, const T& item) {
    addressed_.emplace_back(rank, item);
    ++counts_[rank];
  }
  /// Collective.
  [[nodiscard]] Parcels<T> deliver() const {
    std::vector<std::int64_t> at = detail::offsets_of(counts_);
    std::vector<T> items(addressed_.size());
    for (const auto& [rank, item] : addressed_) items[at[rank]++] = item;
    return exchange_parcels(comm_, items, counts_);
  }

 private:
  MPI_Comm comm_;
  std::vector<std::int64_t> counts_;
  std::vector<std::pair<int, T>> addressed_;
};

}  // namespace bellwether
