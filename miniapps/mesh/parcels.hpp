// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>
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

/// Items from every rank: in the order of the ranks that sent them, and within one in its order.
template <class T>
struct Parcels {
  std::vector<T> items;
  std::vector<int> counts;  ///< from each rank
};

namespace detail {

/// Where each rank's items begin, and at the end how many there are. Throws std::length_error
/// beyond the 2^31 - 1 items that MPI 3 can count.
inline std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets{0};
  std::int64_t total = 0;
  for (const int count : counts) {
    total += count;
    if (total > INT_MAX) throw std::length_error("a rank's share of a mesh has 2^31 items or more");
    offsets.push_back(static_cast<int>(total));
  }
  return offsets;
}

}  // namespace detail

/// Collective. Sends counts[r] of the items, which stand back to back in the order of the ranks, to
/// rank r.
template <class T>
Parcels<T> exchange_parcels(MPI_Comm comm, const std::vector<T>& items,
                            const std::vector<int>& counts) {
  static_assert(std::is_trivially_copyable_v<T>);
  Parcels<T> arrived;
  arrived.counts.resize(counts.size());
  MPI_Alltoall(counts.data(), 1, MPI_INT, arrived.counts.data(), 1, MPI_INT, comm);
  const std::vector<int> from = detail::offsets_of(counts), to = detail::offsets_of(arrived.counts);
  arrived.items.resize(to.back());
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(sizeof(T), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Alltoallv(items.data(), counts.data(), from.data(), type, arrived.items.data(),
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
    std::vector<int> at = detail::offsets_of(counts_);
    std::vector<T> items(addressed_.size());
    for (const auto& [rank, item] : addressed_) items[at[rank]++] = item;
    return exchange_parcels(comm_, items, counts_);
  }

 private:
  MPI_Comm comm_;
  std::vector<int> counts_;
  std::vector<std::pair<int, T>> addressed_;
};

}  // namespace bellwether
