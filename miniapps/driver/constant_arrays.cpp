// SPDX-License-Identifier: MIT
#include "miniapps/driver/constant_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/launch/host_device.hpp"
#include "miniapps/comm/reduce.hpp"

namespace bellwether {

std::uint64_t checksum(const void* memory, std::size_t bytes) {
  const auto* const from = static_cast<const unsigned char*>(memory);
  std::uint64_t sum = 0;
  const auto add = [&](std::size_t at, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + at, count);
    sum += mixed_bits(word ^ mixed_bits(at));
  };
  const std::size_t words = bytes / 8, rest = bytes % 8;
  for (std::size_t word = 0; word < words; ++word) add(8 * word, 8);
  if (rest > 0) add(8 * words, rest);
  return sum;
}

/// A GPU's in pieces: they are copied to the host.
std::uint64_t ConstantArrays::sum_of(const void* memory, std::size_t bytes) const {
  if (device_.is_host()) return checksum(memory, bytes);
  constexpr std::size_t most = std::size_t{16} << 20;
  std::vector<unsigned char> piece(std::min(bytes, most));
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < bytes; at += most) {
    const std::size_t count = std::min(bytes - at, most);
    device_.copy_and_wait(piece.data(), static_cast<const unsigned char*>(memory) + at, count,
                          stream_);
    sum = mixed_bits(sum ^ checksum(piece.data(), count));
  }
  return sum;
}

void ConstantArrays::add(std::string name, const void* memory, std::size_t bytes) {
  if (bytes > 0) arrays_.push_back({std::move(name), memory, bytes, sum_of(memory, bytes)});
}

Verification ConstantArrays::unchanged(MPI_Comm comm) const {
  std::string mine;
  double changed = 0;
  for (const Array& array : arrays_) {
    if (sum_of(array.memory, array.bytes) == array.sum) continue;
    if (changed++ == 0) mine = fmt::format(": {} on rank {}", array.name, rank_in(comm));
  }
  MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_DOUBLE, MPI_SUM, comm);
  std::string what = "constant arrays that changed";
  if (changed > 0) {
    const std::vector<std::string> all = gather_texts(comm, mine);
    what += *std::find_if(all.begin(), all.end(), [](const auto& one) { return !one.empty(); });
  }
  return judged(std::move(what), changed, 0);
}

}  // namespace bellwether
