// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/stream/stream.hpp"
#include "microbench/driver/bench.hpp"
#include "microbench/driver/registry.hpp"

namespace bellwether {

/// Edges of the cubes whose cells a memory curve goes through.
struct CurveEdges {
  std::vector<int> copied;    ///< of two cubes: from one to the other
  std::vector<int> in_place;  ///< of one
};

/// What of the memory is measured, the same on every rank.
struct MemorySizes {
  CurveEdges edges;
  std::size_t array_bytes = 0;             ///< of one STREAM array on one rank, all ranks at once
  std::size_t alone_array_bytes = 0;       ///< the same where rank 0 runs alone
  std::size_t last_level_cache_bytes = 0;  ///< of the device; 0: unknown
  int ranks_per_node = 1;
  int ranks_per_device = 1;  ///< that share its caches

  /// Of a STREAM array where so many ranks run: rank 0 alone, all, or some of the first node, whose
  /// arrays are as large as their arenas hold.
  [[nodiscard]] std::size_t stream_array_bytes(int ranks) const;
  /// Of three arrays or two cubes on every rank.
  [[nodiscard]] std::size_t arena_bytes() const;
};

/// Bytes of storage of a cube with its ghost layer, rounded up to where a second one may start.
std::size_t field_bytes(int edge, std::size_t element_bytes);

/// The cubes that limits and room, in bytes, allow; in place no more than two cubes hold.
MemorySizes cubes_within(const CalibrationLimits& limits, std::size_t room);

/// Collective. Fits the sizes into the bench's room, STREAM arrays of four last-level caches where
/// they fit, and reserves its arena. Throws BadEnvironment where cubes of 128^3 do not fit.
MemorySizes plan_memory_sizes(Bench& bench);

/// Says of STREAM arrays below four times the last-level cache how large both are; nothing on
/// devices whose caches are not known.
std::vector<std::string> array_warnings(const MemorySizes& sizes);

/// How a memory benchmark runs: by how many ranks of a node at once, with which stores and values.
struct MemoryVariant {
  int ranks;
  std::string stores;     ///< "cached", "streaming" or "in_place"
  std::string precision;  ///< "f64"; of a GPU's curves "f32" too
  int arrays = 1;         ///< in place: gone through side by side
};

/// One point of a memory curve: a cube of edge^3 cells, each the mean of itself and `rereads`
/// neighbours; in place one or more arrays of as many values in all, each multiplied by a number.
struct NeighboursSpec {
  int edge;
  int rereads;
  MemoryVariant variant;

  [[nodiscard]] std::string name() const;
  /// Bytes that a rank touches: what is read and what is written, in place the same.
  [[nodiscard]] double working_set_bytes() const;
  /// Bytes read once and written once.
  [[nodiscard]] double bytes_moved() const;
};
/// STREAM's kernels, of which a calibration measures the copy.
struct StreamSpec {
  StreamKernel kernel;
  MemoryVariant variant;
  std::size_t array_bytes;

  [[nodiscard]] std::string name() const;
  /// By one call on one rank.
  [[nodiscard]] double bytes_moved() const;
};

/// With each kind of stores that the device has, by one rank alone and by all; of a host's ranks
/// STREAM's copy by 2, 4, ... of a node too, which tells how its memory saturates.
struct MemoryCases {
  MemorySizes sizes;
  /// Ordered by size, so that a drift of the machine meets all variants of a size alike.
  std::vector<Planned<NeighboursSpec>> neighbours;
  std::vector<Planned<StreamSpec>> stream;
};
MemoryCases plan_memory(Plan& plan);

BenchCase make_case(Bench& bench, const NeighboursSpec& spec);
BenchCase make_case(Bench& bench, const StreamSpec& spec);

/// What a rank's memory does: curves, STREAM and the limit that rates are compared with.
void memory_from_samples(const MemoryCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
