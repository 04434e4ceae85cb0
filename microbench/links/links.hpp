// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "microbench/driver/registry.hpp"
#include "microbench/links/rank_pairs.hpp"
#include "models/network/paths.hpp"

namespace bellwether {

/// ping_pong: half a round trip. exchange: persistent requests both ways at once, as the halo
/// exchange of the mini-apps, until both have arrived.
enum class PairPattern { ping_pong, exchange };

/// A machine's name of the path between two memories of a kind: "network", "network_direct".
std::string link_of(const std::string& path, MessageMemory memory);

/// One message size over one path, by the first `count` pairs at once while other ranks sleep.
struct PairSpec {
  RankPairs pairs;
  PairPattern pattern;
  int count;
  std::size_t bytes;
  MessageMemory memory = MessageMemory::host;

  [[nodiscard]] std::string link() const { return link_of(pairs.link, memory); }
  [[nodiscard]] std::string name() const;
};

/// Ordered by size.
std::vector<PairSpec> pair_specs(const Bench& bench, MessageMemory memory = MessageMemory::host);
BenchCase make_case(Bench& bench, const PairSpec& spec);

/// Each of some ranks exchanges messages with both its neighbours in a ring at once, as halos are,
/// several each way.
struct RingSpec {
  std::string link;        ///< as link_of names it
  std::vector<int> ranks;  ///< in the ring's order
  std::size_t bytes;
  MessageMemory memory = MessageMemory::host;
  int messages = 1;  ///< each way with either neighbour

  [[nodiscard]] int exchanges() const { return 2 * messages; }
  [[nodiscard]] std::string name() const;
};

/// Bursts of 2, 4 and 8 exchanges, which give the gap: of one rank of each node, and of a node's
/// first two.
std::vector<RingSpec> burst_specs(const Bench& bench, MessageMemory memory = MessageMemory::host);
/// Seconds until all messages of a rank have arrived or left; the slowest rank's.
BenchCase make_case(Bench& bench, const RingSpec& spec);

/// What a step with overlap keeps of an exchange: the exchange alone; a sweep through memory, three
/// times as long, and then the exchange; and both at once, MPI polled between pieces of the sweep.
struct HidingSpec {
  RankPairs pairs;
  std::size_t bytes;

  enum class Part { exchange, sequence, overlap };
  [[nodiscard]] std::string name(Part part) const;
};

/// Messages of 16 KiB to 1 MiB, no larger than the largest, for each path that has pairs,
/// ascending.
std::vector<HidingSpec> hiding_specs(const Bench& bench);
/// The three parts.
std::array<BenchCase, 3> make_cases(Bench& bench, const HidingSpec& spec);

/// Of the three parts.
using HidingKeys = std::array<SampleKey, 3>;

/// 1 - (t_sequence - t_overlap) / t_exchange, at least 0, of the three times of each round, so that
/// a drift of the machine meets all three alike.
std::vector<double> exposed_shares(const SampleStore& store, const HidingKeys& keys);

/// An exchange between all pairs of a path at once, each rank of a host having gone through so much
/// memory before: MPI's code, queues and buffers are then in no cache.
struct SweptSpec {
  RankPairs pairs;
  std::size_t swept_bytes;  ///< of each rank; 0: the same without
  std::size_t bytes;

  [[nodiscard]] std::string name() const;
};
/// Messages of 8 bytes to 1 MiB after nothing and after 64 MiB, no larger than the largest, for
/// each path that has pairs, ascending; none where devices compute, whose host sweeps nothing.
std::vector<SweptSpec> swept_specs(const Bench& bench);
BenchCase make_case(Bench& bench, const SweptSpec& spec);

/// A copy between host and device memory, or a host's two buffers, of all ranks at once, as halos
/// are staged; "staging_shared": to a buffer that another rank has received meanwhile.
struct CopySpec {
  std::string link;  ///< "staging", "staging_shared", "host_to_device" or "device_to_host"
  std::size_t bytes;

  [[nodiscard]] std::string name() const;
};
std::vector<CopySpec> copy_specs(const Bench& bench);
BenchCase make_case(Bench& bench, const CopySpec& spec);

/// An allreduce of one double by the first `ranks` ranks while the others sleep.
struct CollectiveSpec {
  int ranks;

  [[nodiscard]] std::string name() const;
};
/// On 2, 4, 8, ... and all ranks, none for one rank.
std::vector<CollectiveSpec> collective_specs(const Bench& bench);
/// Collective over the session.
BenchCase make_case(Bench& bench, const CollectiveSpec& spec);

/// A collective of all ranks, as OSU's benchmarks time it: from the same memory each time, a
/// barrier between.
struct BlockSpec {
  std::string collective;  ///< of block_collectives, which say whose the bytes are
  std::size_t bytes;
  int ranks;
  MessageMemory memory = MessageMemory::host;

  /// Of what a rank sends or receives.
  [[nodiscard]] std::size_t largest_bytes() const;
  /// In the machine: "alltoall", "alltoall_direct".
  [[nodiscard]] std::string key() const { return link_of(collective, memory); }
  [[nodiscard]] std::string name() const;
};
/// From 8 bytes to 4 MiB: those that a calibration keeps, and those of `microbench` alone.
inline constexpr std::size_t kept_blocks[] = {8, 4 << 10, 256 << 10, 4 << 20};
inline constexpr std::size_t other_blocks[] = {64, 512, 32 << 10, 1 << 20};
/// Of these sizes those that fit a rank's largest message; none for one rank.
std::vector<BlockSpec> block_specs(const Bench& bench, MessageMemory memory,
                                   std::span<const std::size_t> sizes);
/// Every sample's last result is held against what each rank should have: BadEnvironment, on all
/// ranks, names what differs.
BenchCase make_case(Bench& bench, const BlockSpec& spec);

/// The paths that a rank's data take, and collectives over them.
struct LinksCases {
  int nodes;
  std::string buffers;  ///< on which pages, for people
  /// Why messages between GPUs' memories were not measured; empty where they were, and on a host.
  std::string no_direct;
  std::vector<Planned<PairSpec>> pairs;  ///< those in host memory first
  std::vector<Planned<RingSpec>> bursts;
  std::vector<std::pair<HidingSpec, HidingKeys>> hiding;
  std::vector<Planned<SweptSpec>> swept;
  std::vector<Planned<CopySpec>> copies;
  std::vector<Planned<CollectiveSpec>> collectives;
  std::vector<Planned<BlockSpec>> blocks;
};
/// Collective.
LinksCases plan_links(Plan& plan);

/// Links and collectives, with warnings about residuals above 10 % and about what one rank or one
/// node cannot measure.
void links_from_samples(const LinksCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
