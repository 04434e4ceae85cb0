// SPDX-License-Identifier: MIT
#include "microbench/links/message_buffers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

namespace bellwether {
namespace {
constexpr std::size_t page = 4096;
constexpr std::size_t most_cold_places = 32;
constexpr std::size_t least_cold_stride = std::size_t{128}
                                          << 10;  // 32 of them exceed a core's cache
}  // namespace

MessageBuffers::MessageBuffers(Device& device, std::size_t largest_message) {
  for (auto& buffer : buffers_) {
    buffer = Buffer<std::byte>(device, largest_message + page, true);
    write_fresh(buffer.data(), buffer.size(), 0);
  }
  cold_ = Buffer<std::byte>(
      device, std::max(2 * (largest_message + page), most_cold_places * (least_cold_stride + page)),
      true);
  write_fresh(cold_.data(), cold_.size(), 1);
}

std::byte* MessageBuffers::cold_place(std::size_t stride, std::size_t most_places) {
  const std::size_t places = std::clamp<std::size_t>(cold_.size() / stride, 1, most_places);
  return cold_.data() + (cold_turn_++ % places) * stride;
}

std::byte* MessageBuffers::cold(std::size_t bytes) {
  return cold_place((bytes + page - 1) / page * page, cold_.size());
}

std::byte* MessageBuffers::cold_registered(std::size_t bytes) {
  const std::size_t pages = (bytes + page - 1) / page * page;
  return cold_place(std::max(pages, least_cold_stride) + page, most_cold_places);
}

std::vector<std::size_t> message_sizes(const CalibrationLimits& limits) {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 8; bytes <= limits.largest_message_bytes; bytes *= 2)
    sizes.push_back(bytes);
  return sizes;
}

MessageBuffers& buffers_of(Bench& bench) {
  return bench.kept<MessageBuffers>([&bench] {
    return std::make_unique<MessageBuffers>(bench.device(), message_sizes(bench.limits()).back());
  });
}

void write_fresh(std::byte* to, std::size_t bytes, int turn) {
  std::uint64_t word = 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(turn + 1);
  std::size_t at = 0;
  for (; at + sizeof word <= bytes; at += sizeof word, word += 0x632be59bd9b4e019ull)
    std::memcpy(to + at, &word, sizeof word);
  std::memcpy(to + at, &word, bytes - at);
}

}  // namespace bellwether
