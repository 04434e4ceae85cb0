// SPDX-License-Identifier: MIT
#include "miniapps/driver/file_contents.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "kernels/launch/host_device.hpp"
#include "miniapps/comm/reduce.hpp"

namespace bellwether {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// Of the block in this place.
std::uint64_t hash_of(std::string_view block, std::uint64_t place) {
  std::uint64_t hash = mixed_bits(place) ^ block.size();
  while (!block.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(sizeof word, block.size());
    std::memcpy(&word, block.data(), count);
    hash = mixed_bits(hash ^ word);
    block.remove_prefix(count);
  }
  return hash;
}

nlohmann::json described(std::uint64_t bytes, std::uint64_t hash) {
  return {{"bytes", bytes}, {"hash", fmt::format("{:016x}", hash)}};
}

}  // namespace

nlohmann::json text_contents(std::string_view text) {
  return described(text.size(), hash_of(text, 0));
}

nlohmann::json file_contents(MPI_Comm comm, const std::vector<std::string>& files) {
  const int rank = rank_in(comm), ranks = ranks_in(comm);
  std::uint64_t sums[2] = {0, 0};  // bytes, and the blocks' hashes in any order
  std::uint64_t place = 0;
  std::string block;
  for (const std::string& file : files) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) continue;
    const std::uint64_t bytes = std::filesystem::file_size(file, error);
    std::ifstream stream(file, std::ios::binary);
    for (std::uint64_t from = 0; !error && from < bytes; from += block_bytes) {
      if (static_cast<int>(place++ % static_cast<std::uint64_t>(ranks)) != rank) continue;
      block.resize(std::min<std::uint64_t>(block_bytes, bytes - from));
      stream.seekg(static_cast<std::streamoff>(from));
      stream.read(block.data(), static_cast<std::streamsize>(block.size()));
      block.resize(static_cast<std::size_t>(stream.gcount()));
      sums[0] += block.size();
      sums[1] += hash_of(block, place);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, comm);
  return described(sums[0], sums[1]);
}

}  // namespace bellwether
