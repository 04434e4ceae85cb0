// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"
#include "results/record.hpp"

namespace bellwether {

/// Sum (mod 2^64) of a hash of each 8 bytes and their place; any changed bit changes it.
std::uint64_t checksum(const void* memory, std::size_t bytes);

/// Arrays that nothing writes to once they are made (meshes, maps, masks): a bit that changes there
/// changes the problem, which balances and residuals of the changed problem do not show.
class ConstantArrays {
 public:
  /// The device, the stream and the arrays outlive it.
  ConstantArrays(Device& device, Stream& stream) : device_(device), stream_(stream) {}

  /// Adds an array in device or host memory as it is after all that the stream was given; empty
  /// ones count for nothing.
  void add(std::string name, const void* memory, std::size_t bytes);
  template <class Array>
  void add(std::string name, const Array& array) {
    add(std::move(name), array.data(), array.size() * sizeof(*array.data()));
  }
  /// Collective. Passed if all have the bits that they had when they were added, on all ranks; else
  /// the first that has not, by its name and rank.
  [[nodiscard]] Verification unchanged(MPI_Comm comm) const;

 private:
  struct Array {
    std::string name;
    const void* memory;
    std::size_t bytes;
    std::uint64_t sum;
  };
  [[nodiscard]] std::uint64_t sum_of(const void* memory, std::size_t bytes) const;

  Device& device_;
  Stream& stream_;
  std::vector<Array> arrays_;
};

}  // namespace bellwether
