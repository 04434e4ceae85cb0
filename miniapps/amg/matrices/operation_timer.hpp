// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "miniapps/amg/matrices/operation_matrix.hpp"

namespace bellwether {

/// How many bytes drive a rank's share of the last-level cache out three times; at least what a
/// core has of its own, and at most 128 MiB: of a machine that reports 480 MiB for two cores, three
/// times that took every operation 0.16 s, and a quick calibration a minute.
std::size_t amg_flush_bytes(std::size_t last_level_cache_bytes, int ranks);

/// Times operations of a cycle in the two states of the caches from which the model mixes: for
/// calibration, and for a run's probe in the same way.
class AmgOperationTimer {
 public:
  /// The device, on which the matrices are, outlives it.
  AmgOperationTimer(MPI_Comm comm, std::size_t flush_bytes, Device& device);

  /// This rank's seconds of a call with nothing of its operands in the caches, and of one after
  /// many.
  struct Seconds {
    double cold = 0, again = 0;
  };
  /// Collective: the ranks begin each call together. `bytes`: of the matrix and its vectors.
  Seconds measure(AmgMatrix& matrix, AmgOperation operation, std::size_t bytes);

  /// Passes over so many bytes after which caches that were emptied hold what they will: of what
  /// fits not all is there after one, nor after four.
  [[nodiscard]] int passes_to_learn(std::size_t bytes) const;

 private:
  double timed(AmgMatrix& matrix, AmgOperation operation);
  void empty_caches();
  void forget_branches();

  MPI_Comm comm_;
  std::size_t flush_bytes_;
  Device& device_;
  std::vector<std::uint64_t> flush_;  ///< on a host
  Buffer<std::uint64_t> flushed_;     ///< on a GPU
  std::unique_ptr<Stream> stream_;
  std::minstd_rand random_{5};
  volatile unsigned taken_ = 0;
};

}  // namespace bellwether
