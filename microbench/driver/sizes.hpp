// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"
#include "models/airfoil/airfoil_mesh.hpp"

namespace bellwether {

/// How large and how long a calibration may be.
struct CalibrationLimits {
  int largest_edge_f32 = 512;  ///< of the memory curves' cubes
  int largest_edge_f64 = 512;
  std::size_t largest_array_bytes = std::size_t{2} << 30;  ///< of one STREAM array on one rank
  std::size_t largest_message_bytes = std::size_t{64} << 20;
  int gemm_size = 2048;
  /// Of Airfoil's meshes on one rank, about; ascending.
  std::vector<int> airfoil_cells{1500, 4500, 13'000, 40'000, 120'000, 360'000, 1'080'000};
  int fewest_rounds = 7;
  int most_rounds = 25;
  double time_budget_s = 580;
  std::vector<int> node_of_rank;  ///< empty: as MPI says; a test puts a node's ranks on several
};

CalibrationLimits full_limits();
/// Within a minute on two cores: the same messages, smaller largest cubes, arrays and matrices, and
/// fewer repeats.
CalibrationLimits quick_limits();

/// The sizes that are measured, the same on every rank.
struct Sizes {
  std::vector<int> edges_f32, edges_f64;
  std::size_t array_bytes = 0;        ///< of one STREAM array on one rank, all ranks at once
  std::size_t alone_array_bytes = 0;  ///< the same where rank 0 runs alone
  std::vector<std::size_t> messages;
  int gemm_size = 0;
  std::vector<AirfoilMesh> airfoil_meshes;  ///< of one rank, ascending
  std::size_t last_level_cache_bytes = 0;   ///< of a node's CPUs; 0: unknown
  bool on_host = true;                      ///< those are the caches of the device
  int cores_per_node = 0;
  int ranks_per_node = 1;    ///< of the fullest node
  int nodes_per_kernel = 1;  ///< that share memory, caches and cores: more than one in a box
  double memory_bytes = 0;   ///< capacity per rank

  [[nodiscard]] std::size_t largest_message() const { return messages.back(); }
  /// Host memory of a rank's MessageBuffers.
  [[nodiscard]] std::size_t message_buffer_bytes() const { return 6 * largest_message(); }
  /// Of a STREAM array where so many ranks of each node run: rank 0 alone, or all.
  [[nodiscard]] std::size_t stream_array_bytes(int ranks) const {
    return ranks < ranks_per_node ? alone_array_bytes : array_bytes;
  }
  /// Device memory that the benchmarks of a rank share, on every rank; a message fits in.
  [[nodiscard]] std::size_t arena_bytes() const;
  /// The same on rank 0, which has the arrays of one rank alone.
  [[nodiscard]] std::size_t arena_bytes_of_rank_0() const;
};

/// Bytes of storage of a cube with its ghost layer, rounded up to where a second one may start.
std::size_t field_bytes(int edge, std::size_t element_bytes);

/// Fits the sizes into half of the memory that is available (a rank's share of it on a host
/// device). STREAM arrays are four times the last-level cache, summed over the ranks of a kernel
/// that run at once, where memory and limits allow; rank 0 alone has what the others of its node
/// leave. Collective. Throws BadEnvironment, before anything is allocated, if the messages and a
/// cube of 128^3 cells do not fit.
Sizes plan_sizes(const Session& session, const Device& device, const CalibrationLimits& limits);

/// Says of STREAM arrays below four times the last-level cache how large both are; nothing on
/// devices whose caches are not known.
std::vector<std::string> array_warnings(const Sizes& sizes);

}  // namespace bellwether
