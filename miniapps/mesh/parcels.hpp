// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/mesh/block_mesh.hpp"
#include "miniapps/mesh/number_of.hpp"
#include "models/errors.hpp"

namespace bellwether {

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

/// Collective. Sends counts[r] of the items, back to back in the order of the ranks, to rank r.
/// Throws BadEnvironment on all ranks where they are more than MPI can count.
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
  explicit Outbox(MPI_Comm comm) : comm_(comm), to_(ranks_in(comm)) {}
  void add(int rank, const T& item) { to_[rank].push_back(item); }
  /// Collective.
  [[nodiscard]] Parcels<T> deliver() const {
    std::vector<std::int64_t> counts;
    std::size_t all = 0;
    for (const std::vector<T>& items : to_) {
      counts.push_back(static_cast<std::int64_t>(items.size()));
      all += items.size();
    }
    std::vector<T> items;
    items.reserve(all);
    for (const std::vector<T>& one : to_) items.insert(items.end(), one.begin(), one.end());
    return exchange_parcels(comm_, items, counts);
  }

 private:
  MPI_Comm comm_;
  std::vector<std::vector<T>> to_;  ///< each rank
};

/// Collective. `dim` values for each of `elements`, in their order, from the ranks whose blocks
/// hold them; `block`: this rank's. An element is asked for once.
template <class T>
std::vector<T> fetch(MPI_Comm comm, const Blocks& blocks, const std::vector<std::int64_t>& elements,
                     const std::vector<T>& block, int dim = 1) {
  const int rank = rank_in(comm);
  const std::int64_t first = blocks.first(rank), end = blocks.end(rank);
  const auto own = [&](std::int64_t element) { return element >= first && element < end; };

  std::vector<std::int64_t> foreign;
  std::copy_if(elements.begin(), elements.end(), std::back_inserter(foreign),
               [&](std::int64_t element) { return !own(element); });
  sort_once(foreign);
  std::vector<std::int64_t> counts(blocks.ranks());
  for (const std::int64_t element : foreign) ++counts[blocks.rank_of(element)];

  // What is asked goes out in ascending order, and so do the answers come back.
  const Parcels<std::int64_t> asked = exchange_parcels(comm, foreign, counts);
  std::vector<T> answers;
  answers.reserve(asked.items.size() * dim);
  for (const std::int64_t element : asked.items) {
    const auto row = block.begin() + (element - first) * dim;
    answers.insert(answers.end(), row, row + dim);
  }
  std::vector<std::int64_t> answer_counts(asked.counts.begin(), asked.counts.end());
  for (std::int64_t& count : answer_counts) count *= dim;
  const std::vector<T> answered = exchange_parcels(comm, answers, answer_counts).items;

  const NumberOf number(foreign);
  std::vector<T> values(elements.size() * dim);
  T* to = values.data();
  for (const std::int64_t element : elements) {
    const T* const row = own(element) ? block.data() + (element - first) * dim
                                      : answered.data() + std::int64_t{number(element)} * dim;
    for (int d = 0; d < dim; ++d) *to++ = row[d];
  }
  return values;
}

/// Collective. The reverse: `dim` values for each of `elements` go to the ranks whose blocks hold
/// them. Every element of the set is brought by one rank. Returns this rank's block.
template <class T>
std::vector<T> to_blocks(MPI_Comm comm, const Blocks& blocks,
                         const std::vector<std::int64_t>& elements, const std::vector<T>& values,
                         int dim = 1) {
  const int rank = rank_in(comm);
  Outbox<std::int64_t> numbers(comm);
  Outbox<T> rows(comm);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const int holder = blocks.rank_of(elements[e]);
    numbers.add(holder, elements[e]);
    for (int d = 0; d < dim; ++d) rows.add(holder, values[e * dim + d]);
  }
  const std::vector<std::int64_t> arrived = numbers.deliver().items;
  const std::vector<T> brought = rows.deliver().items;
  std::vector<T> block(blocks.size(rank) * dim);
  for (std::size_t e = 0; e < arrived.size(); ++e)
    std::copy_n(brought.begin() + e * dim, dim,
                block.begin() + (arrived[e] - blocks.first(rank)) * dim);
  return block;
}

}  // namespace bellwether
