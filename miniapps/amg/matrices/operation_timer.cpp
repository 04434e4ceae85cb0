// SPDX-License-Identifier: MIT
#include "miniapps/amg/matrices/operation_timer.hpp"

#include <algorithm>

namespace bellwether {

std::size_t amg_flush_bytes(std::size_t last_level_cache_bytes, int ranks) {
  constexpr std::size_t of_a_core = std::size_t{8} << 20, most = std::size_t{128} << 20;
  return std::clamp(3 * last_level_cache_bytes / static_cast<std::size_t>(ranks), of_a_core, most);
}

AmgOperationTimer::AmgOperationTimer(MPI_Comm comm, std::size_t flush_bytes, Device& device)
    : comm_(comm), flush_bytes_(flush_bytes), device_(device) {}

AmgOperationTimer::Seconds AmgOperationTimer::measure(AmgMatrix& matrix, AmgOperation operation,
                                                      std::size_t bytes) {
  Seconds seconds;
  empty_caches();
  seconds.cold = timed(matrix, operation);
  for (int pass = 0; pass < passes_to_learn(bytes); ++pass) matrix.run(operation);
  seconds.again = timed(matrix, operation);
  return seconds;
}

int AmgOperationTimer::passes_to_learn(std::size_t bytes) const {
  return 3 * bytes < flush_bytes_ ? 6 : bytes < flush_bytes_ ? 1 : 0;
}

double AmgOperationTimer::timed(AmgMatrix& matrix, AmgOperation operation) {
  if (device_.is_host()) forget_branches();
  MPI_Barrier(comm_);
  return matrix.seconds(operation);
}

/// Written, since a cache may let what is only read pass by; in memory of the usual pages, whose
/// translations drive out those of the matrix too. On a GPU one half is copied to the other.
void AmgOperationTimer::empty_caches() {
  if (!device_.is_host()) {
    if (stream_ == nullptr) {
      flushed_ = Buffer<std::uint64_t>(device_, flush_bytes_ / sizeof(std::uint64_t));
      stream_ = device_.make_stream(false);
    }
    device_.copy(flushed_.data() + flushed_.size() / 2, flushed_.data(), flushed_.bytes() / 2,
                 *stream_);
    device_.fence(*stream_);
    return;
  }
  if (flush_.empty()) flush_.resize(flush_bytes_ / sizeof(std::uint64_t));
  for (std::uint64_t& word : flush_) ++word;
}

/// A processor that has been through the same rows before knows where each of them ends, as it
/// does not after a cycle's other operations: it learns something else, of no order.
void AmgOperationTimer::forget_branches() {
  constexpr int branches = 1 << 16;
  for (int n = 0; n < branches; ++n)
    if ((random_() & 1U) != 0) taken_ = taken_ + 1;
}

}  // namespace bellwether
