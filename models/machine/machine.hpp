// SPDX-License-Identifier: MIT
#pragma once

#include <any>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/machine/quantity.hpp"
#include "models/network/topology.hpp"

namespace bellwether {

/// t(s) = latency_s + max(0, s - burst) / bandwidth for messages of at least `from_bytes`, up to
/// the next segment.
struct LinkSegment {
  double from_bytes;
  Quantity latency_s;
  Quantity bandwidth_bytes_per_s;
  /// What passes ahead of the bandwidth: a token bucket's depth, buffers on the way. At most
  /// from_bytes.
  Quantity burst_bytes = {};
};

/// How long a message takes on a path, in the paper's form (Shimokawabe, Eq. 5: one latency t0 and
/// one bandwidth B0) and, where fitted, in the refined form (segments with breakpoints at the MPI
/// library's protocol switches).
struct LinkTiming {
  Quantity latency_s;
  Quantity bandwidth_bytes_per_s;
  std::vector<LinkSegment> segments;  ///< ascending from_bytes; empty: only the paper form is known
  /// o of LogGP (Culler et al. 1993; Alexandrov et al. 1995): CPU seconds that a message costs its
  /// sender, and likewise its receiver. It is part of latency_s, and of what each further message
  /// that a rank sends at the same time adds; latency_s less both overheads is the wire's L, which
  /// overlaps. Absent: not known apart.
  std::optional<Quantity> overhead_s = {};
  double largest_residual = 0;        ///< of the refined form over the samples, relative
  double largest_residual_paper = 0;  ///< of the paper's form over the samples, relative
  double largest_bytes = 0;           ///< the largest message of the fit; 0: published parameters
};

/// What exchanges of messages of a size take beyond Link::exchange where each rank has gone through
/// so much memory before each of them: neither MPI's code and queues nor the buffers are then in
/// the caches that were theirs.
struct AddedPoint {
  double bytes;
  Quantity added_s;
};
struct SweptExchange {
  double swept_bytes;
  std::vector<AddedPoint> added;  ///< ascending bytes
};

/// k pairs of ranks exchanging at once over the same path; timing is that of each pair.
struct ConcurrentTiming {
  int pairs;
  LinkTiming timing;
};

/// Share of an exchange's seconds, of messages of so many bytes, that a step keeps which computes
/// meanwhile and lets MPI progress between the pieces: 0 where a network card works alone, 1 where
/// overlap gains nothing, above 1 where MPI's use of the core costs more than it hides.
struct ExposedExchange {
  double bytes;
  Quantity share;
};

/// One path between two ranks, or between a rank's host and device memory.
struct Link {
  std::string source;
  LinkTiming one_way;                        ///< half a ping-pong; page-aligned buffers
  std::optional<LinkTiming> unaligned;       ///< the same with buffers off the page
  std::optional<LinkTiming> exchange;        ///< both directions at once: until both have arrived
  std::vector<ConcurrentTiming> concurrent;  ///< exchanges of several pairs at once, ascending
  /// The gap of LogGP, g + G s: what each further exchange adds to those that a rank has with its
  /// neighbours at once. Of small messages it is the CPU's sending and receiving, 2 o, or the
  /// card's pause between messages where that is longer.
  std::optional<LinkTiming> gap = {};
  std::vector<ExposedExchange> exposed_exchange = {};  ///< ascending bytes
  /// The largest message that leaves its sender before its receiver asks for it (the eager
  /// protocol); larger ones wait for both (rendezvous). Not measured: MPI says it.
  std::optional<Quantity> eager_limit_bytes = {};
  std::vector<SweptExchange> after_sweep = {};  ///< ascending swept_bytes
};

/// Bandwidth (bytes read once plus bytes written once, per second and rank) of a row kernel through
/// the launchers of the mini-apps, against the bytes that one rank touches.
struct BandwidthPoint {
  double working_set_bytes;
  Quantity bandwidth_bytes_per_s;
};
struct MemoryCurve {
  int ranks;           ///< ranks of a node running it at once
  int rereads;         ///< times each value is read again from cache: 0 a copy, 4 a 7-point stencil
  std::string stores;  ///< "cached", "streaming" or "in_place": each line read and written
  std::string precision;               ///< "f32" or "f64"
  std::vector<BandwidthPoint> points;  ///< ascending working set
  int arrays = 1;  ///< gone through at once: more than the hardware's prefetchers follow are slower
};
/// One STREAM kernel at a size far beyond the caches: bytes per second and rank.
struct StreamResult {
  std::string kernel;  ///< "copy", "scale", "add", "triad"
  int ranks;
  std::string stores;
  std::string precision;
  Quantity bandwidth_bytes_per_s;
};

/// What one rank computes on: a GPU, or its share of a node's cores.
struct DeviceParameters {
  std::string name;
  std::string kind;     ///< "cpu" or "gpu"
  std::string backend;  ///< what measured it, for example "kokkos/Serial"; empty if published
  std::map<std::string, Quantity> peak_flops_per_s;  ///< by precision; per rank, all ranks at once
  /// The limit rates are compared with: best copy per rank with all ranks at once, or the vendor's.
  Quantity memory_bandwidth_bytes_per_s;
  /// Share of that bandwidth that applications get, counted by the values they must read and write;
  /// used where there are no memory curves. Absent: all of it.
  std::optional<Quantity> memory_efficiency = {};
  std::optional<Quantity> launch_latency_s;  ///< what each adds of several without a wait between
  /// Of a GPU, what lies between two kernels on a stream that are each timed, by a pair of events.
  std::optional<Quantity> between_kernels_s = {};
  /// Of a library's products of large square matrices, by precision.
  std::map<std::string, Quantity> gemm_flops_per_s;
  /// Of a GPU, what such products make after about a second of them, when its power limit has
  /// lowered its clocks; gemm_flops_per_s is of samples of milliseconds ("cold").
  std::map<std::string, Quantity> gemm_sustained_flops_per_s = {};
  std::vector<MemoryCurve> memory;
  std::vector<StreamResult> stream;
  double memory_bytes = 0;  ///< capacity per rank; 0: unknown
};

/// A collective on a power-of-two or full number of ranks.
struct CollectiveTime {
  int ranks;
  Quantity time_s;
};

/// A collective of all ranks of the calibration with blocks of so many bytes.
struct BlockTime {
  double bytes;
  Quantity time_s;
};

/// Where ranks are: block distribution over nodes.
struct Layout {
  int ranks = 1;  ///< ranks of the calibration; for a published machine its devices
  int ranks_per_node = 1;
  int cores_per_node = 0;  ///< 0: unknown
};

/// A machine as the models see it; what a `bellwether.machine/1` file holds.
struct Machine {
  std::string name;
  std::string description;
  std::string source;  ///< measured when and how, or which paper's table
  std::string date;    ///< ISO 8601, of the measurement; empty: unknown
  Layout layout;
  DeviceParameters device;
  std::map<std::string, Link> links;  ///< shared_memory, network, the same with _direct between the
                                      ///< memories of GPUs, host_to_device, device_to_host, staging
  std::vector<CollectiveTime> allreduce;  ///< of one double
  /// By block_collectives and, between the memories of GPUs, the same with _direct; ascending
  /// bytes. For comparisons: no model reads them.
  std::map<std::string, std::vector<BlockTime>> collective_times = {};
  std::optional<Topology> topology;
  /// What only one model understands, by the name of its section: an object of the parameters' type
  /// (models/machine_sections.cpp), absent where the machine was not calibrated for that model.
  std::map<std::string, std::any> sections;
  std::vector<std::string> warnings;  ///< residuals above 10 %, drift, absent terms
  std::map<std::string, std::string> provenance;
};

/// The machine's parameters of one model, a type that bears its `section_name`; null without them.
template <class Parameters>
const Parameters* section(const Machine& machine) {
  const auto found = machine.sections.find(Parameters::section_name);
  return found == machine.sections.end() ? nullptr : std::any_cast<Parameters>(&found->second);
}
template <class Parameters>
Parameters* section(Machine& machine) {
  return const_cast<Parameters*>(section<Parameters>(std::as_const(machine)));
}
template <class Parameters>
Parameters& set_section(Machine& machine, Parameters parameters) {
  std::any& place = machine.sections[Parameters::section_name];
  return place.emplace<Parameters>(std::move(parameters));
}

/// The bytes of a block are what each rank sends each (alltoall, allgather), what the root sends
/// (bcast), and what each rank keeps of the sums (reduce_scatter).
inline constexpr std::array<const char*, 4> block_collectives{"alltoall", "allgather", "bcast",
                                                              "reduce_scatter"};

inline constexpr const char* machine_schema = "bellwether.machine/1";

}  // namespace bellwether
