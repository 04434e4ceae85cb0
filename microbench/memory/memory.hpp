// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/stream/stream.hpp"
#include "microbench/driver/registry.hpp"
#include "microbench/memory/memory_sizes.hpp"

namespace bellwether {

/// How a memory benchmark runs: by how many ranks of a node at once, with which stores and values.
struct MemoryVariant {
  int ranks;
  std::string stores;     ///< "cached", "streaming" or "in_place"
  std::string precision;  ///< "f32" or "f64"
  int arrays = 1;         ///< in place: gone through side by side
};

/// One point of a memory curve: a cube of edge^3 cells, each the mean of itself and `rereads`
/// neighbours; in place one or more arrays of as many values in all, each multiplied by a number,
/// or with rereads the mean again, each a row and a plane from its cell (a compressed grid).
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
struct StreamSpec {
  StreamKernel kernel;
  MemoryVariant variant;
  std::size_t array_bytes;

  [[nodiscard]] std::string name() const;
  /// By one call on one rank.
  [[nodiscard]] double bytes_moved() const;
};

/// With each kind of stores that the device has; one rank alone only where there are several.
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
