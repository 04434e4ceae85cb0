// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/bench.hpp"

namespace bellwether {

/// How a memory benchmark runs: by how many ranks of a node at once, with which stores and values.
struct MemoryVariant {
  int ranks;
  std::string stores;     ///< "cached", "streaming" or "in_place"
  std::string precision;  ///< "f32" or "f64"
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
struct StreamSpec {
  StreamKernel kernel;
  MemoryVariant variant;
  [[nodiscard]] std::string name() const;
};

/// Ordered by size, so that a drift of the machine meets all variants of a size alike. Streaming
/// stores only on host devices, one rank alone only where there are several.
std::vector<NeighboursSpec> neighbours_specs(const Bench& bench);
std::vector<StreamSpec> stream_specs(const Bench& bench);

Benchmark make_case(Bench& bench, const NeighboursSpec& spec);
Benchmark make_case(Bench& bench, const StreamSpec& spec);
/// Bytes that one call of the spec moves on one rank.
double bytes_moved(const StreamSpec& spec, const Sizes& sizes);

}  // namespace bellwether
