// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "miniapps/mesh/blocks.hpp"
#include "miniapps/mesh/parcels.hpp"

namespace bellwether {

/// Collective. `dim` values for each of `elements` (any of the set's, as often as wanted), in their
/// order, from the ranks whose blocks hold them; `block` is what this rank holds. An element is
/// asked for once, and what is in the own block not at all.
template <class T>
std::vector<T> fetch(MPI_Comm comm, const Blocks& blocks, const std::vector<std::int64_t>& elements,
                     const std::vector<T>& block, int dim = 1) {
  const int rank = rank_in(comm);
  const std::int64_t first = blocks.first(rank), end = blocks.end(rank);
  const auto own = [&](std::int64_t element) { return element >= first && element < end; };

  std::vector<std::int64_t> foreign;
  std::copy_if(elements.begin(), elements.end(), std::back_inserter(foreign),
               [&](std::int64_t element) { return !own(element); });
  std::sort(foreign.begin(), foreign.end());
  foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());
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

  std::vector<T> values;
  values.reserve(elements.size() * dim);
  for (const std::int64_t element : elements) {
    const auto answer = [&] {
      return answered.data() +
             (std::lower_bound(foreign.begin(), foreign.end(), element) - foreign.begin()) * dim;
    };
    const T* row = own(element) ? block.data() + (element - first) * dim : answer();
    values.insert(values.end(), row, row + dim);
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
