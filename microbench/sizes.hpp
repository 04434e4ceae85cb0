// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"

namespace bellwether {

/// How large and how long a calibration may be.
struct CalibrationLimits {
  int largest_edge_f32 = 512;  ///< of the memory curves' cubes
  int largest_edge_f64 = 512;
  std::size_t largest_array_bytes = std::size_t{2} << 30;  ///< of one STREAM array on one rank
  std::size_t largest_message_bytes = std::size_t{64} << 20;
  int gemm_size = 2048;
  int fewest_rounds = 7;
  int most_rounds = 25;
  double time_budget_s = 480;
  std::vector<int> node_of_rank;  ///< empty: as MPI says; a test puts a node's ranks on several
};

CalibrationLimits full_limits();
/// Within a minute on two cores: the same messages, smaller largest cubes, arrays and matrices, and
/// fewer repeats.
CalibrationLimits quick_limits();

/// The sizes that are measured, the same on every rank.
struct Sizes {
  std::vector<int> edges_f32, edges_f64;
  std::size_t array_bytes = 0;  ///< of one STREAM array on one rank
  std::vector<std::size_t> messages;
  int gemm_size = 0;
  std::size_t last_level_cache_bytes = 0;  ///< of a node; 0: unknown
  int cores_per_node = 0;
  int ranks_per_node = 1;   ///< of the fullest node
  double memory_bytes = 0;  ///< capacity per rank

  [[nodiscard]] std::size_t largest_message() const { return messages.back(); }
  /// Device memory that the memory and compute benchmarks share.
  [[nodiscard]] std::size_t arena_bytes() const;
};

/// Bytes of storage of a cube with its ghost layer, rounded up to where a second one may start.
std::size_t field_bytes(int edge, std::size_t element_bytes);

/// Fits the sizes into half of the memory that is available (a rank's share of it on a host
/// device). STREAM arrays are four times the last-level cache, summed over a node's ranks, where
/// memory and limits allow. Collective. Throws BadEnvironment, before anything is allocated, if the
/// messages and a cube of 128^3 cells do not fit.
Sizes plan_sizes(const Session& session, const Device& device, const CalibrationLimits& limits);

}  // namespace bellwether
