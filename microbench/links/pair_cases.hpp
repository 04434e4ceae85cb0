// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/plan.hpp"
#include "microbench/links/rank_pairs.hpp"

namespace bellwether {

/// ping_pong: half a round trip. exchange: persistent requests both ways at once, as the halo
/// exchange of the mini-apps, until both have arrived.
enum class PairPattern { ping_pong, ping_pong_unaligned, exchange };

/// One message size over one path, by the first `count` pairs at once while other ranks sleep.
struct PairSpec {
  RankPairs pairs;
  PairPattern pattern;
  int count;
  std::size_t bytes;

  [[nodiscard]] std::string name() const;
};

/// Ordered by size.
std::vector<PairSpec> pair_specs(const Bench& bench);
BenchCase make_case(Bench& bench, const PairSpec& spec);

/// The smallest message between node 0 and each node from the third on: pair_specs has the second.
std::vector<PairSpec> hop_specs(const Bench& bench);

/// Untimed: returns once the partner has called it too.
void meet(int partner);
/// The same with two: says so to one and waits for the other.
void meet(int told, int awaited);

/// A pair of persistent requests, one each way, over the same buffers.
class PersistentExchange {
 public:
  PersistentExchange(const std::byte* send, std::byte* receive, std::size_t bytes, int partner);
  ~PersistentExchange();
  PersistentExchange(const PersistentExchange&) = delete;
  PersistentExchange& operator=(const PersistentExchange&) = delete;

  void start() { MPI_Startall(2, requests_); }
  /// Lets MPI progress; never blocks.
  void poll();
  void finish() { MPI_Waitall(2, requests_, MPI_STATUSES_IGNORE); }

 private:
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

}  // namespace bellwether
